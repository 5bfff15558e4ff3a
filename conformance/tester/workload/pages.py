"""Pages that one case alone reads: what becomes of them is held against no other case.

They are the last pages of the largest file of `rpcrdma.ulp.file_tree`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.file_tree import file_of_size, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.sent import Request

__all__ = [
    "BEYOND_ROOM",
    "EMPTY_SEGMENT",
    "LARGEST",
    "LONGEST",
    "PIECE",
    "SHAPES",
    "TOO_SMALL",
    "start_of",
    "untouched",
]

LARGEST: Final = file_of_size(1048576)
"""What cases read."""

_PAGE: Final = 4096

EMPTY_SEGMENT: Final = 0
"""RFC 8166 section 3.4.6: an empty segment among others."""

TOO_SMALL: Final = (1, 2, 3)
"""Section 4.3.2: three Write chunks that are too small."""

BEYOND_ROOM: Final = {
    ("write-chunk", "two-gigabytes"): 4,
    ("write-chunk", "the-largest-number"): 5,
    ("reply-chunk", "two-gigabytes"): 6,
    ("reply-chunk", "the-largest-number"): 7,
}
"""Section 8.1.4: room that is told to be absurd, by form and length."""

SHAPES: Final = 16
"""The first of those of the shapes of `conformance.tester.client.shape_rows`, one for each row."""

LONGEST: Final = _PAGE
"""Octets of the longest result that comes of one page alone."""

PIECE: Final = 65536
"""Octets of a READ that looks for damage: servers that allow fewer are rare."""


def start_of(page: int, size: int) -> int:
    """The offset of a page in a file of so many octets; 0 is the last one."""
    return size - (page + 1) * _PAGE


def untouched(read: Callable[[str, int, int, bytes], Request]) -> Mapping[str, Request]:
    """READs of the files that only READs are about, by place.

    Args:
        read: makes one, of the name of a file, offset and count, and what is there.
    """
    return {
        f"{file.name} from octet {start} on": read(file.name, start, len(part), part)
        for file, start, part in pieces(PIECE)
    }
