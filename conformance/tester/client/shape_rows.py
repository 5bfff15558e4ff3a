"""The shapes of chunks that are sent: every two values of two factors meet in one of them.

Drawn once by `conformance.tester.covering` from the factors of `conformance.tester.client.shapes`
and kept in the files of `rows`, so that the names of cases do not change when a value is added:
then rows are added at the end, those that `tests/withheld/test_all_shapes.py` finds missing.  Each
has a number, since its data and its part in Version Two must not depend on which of the files are
there: a release may be without the destructive ones (`withheld.toml`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.tester.client.shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DESTRUCTIVE", "NUMBERS", "SHAPES"]

_FOLDER: Final = Path(__file__).parent / "rows"
"""Text files, a row a line: its number, and a word for each factor."""


def _read(path: Path) -> dict[Shape, int]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {Shape(*words): int(number) for number, *words in map(str.split, lines)}


_BY_FILE: Final = {path.stem: _read(path) for path in sorted(_FOLDER.glob("*.txt"))}
_NUMBERED: Final = {shape: number for rows in _BY_FILE.values() for shape, number in rows.items()}

DESTRUCTIVE: Final = frozenset(_BY_FILE.get("destructive", ()))
"""Those that may harm a real device."""

SHAPES: Final = tuple(sorted(_NUMBERED, key=lambda shape: _NUMBERED[shape]))
"""All of them, in the order of their numbers."""

NUMBERS: Final[Mapping[Shape, int]] = _NUMBERED
"""The number of each."""
