"""Headers of Version One for others to decode in batches: a corpus, and mutations of it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from conformance.bad_input import BadInput
from fuzz.differential.two_decoders import decode_as_true
from fuzz.registry import corpus_of
from fuzz.structure.headers import V1_HEADER
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, RdmaNomsg, encode_header

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

__all__ = [
    "MOST_OCTETS",
    "add_input_options",
    "chosen_inputs",
    "mutated",
    "with_and_without_reads",
]

MOST_OCTETS: Final = 2048
"""Of an input: what one packet holds."""

_HARNESS: Final = "v1-header"
_WORD: Final = 4


def add_input_options(parser: argparse.ArgumentParser, mutations: int) -> None:
    """Add what says which inputs there are.

    Args:
        parser: of a tool.
        mutations: of each header, unless another number is given.
    """
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="CORPUS", help="default: the package's own"
    )
    parser.add_argument(
        "--mutations",
        type=int,
        default=mutations,
        metavar="N",
        help="of each header; default: %(default)s",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: %(default)s")


def chosen_inputs(options: argparse.Namespace) -> list[bytes]:
    """The inputs that options name, each once.

    Raises:
        BadInput: there is no such folder.
    """
    folder: Path = options.folder or corpus_of(_HARNESS)
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder: name that of a corpus of headers")
    headers = [path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()]
    return list(dict.fromkeys(mutated(headers, options.mutations, options.seed)))


def mutated(headers: Iterable[bytes], mutations: int, seed: int) -> Iterator[bytes]:
    """Headers, and after each some that were made of it, every one of the one before it.

    They are of whole words and of Version One: the decoders of others look at nothing else.
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


def with_and_without_reads(messages: Iterable[bytes]) -> list[bytes]:
    """Messages, and each that has a Read list without it as well: no Reply has one.

    Each is there once.
    """
    found: list[bytes] = []
    for octets in messages:
        found.append(octets)
        decoded = decode_as_true(octets)
        if isinstance(decoded, DecodeError):
            continue
        header, end = decoded
        body = header.rdma_body
        if isinstance(body, RdmaMsg | RdmaNomsg) and body.rdma_reads:
            lists = replace(body, rdma_reads=())
            found.append(encode_header(replace(header, rdma_body=lists)) + octets[end:])
    return list(dict.fromkeys(found))


def _of_version_one(octets: bytes) -> bytes:
    whole = octets[: len(octets) // _WORD * _WORD]
    return whole[:_WORD] + (1).to_bytes(_WORD) + whole[2 * _WORD :]
