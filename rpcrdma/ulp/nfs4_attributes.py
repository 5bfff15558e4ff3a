"""File attributes of NFSv4: bitmaps, and the values after them.

    RFC 7530 section 5   File Attributes
    RFC 7531             fattr4, bitmap4, attrlist4
    RFC 7862 section 12  File Attributes (of NFSv4.2)

An fattr4 is a bitmap of attribute numbers and, as one opaque, the values in the order of the
numbers.  What each number means is in `rpcrdma.ulp.nfs4_attribute_table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.nfs4_attribute_table import (
    ATTRIBUTES,
    BITMAP_WORDS,
    SETTABLE,
    WORD_BITS,
    AttributeValue,
    bitmap_of,
)
from rpcrdma.wire import _generated_nfs4 as wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.ulp.file_node import FileNode

__all__ = [
    "AttributeValue",
    "bitmap_of",
    "decode_attributes",
    "encode_attributes",
    "largest_attributes",
    "numbers_in",
]

NOT_SERVED: Final[Mapping[int, int]] = {
    77: 4,  # clone_blksize
    78: 8,  # space_freed
    79: 4,  # change_attr_type
    82: 4,  # xattr_support
    86: 5 * (4 + 4 * BITMAP_WORDS),  # open_arguments: five bitmaps
}
"""Octets of the largest values of attributes that NFSv4.2 has and `ATTRIBUTES` has not
(RFC 7862 section 12.2, RFC 8276 section 8.1, RFC 9754)."""

UNKNOWN_MAXIMUM: Final = 4096
"""Octets allowed for an attribute that is in neither (RFC 8267 6.2.1: a client's own
limit)."""


def numbers_in(bitmap: tuple[int, ...]) -> tuple[int, ...]:
    """The attribute numbers of a bitmap4, ascending."""
    return tuple(
        index * WORD_BITS + bit
        for index, word in enumerate(bitmap)
        if word
        for bit in range(WORD_BITS)
        if word >> bit & 1
    )


def encode_attributes(node: FileNode, requested: tuple[int, ...]) -> wire.FileAttributes:
    """Those of the requested attributes that are known here."""
    numbers = [number for number in numbers_in(requested) if number in ATTRIBUTES]
    values = b"".join(ATTRIBUTES[number].encode(node) for number in numbers)
    return wire.FileAttributes(bitmap_of(numbers), values)


def decode_attributes(attributes: wire.FileAttributes) -> Mapping[int, AttributeValue]:
    """The values of an fattr4 by attribute number.

    FSID and RAWDEV are two numbers, a time is nanoseconds since 1970; the two times that can only
    be set are a tuple of that, which is empty for the server's own time.

    Raises:
        DecodeError: there is an attribute that is not known here, or the values are cut or too
            many; offsets count from the start of `attr_vals`.
    """
    values: dict[int, AttributeValue] = {}
    offset = 0
    for number in numbers_in(attributes.attrmask):
        attribute = ATTRIBUTES.get(number) or SETTABLE.get(number)
        if attribute is None:
            raise DecodeError(offset, f"attr_vals[{number}]", Reason.BAD_DISCRIMINANT)
        values[number], offset = attribute.decode(attributes.attr_vals, offset)
    left = len(attributes.attr_vals) - offset
    if left:
        raise DecodeError(offset, "attr_vals", Reason.TRAILING, f"{left} octets")
    return values


def largest_attributes(requested: tuple[int, ...]) -> int:
    """Octets of the largest fattr4 that can answer a request."""
    sizes = (
        ATTRIBUTES[number].maximum
        if number in ATTRIBUTES
        else NOT_SERVED.get(number, UNKNOWN_MAXIMUM)
        for number in numbers_in(requested)
    )
    return 4 + 4 * max(BITMAP_WORDS, len(requested)) + 4 + sum(sizes)
