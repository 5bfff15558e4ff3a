"""`rpcrdma dev seeds`: what the scenarios of a run sent becomes what the fuzzer starts from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.seeds import write_seeds

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `seeds` to the project's tools."""
    parser = subparsers.add_parser(
        "seeds",
        help="seeds for the fuzzer from a run",
        description="Write the messages of a run as seeds of the harnesses.",
        epilog="example: rpcrdma dev seeds run v1-header",
    )
    parser.add_argument("folder", type=Path, metavar="RUN", help="folder of `rpcrdma certify`")
    parser.add_argument("harnesses", nargs="*", metavar="HARNESS", help="default: all")
    parser.add_argument(
        "--corpus",
        type=Path,
        default=Path(str(files("fuzz"))) / "corpus",
        metavar="DIR",
        help="default: the package's own",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write them, and print how many there are for each harness."""
    for name, count in write_seeds(options.folder, options.corpus, options.harnesses).items():
        print(f"{name}: {count} seeds")
    return 0
