"""Inputs for a client as plain data: what it is told to do, and what the tester does about it.

An input is a sequence (`fuzz.sequence`) of turns, each a JSON object.  A turn is one act of the
client's, and what is done about its calls in the order in which they come.  No XID, handle or
length of a real call is in it: the tester takes them from the calls that come, so that the same
input can be run at any client, at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput
from fuzz.live.move import Move  # noqa: TC001  (msgspec: at run time)
from fuzz.sequence import join, split
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "MOST_ANSWERS",
    "MOST_MOVES",
    "WAY",
    "Turn",
    "decode_turn",
    "encode_turn",
    "input_of",
    "turns_of",
]

WAY: Final = "live-client"
"""What a kept finding says that holds such an input (`conformance.explore.finding`)."""

MOST_ANSWERS: Final = 16
"""Calls of one act that have an answer of their own; further ones get their right Replies."""

MOST_MOVES: Final = 8
"""Things that are done about one call."""


class Turn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One act, and what is done about its calls.

    Attributes:
        act: what the client is told to do.
        length, count, offset: of that (`targets.base.Act`).
        answers: what is done about each of its calls, in the order in which they come; nothing:
            the right Reply, alone.
    """

    act: ActKind = ActKind.SMALL
    length: int = 0
    count: int = 1
    offset: int = 0
    answers: tuple[tuple[Move, ...], ...] = ()

    def __str__(self) -> str:
        numbers = [
            f"{name} {value}"
            for name, value, plain in (
                ("length", self.length, 0),
                ("count", self.count, 1),
                ("offset", self.offset, 0),
            )
            if value != plain
        ]
        answers = [
            f"call {number}: {', '.join(map(str, moves))}"
            for number, moves in enumerate(self.answers, start=1)
            if moves
        ]
        return "; ".join([" ".join([self.act.value, *numbers]), *answers])


def encode_turn(turn: Turn) -> bytes:
    """A turn as a message of a sequence."""
    return msgspec.json.encode(turn)


def decode_turn(message: bytes) -> Turn:
    """The turn that a message is; an empty one is the plainest turn.

    Raises:
        BadInput: it is none.
    """
    if not message:
        return Turn()
    try:
        return msgspec.json.decode(message, type=Turn)
    except msgspec.DecodeError as error:
        raise BadInput(
            f"this is no turn of a client: {error}; give a file that `rpcrdma fuzz --live` of a"
            " client has kept"
        ) from error


def turns_of(octets: bytes) -> list[Turn]:
    """The turns of an input.

    Raises:
        BadInput: it has something else.
    """
    return [decode_turn(message) for message in split(octets)]


def input_of(turns: Iterable[Turn]) -> bytes:
    """The input of these turns."""
    return join([encode_turn(turn) for turn in turns])
