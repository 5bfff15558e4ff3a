"""The shapes of replies that are sent: every two values of two factors meet in one of them.

Drawn once by `conformance.tester.covering` from the factors of
`conformance.tester.server.reply_shapes` and kept in `rows/replies.txt`, so that the names of cases
do not change when a value is added: then rows are added at the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from conformance.tester.server.reply_shapes import ReplyShape

__all__ = ["REPLY_SHAPES"]

_ROWS: Final = Path(__file__).parent / "rows" / "replies.txt"
"""A row a line: a word for each factor."""

REPLY_SHAPES: Final = tuple(
    ReplyShape(*line.split()) for line in _ROWS.read_text(encoding="utf-8").splitlines()
)
"""All of them, in the order in which they were drawn."""
