"""What a device sent is data: here it becomes text that a terminal, XML and JSON can carry.

Terminal escapes, bidirectional controls and other characters that change how the rest is shown, and
those that XML or UTF-8 do not have (U+FFFE, lone surrogates), are written as their numbers; a line
that would fill the page is cut.
"""

from __future__ import annotations

import re
from typing import Final, TypeVar

import msgspec

__all__ = ["LONGEST_LINE", "printable", "printable_line"]

LONGEST_LINE: Final = 16_384
"""Characters of a line that are kept: as many as the octets of the longest message of a record."""

_UNSAFE: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # unseen, or turn the line
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # no characters of their own
    "\U000e0000-\U000e007f"  # tags, which nothing shows
    "]"
)

T = TypeVar("T")


def printable(value: T) -> T:
    """A record, or a part of it, with every text in it as it may be shown."""
    if isinstance(value, str):
        return _text(value)  # type: ignore[return-value]  # a text for a text
    if isinstance(value, tuple):
        return tuple(map(printable, value))  # type: ignore[return-value]  # likewise
    if isinstance(value, msgspec.Struct):
        old = ((name, getattr(value, name)) for name in value.__struct_fields__)
        new = {name: shown for name, part in old if (shown := printable(part)) != part}
        return msgspec.structs.replace(value, **new) if new else value
    return value


def printable_line(text: str) -> str:
    """A text as it may be shown in one line."""
    return _text(" ".join(text.split()))


def _text(text: str) -> str:
    if len(text) <= LONGEST_LINE and _UNSAFE.search(text) is None:
        return text
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    shown = _UNSAFE.sub(_number, line[:LONGEST_LINE])
    rest = len(line) - LONGEST_LINE
    return f"{shown}... ({rest} characters more)" if rest > 0 else shown


def _number(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
