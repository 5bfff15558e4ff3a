"""`rpcrdma dev corpora`: what of the library the kept corpora reach."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from conformance.bad_input import BadInput
from fuzz.reach.adopt import adopt
from fuzz.reach.branches import modules
from fuzz.reach.explained import read_explained, see_none_stale
from fuzz.reach.measure import measure, own_corpora
from fuzz.reach.page import PAGE, render, summary, unexplained
from fuzz.registry import corpus_of

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `corpora` to the project's tools."""
    parser = subparsers.add_parser(
        "corpora",
        help="which branches of the library the fuzzers' corpora reach",
        description=(
            "Run each input of each kept corpus once under coverage.py, and print how many branches"
            " of rpcrdma/wire and rpcrdma/endpoint are taken, by module. It is an error if"
            " results/fuzzing/explained.toml explains what is reached."
            " With --adopt, take the inputs of a folder into the corpus of a harness with which it"
            " reaches more than without."
        ),
        epilog="examples: rpcrdma dev corpora --write;"
        " rpcrdma dev corpora --adopt corpus/v1-responder v1-responder",
    )
    parser.add_argument("harness", nargs="?", metavar="HARNESS", help="whose corpus, for --adopt")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help=f"write results/fuzzing/{PAGE.name}")
    what.add_argument("--unexplained", action="store_true", help="list what nobody has explained")
    what.add_argument("--adopt", type=Path, metavar="DIR", help="inputs on offer")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure; returns the exit status."""
    if bool(options.adopt) != bool(options.harness):
        raise BadInput("--adopt goes with the name of a harness: --adopt corpus/NAME NAME")
    if options.adopt:
        offered, taken = adopt(options.harness, corpus_of(options.harness), options.adopt)
        print(f"{options.harness}: {taken} of {offered} inputs reach more, and are kept")
        return 0
    corpora = own_corpora()
    measured = modules(measure(corpora))
    explained = read_explained()
    see_none_stale(explained, (branch for module in measured for branch in module.unreached))
    inputs = {name: len(list(folder.iterdir())) for name, folder in corpora.items()}
    text = render(measured, inputs, explained)
    if options.write:
        PAGE.write_text(text, "utf-8")
    if options.unexplained:
        for branch in unexplained(measured, explained):
            print(f"{branch.where}: {branch.line} -> {branch.onward}")
    elif not options.write:
        print(text)
    for line in summary(measured, explained):
        print(line)
    return 0
