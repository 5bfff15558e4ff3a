"""`rpcrdma dev`: the tools with which the project itself is kept.

Layers above this add theirs by entry points.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.catalogue.interpretations import PAGE, load_changes, load_interpretations, render
from conformance.catalogue.sentences import read_sentences
from conformance.cli import detect, variants
from conformance.proof import coverage, matrix, release
from rpcrdma.xdr import compiler
from rpcrdma.xdr.parse import XdrError

if TYPE_CHECKING:
    import argparse

__all__ = ["TOOLS", "add_parser"]

TOOLS: Final = "rpcrdma_conformance.dev"
"""Entry points of this group are modules with `add_parser`, for tools of layers above this."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `dev` and its tools to the command line."""
    dev = subparsers.add_parser(
        "dev",
        help="the project's own tools",
        description="The tools with which the suite itself is kept.",
        epilog="example: rpcrdma dev coverage --document rfc8166 --role responder",
    )
    tools = dev.add_subparsers(dest="tool", required=True, metavar="TOOL")
    _add_matrix(tools)
    detect.add_parser(tools)
    variants.add_parser(tools)
    _add_coverage(tools)
    _add_sentences(tools)
    _add_interpretations(tools)
    _add_xdr(tools)
    _add_release(tools)
    for entry in sorted(entry_points(group=TOOLS), key=lambda entry: entry.name):
        entry.load().add_parser(tools)


def _add_matrix(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = tools.add_parser(
        "matrix",
        help="which case kills which mutant",
        description=(
            "Run the whole suite on loopback against every mutant, and print which case kills it"
            " and what else it trips. Exit status 1 if one lives, or trips what nobody explained."
        ),
        epilog="example: rpcrdma dev matrix --processes 1 grants-zero",
    )
    matrix.add_arguments(parser)
    parser.set_defaults(run=matrix.run)


def _add_coverage(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = tools.add_parser(
        "coverage",
        help="which requirements lack a case or a mutant",
        description="Which requirements have a case and a mutant, by role and section.",
        epilog="example: rpcrdma dev coverage --document rfc8166 --role responder",
    )
    coverage.add_arguments(parser)
    parser.set_defaults(run=coverage.run)


def _add_sentences(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = tools.add_parser(
        "sentences",
        help="sentences of a specification, with their fingerprints",
        description=(
            "Print section, fingerprint and text of every sentence of a specification text in"
            " which all the given words occur."
        ),
        epilog="example: rpcrdma dev sentences rfc8166.txt MUST rdma_xid",
    )
    parser.add_argument("text", type=Path, metavar="TEXT", help="file of the specification")
    parser.add_argument(
        "words", nargs="*", default=[], metavar="WORD", help="default: all sentences"
    )
    parser.set_defaults(run=_sentences)


def _sentences(options: argparse.Namespace) -> int:
    for sentence in read_sentences(options.text):
        if all(word in sentence.text for word in options.words):
            print(f"{sentence.section}  {sentence.fingerprint}\n    {sentence.text}")
    return 0


def _add_interpretations(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = tools.add_parser(
        "interpretations",
        help=f"render {PAGE.name} from the register",
        description=f"Write {PAGE.name} from the register and the note on later drafts.",
        epilog="example: rpcrdma dev interpretations",
    )
    parser.add_argument(
        "--output", type=Path, default=PAGE, metavar="FILE", help="default: %(default)s"
    )
    parser.set_defaults(run=_interpretations)


def _interpretations(options: argparse.Namespace) -> int:
    text = render(load_interpretations().values(), load_changes())
    options.output.write_text(text, encoding="utf-8")
    print(f"{options.output} written")
    return 0


def _add_release(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = tools.add_parser(
        "release",
        help="a copy without what maintainers are told first",
        description=(
            "Copy the tracked files without what withheld.toml lists, and without what depends on"
            " it. Exit status 2 if the copy would still name it."
        ),
        epilog="example: rpcrdma dev release /tmp/rpcrdma-release",
    )
    release.add_arguments(parser)
    parser.set_defaults(run=release.run)


def _add_xdr(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = tools.add_parser(
        "xdr",
        help="the XDR compiler",
        description="Codecs, hypothesis strategies and fuzz dictionaries from the .x files.",
        epilog="example: rpcrdma dev xdr generate",
    )
    compiler.add_arguments(parser)
    parser.set_defaults(run=_xdr)


def _xdr(options: argparse.Namespace) -> int:
    try:
        return compiler.run(options)
    except (XdrError, UnicodeDecodeError) as error:
        raise BadInput(str(error)) from error
