"""What tester and agent say to each other: one JSON object a line, either way.

A request has an `id`, the word for what to `do`, and arguments; its answer has the same `id`, and
`ok` or `error` (step, cause, remedy).  Answers come in any order.  An event, which only the agent
sends, has no `id` but the word for what is an `event`.  Octets travel in base 64.
"""

from __future__ import annotations

import json
from binascii import a2b_base64, b2a_base64
from typing import Any, Final

__all__ = ["LineSplitter", "as_line", "as_octets", "as_text"]

Said = dict[str, Any]
"""A line's object."""

_MOST: Final = 64 << 20
"""Octets of a line: far more than any that is sent."""


def as_line(said: Said) -> bytes:
    """An object as its line."""
    return json.dumps(said, separators=(",", ":")).encode("ascii") + b"\n"


def as_text(octets: bytes) -> str:
    """Octets as they travel."""
    return b2a_base64(octets, newline=False).decode("ascii")


def as_octets(text: str) -> bytes:
    """What `as_text` was given."""
    return a2b_base64(text)


class LineSplitter:
    """Takes a stream apart into objects."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, octets: bytes) -> list[Said]:
        """Take what has come; return the objects whose lines it completes.

        Raises:
            ValueError: a line is no JSON object, or too long.
        """
        *whole, rest = octets.split(b"\n")
        said = []
        for line in whole:
            said.append(_object(b"".join((*self._parts, line))))
            self._parts, self._length = [], 0
        self._parts.append(rest)
        self._length += len(rest)
        if self._length > _MOST:
            raise ValueError(f"a line of more than {_MOST} octets")
        return said


def _object(line: bytes) -> Said:
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("a line is no JSON object")  # noqa: TRY004  (of the peer's, not of a caller's)
    return found
