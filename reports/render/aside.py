"""Report files are written aside and then take their names: what bears one is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_aside"]


def write_aside(path: Path, octets: bytes) -> None:
    """Write a file; until it is whole, and if it never is, what stood there before stays.

    Raises:
        OSError: it cannot be written; names `path`.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(octets)
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        partial.unlink(missing_ok=True)
