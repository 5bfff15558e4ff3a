"""What happens between a client and a server, as one run of octets that a fuzzer can mutate.

The first two octets say what both ends are; then come steps, each a record of fixed size and the
octets that it carries.  Any octets are a sequence: what a field cannot be is taken modulo what it
can, and the last record is filled up with zeroes.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

import msgspec

__all__ = ["HEAD", "MOST_STEPS", "EndAct", "EndStep", "join_end_steps", "split_end_steps"]

HEAD: Final = 2
"""Octets before the steps: the number of what the client is, and that of the server."""

MOST_STEPS: Final = 48
"""Steps taken from one input."""

_FIELDS: Final = struct.Struct(">BBHHIH")


class EndAct(IntEnum):
    """What happens."""

    CALL = 0  # the application makes calls
    TURNS = 1  # both ends work for some moments
    SETTLE = 2  # both ends work until nothing is left to do
    WORD = 3  # one word of a message becomes another on its way
    REPLACE = 4  # a message is replaced by the octets carried, under its XID
    INSERT = 5  # these octets come after a message, under its XID
    CUT = 6  # a message loses its end
    REPEAT = 7  # a message comes twice
    LOSE = 8  # a message does not come
    FAULT = 9  # the network gets a fault, or is healed
    WISH = 10  # the client asks for a property, or changes its own
    HANG_UP = 11  # the client ends the connection
    CANCEL = 12  # the application waits for a call no longer
    RAW = 13  # the application has octets sent as a call
    EDIT = 14  # a message is changed by its structure (`fuzz.structure`), as `value` draws it


class EndStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step; which fields count depends on the act.

    Attributes:
        act: what happens.
        which: of the kind: which call, fault or property; of a message, an odd number is the
            server's, and the rest how many of that end's messages come before it.
        length: octets of what is called for; how often; how many are cut off.
        place: number of a word, or of a call; or how many calls are made.
        value: what becomes of the word, or that of the property.
        carried: the octets of a message.
    """

    act: EndAct
    which: int = 0
    length: int = 0
    place: int = 0
    value: int = 0
    carried: bytes = b""


def split_end_steps(octets: bytes) -> tuple[int, int, list[EndStep]]:
    """What the client and the server are, by number, and the steps."""
    client, server = octets[:HEAD].ljust(HEAD, b"\0")
    steps: list[EndStep] = []
    start = HEAD
    while start < len(octets) and len(steps) < MOST_STEPS:
        record = octets[start : start + _FIELDS.size].ljust(_FIELDS.size, b"\0")
        act, which, length, place, value, carried = _FIELDS.unpack(record)
        start += _FIELDS.size
        step = EndStep(
            act=EndAct(act % len(EndAct)),
            which=which,
            length=length,
            place=place,
            value=value,
            carried=octets[start : start + carried],
        )
        steps.append(step)
        start += carried
    return client, server, steps


def join_end_steps(client: int, server: int, steps: list[EndStep]) -> bytes:
    """The sequence of these steps.

    Raises:
        struct.error: a field has no room.
    """
    records = (
        _FIELDS.pack(
            *(step.act, step.which, step.length, step.place, step.value, len(step.carried))
        )
        + step.carried
        for step in steps
    )
    return bytes((client, server)) + b"".join(records)
