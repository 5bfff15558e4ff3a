"""Results as they are kept: a file of lines of JSON, a head and then one for each result.

A line is added as a result comes, so that a run which is ended has lost none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from conformance.bad_input import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["line_of", "read_kept", "write_kept"]

Head = TypeVar("Head", bound=msgspec.Struct)
Result = TypeVar("Result", bound=msgspec.Struct)


def line_of(one: msgspec.Struct) -> bytes:
    """The line of a head or of a result."""
    return msgspec.json.encode(one) + b"\n"


def read_kept(
    path: Path, what: str, of_head: type[Head], of_result: type[Result]
) -> tuple[Head, tuple[Result, ...]]:
    """The head and the results of a file; half a line at its end is left out.

    Args:
        path: of the file.
        what: the results are of, in a word.
        of_head: the type of the head.
        of_result: that of the results.

    Raises:
        BadInput: the file has other lines.
        OSError: it cannot be read.
    """
    lines = path.read_bytes().splitlines(keepends=True)
    try:
        head = msgspec.json.decode(lines[0] if lines else b"", type=of_head)
        results = [
            msgspec.json.decode(line, type=of_result) for line in lines[1:] if line.endswith(b"\n")
        ]
    except msgspec.DecodeError as error:
        raise BadInput(f"{path} is no file of {what}: {error}") from error
    return head, tuple(results)


def write_kept(path: Path, head: msgspec.Struct, results: Iterable[msgspec.Struct]) -> None:
    """Write a whole file."""
    path.write_bytes(b"".join(map(line_of, (head, *results))))
