"""The mutator of sequences of messages (`fuzz.sequence`): whole messages, and what is in one.

It aims at what is alive in the sequence: a message that is repeated or comes from elsewhere gets an
XID that stands earlier in it, or one that does not, in its header and its RPC message alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from fuzz.sequence import MOST_MESSAGES, PREFIX, join, split
from fuzz.structure.edits import edit
from fuzz.structure.grow import grow
from fuzz.structure.mutator import is_raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.structure.mutator import ItemMutator, Raw

__all__ = ["SequenceMutator"]

_MESSAGE: Final = 4096
"""Octets of one message that a mutation leaves, at most."""

_WORD: Final = 4


@dataclass(frozen=True, slots=True)
class SequenceMutator:
    """Of inputs that are sequences of transport headers, each with an RPC message after it.

    Attributes:
        header: mutates what a message begins with.
        payload: mutates what follows that.
    """

    header: ItemMutator
    payload: ItemMutator

    def mutate(self, octets: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """A sequence changed in one way."""
        draw = Random(seed)  # noqa: S311  # reproducible on purpose
        messages = split(octets)
        if not messages:
            return raw(octets, maximum)
        if is_raw(draw):
            if draw.randrange(2):
                return raw(octets, maximum)  # the lengths between messages as well
            index = draw.randrange(len(messages))
            messages[index] = raw(messages[index], _MESSAGE)
        elif draw.randrange(2) or not self._edit_one(messages, draw):
            draw.choice(_WHOLE)(self, messages, draw)
        made = _fitting(messages, maximum)
        return made if made and made != octets else raw(octets, maximum)

    def cross(self, first: bytes, second: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """The first sequence with messages of the second: at its end, in it, or in place of one."""
        draw = Random(seed)  # noqa: S311  # reproducible on purpose
        messages, others = split(first), split(second)
        if not messages or not others or draw.randrange(2):
            return self.mutate(first, maximum, draw.randrange(2**32), raw)
        place, start = draw.randrange(len(messages) + 1), draw.randrange(len(others))
        taken = others[start : start + draw.choice((1, 1, 2, len(others)))]
        kept = draw.choice((place, place + 1, len(messages)))
        made = _fitting(messages[:place] + taken + messages[kept:], maximum)
        return made or self.mutate(first, maximum, draw.randrange(2**32), raw)

    # Of one message

    def _edit_one(self, messages: list[bytes], draw: Random) -> bool:
        """Edit the header of one message, or the RPC message after it; whether it could be."""
        index = draw.randrange(len(messages))
        message = messages[index]
        scene = self.header.scene(message[:_MESSAGE], draw)
        end = scene.tree.root.end
        if scene.tree.error is None and end < len(message) and draw.randrange(3) == 0:
            made = edit(self.payload.scene(message[end:], draw), _MESSAGE)
            made = None if made is None else message[:end] + made
        else:
            made = edit(scene, _MESSAGE)
        if made is not None:
            messages[index] = made
        return made is not None

    # Of the sequence; each changes the list that it is given

    def insert(self, messages: list[bytes], draw: Random) -> None:
        """A message drawn anew."""
        header = grow(self.header.schema, self.header.schema.types[self.header.name], draw)
        payload = grow(self.payload.schema, self.payload.schema.types[self.payload.name], draw)
        made = _named(header + header[:_WORD] + payload[_WORD:], _live_xid(messages, draw))
        messages.insert(draw.randrange(len(messages) + 1), made)

    def drop(self, messages: list[bytes], draw: Random) -> None:
        """One message less, or all that follow one."""
        if len(messages) > 1:
            index = draw.randrange(len(messages))
            last = len(messages) if index and draw.randrange(4) == 0 else index + 1
            del messages[index:last]

    def repeat(self, messages: list[bytes], draw: Random) -> None:
        """A message again, at once or later, once or many times, as it is or as another call."""
        index = draw.randrange(len(messages))
        copies = [messages[index]] * draw.choice((1, 1, 1, 2, 3, 8))
        if draw.randrange(2):
            copies = [_named(one, draw.getrandbits(32)) for one in copies]
        place = draw.choice((index + 1, draw.randint(index + 1, len(messages)), len(messages)))
        messages[place:place] = copies

    def swap(self, messages: list[bytes], draw: Random) -> None:
        """Two messages in each other's place."""
        one, other = draw.randrange(len(messages)), draw.randrange(len(messages))
        messages[one], messages[other] = messages[other], messages[one]

    def aim(self, messages: list[bytes], draw: Random) -> None:
        """A message under an XID that is alive in the sequence, or a new one."""
        index = draw.randrange(len(messages))
        messages[index] = _named(messages[index], _live_xid(messages, draw))

    def mislead(self, messages: list[bytes], draw: Random) -> None:
        """The XID of a header alone, so that its RPC message has another."""
        index = draw.randrange(len(messages))
        xid = _live_xid(messages, draw)
        messages[index] = xid.to_bytes(_WORD, "big") + messages[index][_WORD:]

    def transplant(self, messages: list[bytes], draw: Random) -> None:
        """What follows the header of one message, after the header of another."""
        one, other = draw.randrange(len(messages)), draw.randrange(len(messages))
        ends = [self.header.scene(messages[index], draw).tree.root.end for index in (one, other)]
        messages[one] = messages[one][: ends[0]] + messages[other][ends[1] :]


_WHOLE: Final[tuple[Callable[[SequenceMutator, list[bytes], Random], None], ...]] = (
    SequenceMutator.insert,
    SequenceMutator.drop,
    SequenceMutator.repeat,
    SequenceMutator.repeat,
    SequenceMutator.swap,
    SequenceMutator.aim,
    SequenceMutator.mislead,
    SequenceMutator.transplant,
)


def _live_xid(messages: list[bytes], draw: Random) -> int:
    """An XID of the sequence, the one after it, or any."""
    known = int.from_bytes(draw.choice(messages)[:_WORD], "big")
    return draw.choice((known, known, known + 1, draw.getrandbits(32))) % 2**32


def _named(message: bytes, xid: int) -> bytes:
    """The message under another XID, wherever it names its own."""
    old, new = message[:_WORD], xid.to_bytes(_WORD, "big")
    if len(old) < _WORD:
        return message
    place = message.find(old, 7 * _WORD)  # after the shortest header
    renamed = new + message[_WORD:]
    if place % _WORD or place < 0:
        return renamed
    return renamed[:place] + new + renamed[place + _WORD :]


def _fitting(messages: list[bytes], maximum: int) -> bytes:
    """The sequence as far as whole messages fit."""
    kept: list[bytes] = []
    room = maximum
    for message in messages[:MOST_MESSAGES]:
        room -= PREFIX + len(message)
        if room < 0:
            break
        kept.append(message)
    return join(kept)
