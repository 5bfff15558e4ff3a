"""`rpcrdma dev tshark`: whether Wireshark's dissector reads headers as our decoder does."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fuzz.differential.by_fields import Agreement, compare_fields
from fuzz.differential.inputs import add_input_options, chosen_inputs
from fuzz.differential.tshark import dissect
from fuzz.differential.two_decoders import tell_disagreements

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


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
    add_input_options(parser, mutations=4)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare; returns the exit status.

    Raises:
        BadInput: there is no such corpus, or no tshark.
    """
    inputs = chosen_inputs(options)
    found = compare_fields(inputs, dissect)
    tell_disagreements(found)
    counts = Counter(one.kind for one in found)
    told = ", ".join(f"{counts[kind]} {kind.value}" for kind in Agreement)
    print(f"{len(found)} headers: {told}; {counts[None]} disagreements")
    return 1 if counts[None] else 0
