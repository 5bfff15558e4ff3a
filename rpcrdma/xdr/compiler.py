"""The XDR compiler as a tool: lint, generate the checked-in files, check them.

rpcrdma dev xdr lint rpcrdma/spec/rfc8166.x
rpcrdma dev xdr generate
rpcrdma dev xdr check
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rpcrdma.xdr.emit_codec import emit_codec
from rpcrdma.xdr.emit_dictionary import emit_dictionary
from rpcrdma.xdr.emit_strategies import emit_strategies
from rpcrdma.xdr.extract import extract
from rpcrdma.xdr.names import NameTable
from rpcrdma.xdr.parse import XdrError, parse
from rpcrdma.xdr.resolve import resolve
from rpcrdma.xdr.sharing import check_shared

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rpcrdma.xdr.model import Schema

ROOT: Final = Path(__file__).parents[2]
"""The checkout that the generated files belong to."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `run` takes to a command line."""
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    lint = steps.add_parser("lint", help="parse and resolve .x files or specification texts")
    lint.add_argument("files", nargs="+", type=Path, metavar="FILE")
    for name, text in (
        ("generate", "write every generated file of the checkout"),
        ("check", "fail if a generated file differs from what would be written"),
    ):
        step = steps.add_parser(name, help=text)
        step.add_argument("--root", type=Path, default=ROOT, help="the checkout (%(default)s)")


def run(options: argparse.Namespace) -> int:
    """Do one step; returns the exit status.

    Raises:
        XdrError: a specification is wrong; the message begins with the name of its file.
        OSError: a file cannot be read or written.
        UnicodeDecodeError: a file is no text.
    """
    if options.step == "lint":
        return _lint(options.files)
    files = generated_files(options.root)
    return _generate(files) if options.step == "generate" else _check(files)


def load(path: Path) -> Schema:
    """The types of a .x file, or of a specification text with marked XDR lines.

    Raises:
        XdrError: the text is not XDR, or its names do not resolve.
    """
    text = path.read_text("utf-8")
    if path.suffix != ".x":
        text = extract(text)
        if not text:
            raise XdrError(None, "no line is marked with ///")
    return resolve(parse(text), NameTable.load(path.with_suffix(".names.toml")))


def generated_files(root: Path) -> dict[Path, str]:
    """Each generated file of a checkout and the text that it must have.

    Raises:
        XdrError: a specification is wrong; the message begins with its name.
    """
    files: dict[Path, str] = {}
    schemas: dict[Path, Schema] = {}
    for source in sorted((root / "rpcrdma" / "spec").glob("*.x")):
        try:
            schemas[source] = load(source)
        except XdrError as error:
            raise XdrError(None, f"{source.name}: {error}") from None
    by_stem = {source.stem: schema for source, schema in schemas.items()}
    for source, schema in schemas.items():
        try:
            check_shared(schema, by_stem)
        except XdrError as error:
            raise XdrError(None, f"{source.name}: {error}") from None
        name, stem = f"_generated_{source.stem}", source.stem
        files[root / "rpcrdma/wire" / f"{name}.py"] = emit_codec(schema, source.name)
        files[root / "conformance/strategies" / f"{name}.py"] = emit_strategies(
            schema, source.name, f"rpcrdma.wire.{name}"
        )
        files[root / "fuzz/dictionaries" / f"{stem}.dict"] = emit_dictionary(schema, source.name)
    return files


def _lint(paths: Sequence[Path]) -> int:
    for path in paths:
        try:
            schema = load(path)
        except XdrError as error:
            raise XdrError(None, f"{path}: {error}") from None
        sys.stdout.write(f"{path}: {len(schema.types)} types\n")
    return 0


def _generate(files: dict[Path, str]) -> int:
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        sys.stdout.write(f"{path}\n")
    return 0


def _check(files: dict[Path, str]) -> int:
    stale = [p for p, text in files.items() if not p.exists() or p.read_text("utf-8") != text]
    for path in stale:
        sys.stderr.write(f"{path} is not what its specification generates\n")
    return 1 if stale else 0
