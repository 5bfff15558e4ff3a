"""File attributes of NFSv4: bitmaps, and the values behind them.

    RFC 7530 section 5   File Attributes
    RFC 7531             fattr4, bitmap4, attrlist4

An fattr4 is a bitmap of attribute numbers and, as one opaque, the values in the order of the
numbers.  The numbers here are all mandatory or nearly always supported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.file_node import Kind
from rpcrdma.wire import _generated_nfs4 as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rpcrdma.ulp.file_node import Node

__all__ = [
    "AttributeValue",
    "bitmap_of",
    "decode_attributes",
    "encode_attributes",
    "largest_attributes",
    "numbers_in",
]

WORD_BITS: Final = 32
BITMAP_WORDS: Final = 3
"""Words of the largest bitmap that servers of any minor version return."""

UNKNOWN_MAXIMUM: Final = 4096
"""Octets allowed for an attribute that is not in `ATTRIBUTES` (RFC 8267 6.2.1: a client's own
limit)."""

AttributeValue: TypeAlias = int | bytes | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: largest encoded size, and its codec."""

    maximum: int
    encode: Callable[[Node], bytes]
    decode: Callable[[bytes, int], tuple[AttributeValue, int]]


def _bitmap(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_bitmap(buffer, offset)
    return value.value, end


def _word(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_word(buffer, offset)
    return value.value, end


def _hyper(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_hyper(buffer, offset)
    return value.value, end


def _handle(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_handle(buffer, offset)
    return value.value, end


def _file_system(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_file_system_id(buffer, offset)
    return (value.major, value.minor), end


def _word_of(value: Callable[[Node], int]) -> Attribute:
    return Attribute(
        4, lambda node: wire.encode_attribute_word(wire.AttributeWord(value(node))), _word
    )


def _hyper_of(value: Callable[[Node], int]) -> Attribute:
    return Attribute(
        8, lambda node: wire.encode_attribute_hyper(wire.AttributeHyper(value(node))), _hyper
    )


FILE_TYPES: Final[Mapping[Kind, wire.FileType]] = {
    Kind.FILE: wire.FileType.NF4REG,
    Kind.DIRECTORY: wire.FileType.NF4DIR,
    Kind.LINK: wire.FileType.NF4LNK,
}

ATTRIBUTES: Final[Mapping[int, Attribute]] = {
    wire.FATTR4_SUPPORTED_ATTRS: Attribute(
        4 + 4 * BITMAP_WORDS,
        lambda _node: wire.encode_attribute_bitmap(wire.AttributeBitmap(bitmap_of(ATTRIBUTES))),
        _bitmap,
    ),
    wire.FATTR4_TYPE: _word_of(lambda node: FILE_TYPES[node.kind]),
    wire.FATTR4_CHANGE: _hyper_of(lambda node: node.change),
    wire.FATTR4_SIZE: _hyper_of(lambda node: len(node.content)),
    wire.FATTR4_FSID: Attribute(
        16, lambda _node: wire.encode_file_system_id(wire.FileSystemId(0, 0)), _file_system
    ),
    wire.FATTR4_RDATTR_ERROR: _word_of(lambda _node: wire.Status.NFS4_OK),
    wire.FATTR4_FILEHANDLE: Attribute(
        4 + wire.NFS4_FHSIZE,
        lambda node: wire.encode_attribute_handle(wire.AttributeHandle(node.handle)),
        _handle,
    ),
    wire.FATTR4_FILEID: _hyper_of(lambda node: node.number),
    wire.FATTR4_MODE: _word_of(lambda node: node.mode),
    wire.FATTR4_NUMLINKS: _word_of(lambda node: node.links),
}
"""Every attribute that is known here, by number."""


def bitmap_of(numbers: Iterable[int]) -> tuple[int, ...]:
    """The bitmap4 with these attribute numbers; no trailing zero words."""
    words: list[int] = []
    for number in numbers:
        index, bit = divmod(number, WORD_BITS)
        words += [0] * (index + 1 - len(words))
        words[index] |= 1 << bit
    return tuple(words)


def numbers_in(bitmap: tuple[int, ...]) -> tuple[int, ...]:
    """The attribute numbers of a bitmap4, ascending."""
    return tuple(
        index * WORD_BITS + bit
        for index, word in enumerate(bitmap)
        for bit in range(WORD_BITS)
        if word >> bit & 1
    )


def encode_attributes(node: Node, requested: tuple[int, ...]) -> wire.FileAttributes:
    """Those of the requested attributes that are known here."""
    numbers = [number for number in numbers_in(requested) if number in ATTRIBUTES]
    values = b"".join(ATTRIBUTES[number].encode(node) for number in numbers)
    return wire.FileAttributes(bitmap_of(numbers), values)


def decode_attributes(attributes: wire.FileAttributes) -> Mapping[int, AttributeValue]:
    """The values of an fattr4 by attribute number; FSID as (major, minor).

    Raises:
        DecodeError: there is an attribute that is not known here, or the values are cut or too
            many; offsets count from the start of `attr_vals`.
    """
    values: dict[int, AttributeValue] = {}
    offset = 0
    for number in numbers_in(attributes.attrmask):
        attribute = ATTRIBUTES.get(number)
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
        ATTRIBUTES[number].maximum if number in ATTRIBUTES else UNKNOWN_MAXIMUM
        for number in numbers_in(requested)
    )
    return 4 + 4 * max(BITMAP_WORDS, len(requested)) + 4 + sum(sizes)
