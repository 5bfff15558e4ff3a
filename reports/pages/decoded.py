"""A message for people: its fields, and its octets beside them with the guilty ones marked."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reports.record import Exchange, Field

__all__ = ["DecodedMessage", "OctetLine", "decoded_message"]

_WORD: Final = 4
"""Octets of a word, the unit of XDR."""

_WORDS: Final = 4
"""Words in a line."""

_LINE: Final = _WORD * _WORDS


@dataclass(frozen=True, slots=True)
class OctetLine:
    """A line of octets: offset of the first one, then pieces of text, each marked or not."""

    offset: int
    pieces: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class DecodedMessage:
    """A message.

    Attributes:
        fields: as they were decoded, in the order of their octets.
        detail: the message decoded as text, where its fields are not known one by one.
        octets: those that the record has, in lines.
        length: of the whole message, in octets.
        kept: how many octets the record has.
    """

    fields: tuple[Field, ...]
    detail: str
    octets: tuple[OctetLine, ...]
    length: int
    kept: int

    @property
    def lines(self) -> int:
        """How many lines it takes on a page."""
        return len(self.fields) + self.detail.count("\n") + len(self.octets) + 1

    @property
    def marks(self) -> tuple[Field, ...]:
        """The fields that are wrong."""
        return tuple(field for field in self.fields if field.mark)


def decoded_message(exchange: Exchange) -> DecodedMessage:
    """What a page shows of a message."""
    octets = bytes.fromhex(exchange.octets)
    marked = _marked(exchange.fields)
    return DecodedMessage(
        exchange.fields,
        "" if exchange.fields else exchange.detail,
        tuple(
            OctetLine(start, tuple(_pieces(octets[start : start + _LINE], start, marked)))
            for start in range(0, len(octets), _LINE)
        ),
        exchange.length,
        len(octets),
    )


def _marked(fields: tuple[Field, ...]) -> frozenset[int]:
    """Offsets of the octets that are wrong; those of a heading are those of what it groups."""
    found: set[int] = set()
    level: int | None = None
    for field in fields:
        if level is not None and field.depth <= level:
            level = None
        if level is None and field.mark:
            level = field.depth
        if level is not None:
            found.update(range(field.offset, field.offset + field.length))
    return frozenset(found)


def _pieces(octets: bytes, start: int, marked: frozenset[int]) -> Iterator[tuple[str, bool]]:
    """A line's text, cut where marking begins or ends; a blank stands between words."""
    characters: list[tuple[str, bool]] = []
    for offset, octet in enumerate(octets, start):
        if offset % _WORD == 0 and offset > start:
            characters.append((" ", offset in marked and offset - 1 in marked))
        characters.append((f"{octet:02x}", offset in marked))
    for inside, run in groupby(characters, key=itemgetter(1)):
        yield "".join(text for text, _ in run), inside
