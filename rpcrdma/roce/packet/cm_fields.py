"""Layouts of the messages of connection management, as tables of fields.

A message is 232 octets, big-endian; a field is at an octet and a bit within it, counted from the
most significant one, as the tables of the specification count.  What no field covers is reserved:
zero when sent, passed over when received.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from rpcrdma.errors import FabricError
from rpcrdma.roce.packet.mad import DATA_LENGTH

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CmField", "bits", "decode_fields", "encode_fields", "octets"]

_OCTET: Final = 8


class CmField(msgspec.Struct, frozen=True, gc=False):
    """`size` bits from bit `start` of the message; if `is_octets`, no number but octets."""

    start: int
    size: int
    is_octets: bool = False


def bits(octet: int, size: int, bit: int = 0) -> CmField:
    """A number of `size` bits, which begins at a bit of an octet."""
    return CmField(octet * _OCTET + bit, size)


def octets(octet: int, size: int) -> CmField:
    """A field of `size` octets that is no number: a GID, private data."""
    return CmField(octet * _OCTET, size * _OCTET, is_octets=True)


def encode_fields(layout: Mapping[str, CmField], message: object) -> bytes:
    """The octets of a message; a field of octets that is shorter than its place ends in zeroes.

    Raises:
        FabricError: a value has no room in its field.
    """
    whole = 0
    for name, field in layout.items():
        value = getattr(message, name)
        if field.is_octets:
            room = field.size // _OCTET
            if len(value) > room:
                where = f"{name} of {type(message).__name__}"
                raise FabricError(f"{where} has {len(value)} octets, and there is room for {room}")
            value = int.from_bytes(value.ljust(room, b"\0"), "big")
        elif value >> field.size:
            where = f"{name} of {type(message).__name__}"
            raise FabricError(f"{where} is {value}, which has no room in {field.size} bits")
        whole |= value << (DATA_LENGTH * _OCTET - field.start - field.size)
    return whole.to_bytes(DATA_LENGTH, "big")


def decode_fields(layout: Mapping[str, CmField], data: bytes) -> dict[str, Any]:
    """The values of the fields in the 232 octets of a message."""
    whole = int.from_bytes(data, "big")
    values: dict[str, Any] = {}
    for name, field in layout.items():
        if field.is_octets:
            start = field.start // _OCTET
            values[name] = data[start : start + field.size // _OCTET]
        else:
            shift = len(data) * _OCTET - field.start - field.size
            values[name] = whole >> shift & (1 << field.size) - 1
    return values
