"""`rpcrdma dev tshark`: whether Wireshark's dissector reads headers as our decoder does."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from fuzz.differential.by_fields import MOST_OCTETS, Agreement, compare_fields
from fuzz.differential.tshark import dissect
from fuzz.registry import corpus_of
from fuzz.structure.headers import V1_HEADER

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

__all__ = ["add_parser", "mutated", "run"]

_HARNESS: Final = "v1-header"
_WORD: Final = 4


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `tshark` to the project's tools."""
    parser = subparsers.add_parser(
        "tshark",
        help="whether Wireshark's dissector reads headers as our decoder does",
        description=(
            "Have tshark dissect the Version One headers of a corpus, and mutations of them, in one"
            " run, and compare each field with what our decoder reads. Exit status 1 if they"
            " disagree; fuzz/DISAGREEMENTS.md says on what they may."
        ),
        epilog="example: rpcrdma dev tshark --mutations 20 --seed 7",
    )
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="CORPUS", help="default: the package's own"
    )
    parser.add_argument(
        "--mutations", type=int, default=4, metavar="N", help="of each header; default: %(default)s"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare; returns the exit status."""
    folder = options.folder or corpus_of(_HARNESS)
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder: name that of a corpus of headers")
    headers = [path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()]
    inputs = list(dict.fromkeys(mutated(headers, options.mutations, options.seed)))
    found = compare_fields(inputs, dissect)
    for one in found:
        if one.disagreement:
            print(f"{one.octets.hex()}: {one.disagreement}", file=sys.stderr)
    counts = Counter(one.kind for one in found)
    told = ", ".join(f"{counts[kind]} {kind.value}" for kind in Agreement)
    print(f"{len(found)} headers: {told}; {counts[None]} disagreements")
    return 1 if counts[None] else 0


def mutated(headers: Iterable[bytes], mutations: int, seed: int) -> Iterator[bytes]:
    """Headers, and after each some that were made of it, every one of the one before it.

    They are of whole words and of Version One: the dissector knows nothing else.
    """
    draw = Random(seed)  # noqa: S311  # draws inputs, guards no secret

    def raw(octets: bytes, maximum: int) -> bytes:
        """One word changed, in place of the engine's own mutation."""
        place = draw.randrange(len(octets) or 1) // _WORD * _WORD
        word = draw.choice((0, 1, 2, 0xFFFF_FFFF, draw.getrandbits(32)))
        return (octets[:place] + word.to_bytes(_WORD) + octets[place + _WORD :])[:maximum]

    for header in headers:
        octets = header
        yield _of_version_one(octets)
        for _ in range(mutations):
            octets = V1_HEADER.mutate(octets, MOST_OCTETS, draw.getrandbits(30), raw)
            yield _of_version_one(octets)


def _of_version_one(octets: bytes) -> bytes:
    whole = octets[: len(octets) // _WORD * _WORD]
    return whole[:_WORD] + (1).to_bytes(_WORD) + whole[2 * _WORD :]
