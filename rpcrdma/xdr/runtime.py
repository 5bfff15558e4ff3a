"""Reader and Writer of XDR primitives (rfc4506 section 4), for the schema interpreter.

Both are plain: the speed is in the generated code, which calls the interpreter only when something
is odd of which it cannot tell all.  A `ItemFault` collects the field path on its way up, so a good
item pays nothing for it; the interpreter turns it into DecodeError or EncodeError.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, EncodeError, Reason

if TYPE_CHECKING:
    from rpcrdma.xdr.model import Type

Buffer = bytes | bytearray | memoryview

MAXIMUM_DEPTH: Final = 64
"""Levels of a self-containing type (a tree, not a list) that are followed."""

_FORMATS: Final = {
    (32, False): struct.Struct(">I"),
    (32, True): struct.Struct(">i"),
    (64, False): struct.Struct(">Q"),
    (64, True): struct.Struct(">q"),
}
_FLOATS: Final = {32: struct.Struct(">f"), 64: struct.Struct(">d")}
_WORD: Final = _FORMATS[32, False]
ZEROES: Final = (b"", b"\0", b"\0\0", b"\0\0\0")


class ItemFault(Exception):
    """What is wrong with an item; `steps` of the path are added from the innermost outwards."""

    def __init__(self, offset: int, reason: Reason | None, detail: str) -> None:
        super().__init__(offset, reason, detail)
        self.offset = offset
        self.reason = reason
        self.detail = detail
        self.steps: list[str] = []

    @property
    def path(self) -> str:
        """The field path, dotted, with list indexes."""
        return "".join(reversed(self.steps)).removeprefix(".")

    def as_decode_error(self) -> DecodeError:
        """The error for the caller of a decoder."""
        return DecodeError(self.offset, self.path, self.reason or Reason.TRUNCATED, self.detail)

    def as_encode_error(self) -> EncodeError:
        """The error for the caller of an encoder."""
        return EncodeError(self.path, self.detail)


class Reader:
    """Takes primitives off a buffer, from an offset on.

    Attributes:
        position: of the next octet.
        depth: levels of self-containing types entered.
    """

    __slots__ = ("buffer", "depth", "position", "size")

    def __init__(self, buffer: Buffer, offset: int) -> None:
        self.buffer = buffer
        self.size = len(buffer)
        self.position = offset
        self.depth = 0

    def remaining(self) -> int:
        """Octets after the position."""
        return self.size - self.position

    def _number(self, form: struct.Struct) -> int | float:
        position = self.position
        end = position + form.size
        if end > self.size:
            raise self.short(form.size)
        self.position = end
        number: int | float = form.unpack_from(self.buffer, position)[0]
        return number

    def short(self, needed: int) -> ItemFault:
        """The fault of an item that the rest of the buffer cannot hold."""
        left = max(self.remaining(), 0)
        return ItemFault(self.position, Reason.TRUNCATED, f"{needed} octets needed, {left} left")

    def word(self) -> int:
        """An unsigned integer of 32 bits."""
        position = self.position
        end = position + 4
        if end > self.size:
            raise self.short(4)
        self.position = end
        value: int = _WORD.unpack_from(self.buffer, position)[0]
        return value

    def signed_word(self) -> int:
        """A signed integer of 32 bits, which an enumeration is as well (rfc4506 4.3)."""
        value = self.word()
        return value - 2**32 if value >> 31 else value

    def integer(self, bits: int, *, signed: bool) -> int:
        """An integer of any of the four kinds."""
        return int(self._number(_FORMATS[bits, signed]))

    def floating(self, bits: int) -> float:
        """A float or double."""
        return self._number(_FLOATS[bits])

    def flag(self) -> bool:
        """A boolean or an optional-data discriminator: 0 or 1, nothing else (rfc4506 4.4)."""
        value = self.word()
        if value > 1:
            raise ItemFault(self.position - 4, Reason.BAD_BOOLEAN, f"{value}")
        return value == 1

    def count(self, maximum: int, minimum_size: int) -> int:
        """A count, refused before anything is allocated if the rest cannot hold so many items."""
        position = self.position
        count = self.word()
        if count > maximum:
            raise ItemFault(position, Reason.TOO_LONG, f"{count} exceeds the maximum {maximum}")
        if count * minimum_size > self.remaining():
            needed, left = count * minimum_size, self.remaining()
            raise ItemFault(
                position,
                Reason.TRUNCATED,
                f"the count {count} needs {needed} octets, {left} left",
            )
        return count

    def opaque(self, length: int) -> bytes:
        """Octets with their roundup padding, which must be zero (rfc4506 4.9)."""
        start, end = self.position, self.position + length
        padding = -length & 3
        if end + padding > self.size:
            raise self.short(length + padding)
        if padding and bytes(self.buffer[end : end + padding]) != ZEROES[padding]:
            found = bytes(self.buffer[end : end + padding]).hex()
            raise ItemFault(end, Reason.BAD_PADDING, f"0x{found}")
        self.position = end + padding
        return bytes(self.buffer[start:end])

    def text(self, length: int, charset: str) -> str:
        """A string of the charset."""
        start = self.position
        octets = self.opaque(length)
        try:
            return octets.decode(charset)
        except UnicodeDecodeError as error:
            detail = f"octet {error.start} is not {charset}"
            raise ItemFault(start, Reason.BAD_TEXT, detail) from None


class Writer:
    """Collects the octets of primitives, checking the range of each."""

    __slots__ = ("depth", "parts")

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.depth = 0

    def word(self, value: int) -> None:
        """An unsigned integer of 32 bits."""
        self.parts.append(_WORD.pack(value))

    def integer(self, value: object, bits: int, *, signed: bool) -> None:
        """An integer of any of the four kinds."""
        try:
            self.parts.append(_FORMATS[bits, signed].pack(value))
        except struct.error:
            kind = "a signed" if signed else "an unsigned"
            raise ItemFault(0, None, f"{value!r} is not {kind} integer of {bits} bits") from None

    def floating(self, value: object, bits: int) -> None:
        """A float or double."""
        try:
            self.parts.append(_FLOATS[bits].pack(value))
        except (struct.error, OverflowError):
            raise ItemFault(0, None, f"{value!r} is not a number of {bits} bits") from None

    def count(self, count: int, maximum: int) -> None:
        """A count that must not exceed the maximum."""
        if count > maximum:
            raise ItemFault(0, None, f"{count} items exceed the maximum {maximum}")
        self.word(count)

    def opaque(self, octets: bytes) -> None:
        """Octets and their roundup padding."""
        self.parts.append(octets)
        self.parts.append(ZEROES[-len(octets) & 3])


def word_at(buffer: Buffer, offset: int) -> int:
    """The unsigned integer of 32 bits at an offset after which there are at least four octets."""
    value: int = _WORD.unpack_from(buffer, offset)[0]
    return value


def wrong_type(value: object, expected: Type | str) -> ItemFault:
    """The fault of a value that is not of the type its place asks for."""
    name = expected if isinstance(expected, str) else type(expected).__name__
    return ItemFault(0, None, f"{value!r} is not {name}")
