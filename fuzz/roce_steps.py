"""A sequence of things that happen to a RoCE device, as one run of octets that a fuzzer can mutate.

A step is a record of fixed size, and the octets that it carries.  Any octets are a sequence: what
a field cannot be is taken modulo what it can, and the last record is filled up with zeroes.
"""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag
from typing import Final

import msgspec

__all__ = ["MOST_STEPS", "RoceAct", "RoceStep", "StepFlag", "join_steps", "split_steps"]

MOST_STEPS: Final = 48
"""Steps taken from one input."""

_FIELDS: Final = struct.Struct(">BBBbBBhHHBBBBH")


class RoceAct(IntEnum):
    """What happens."""

    PACKET = 0  # a transport packet comes
    MESSAGE = 1  # a message of connection management comes
    RAW = 2  # a datagram of any octets comes
    POST = 3  # the device's owner posts work
    WAIT = 4  # time passes
    ACCEPT = 5  # the owner takes up the oldest request
    CONNECT = 6  # the owner asks the peer for a connection
    END = 7  # the owner ends something


class StepFlag(IntFlag):
    """What is special about a step."""

    ACK_REQUEST = 1  # of a packet; of ACCEPT: the peer answers by its RTU
    NEW_IDS = 2  # of a message that is repeated: each is of another connection; of ACCEPT: refused
    BROKEN = 4  # the ICRC is wrong
    FOREIGN = 8  # another partition
    SERVICES = 16  # for queue pair 1
    SECOND = 32  # about the second connection, and not about the first one
    HELD = 64  # comes together with the next one


class RoceStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step; which fields count depends on the act.

    Attributes:
        act: what happens.
        source: who sends; an odd number is the stranger.
        code: opcode of a packet, kind of a message or of work, exponent of a time.
        delta: added to the packet sequence number that is expected.
        flags: see `StepFlag`.
        where: which memory of the device, or which ids in a message.
        offset: added to the address of the memory; or syndrome, or immediate data.
        length: octets that a RETH speaks of, or that are to be read or written.
        size: octets of payload, if none are carried.
        repeat: how often the same comes again.
        patch_at, patch: one octet of the datagram is changed by these bits.
        cut: so many octets are missing at its end.
        carried: payload, or for RAW the whole transport packet.
    """

    act: RoceAct
    source: int = 0
    code: int = 0
    delta: int = 0
    flags: int = 0
    where: int = 0
    offset: int = 0
    length: int = 0
    size: int = 0
    repeat: int = 0
    patch_at: int = 0
    patch: int = 0
    cut: int = 0
    carried: bytes = b""


def split_steps(octets: bytes) -> list[RoceStep]:
    """The steps of a sequence."""
    steps: list[RoceStep] = []
    start = 0
    while start < len(octets) and len(steps) < MOST_STEPS:
        record = octets[start : start + _FIELDS.size].ljust(_FIELDS.size, b"\0")
        act, *values, carried = _FIELDS.unpack(record)
        start += _FIELDS.size
        fields = dict(zip(_NAMES, values, strict=True))
        data = octets[start : start + carried]
        steps.append(RoceStep(act=RoceAct(act % len(RoceAct)), carried=data, **fields))
        start += carried
    return steps


def join_steps(steps: list[RoceStep]) -> bytes:
    """The sequence of these steps.

    Raises:
        struct.error: a field has no room.
    """
    return b"".join(
        _FIELDS.pack(step.act, *(getattr(step, name) for name in _NAMES), len(step.carried))
        + step.carried
        for step in steps
    )


_NAMES: Final = (
    "source", "code", "delta", "flags", "where", "offset", "length", "size", "repeat",
    "patch_at", "patch", "cut",
)  # fmt: skip
