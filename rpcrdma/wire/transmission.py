"""Transmissions: the Sends of one direction that together carry one message.

    rtrext section 4.2  Message Continuation Changes (transmission groups)
    rtrext section 4.3  Message Continuation and Credits
    rtrext section 9    New Operations (counts, numbers, lengths; what is wrong with them)

Between a connection, which carries Sends, and whoever deals with messages.  The transport header
that counts is that of the first Send; the Payload stream goes on in those after it.  Each Send uses
up one Receive and so takes one credit, whatever it carries: who counts either asks here.

Theory of operation.  `Assembler` looks at each Send that arrives.  One that begins a group of
several is kept until the last of its continuations is here; whatever else comes is a message by
itself.  What cannot go on with the group that is under way breaks it: the group is lost, its sender
is to hear of it (`BrokenGroup`), and the Send that broke it is a message if it is one by itself
(D-119).  Which operations begin groups is for whoever assembles to say: an end that does not
support them takes each Send for a message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadOptionalType,
    BadPayloadLength,
    BadSequence,
    BadXid,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.operations import ROPT_XMTCONT, XmtCont, XmtReq, XmtResp
from rpcrdma.xdr.runtime import word_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire._generated_rtrext import ErrorInformation
    from rpcrdma.wire.operations import KnownOption, OptionalOperation
    from rpcrdma.wire.rpc import MessageType

__all__ = [
    "MOST_IN_GROUP",
    "Arrived",
    "Assembler",
    "BrokenGroup",
    "Transmission",
    "payload_length",
]

MOST_IN_GROUP: Final = 16
"""Transmissions of a group that an end takes unless it says otherwise."""

_VERSION: Final = slice(4, 8)
_PROCEDURE: Final = slice(12, 16)
_OPTTYPE: Final = 20
_WORD: Final = 4
_TWO: Final = v2.VERSION.to_bytes(4)
_OPTIONAL: Final = v2.Rdma2Procedure.RDMA2_OPTIONAL
_OPTIONAL_WORD: Final = _OPTIONAL.to_bytes(_WORD)


class Transmission(msgspec.Struct, frozen=True):
    """One message, however many Sends it came by.

    Attributes:
        parts: the Sends as they were received, in their order.
        octets: the transport header of the first and the Payload stream of all of them, as if one
            Send had carried the whole.
        ends: of header and Payload stream in each part, in octets; what follows is bulk data.
    """

    parts: tuple[bytes, ...]
    octets: bytes
    ends: tuple[int, ...]

    @staticmethod
    def of_one(send: bytes) -> Transmission:
        """A message that is one Send, without bulk data."""
        return Transmission((send,), send, (len(send),))

    @property
    def sends(self) -> int:
        """How many Receives it used up, and how many credits it takes."""
        return len(self.parts)


class BrokenGroup(msgspec.Struct, frozen=True):
    """A group that will never be a message.

    Attributes:
        lost: its Sends, which used up a Receive each; with the one that broke it, unless that is a
            message by itself.
        report: what its sender is to be told.
    """

    lost: tuple[bytes, ...]
    report: ReptErr


Arrived: TypeAlias = Transmission | BrokenGroup
"""What becomes of Sends."""


class Assembler:
    """Makes messages of the Sends that arrive on one connection.

    Args:
        operations: which are supported here, by code; of all others each Send is a message.
        longest: transmissions of a group that are taken at most (rtrext 8.4).  The first one of a
            group that is longer is a message by itself, which whoever deals with it refuses: no
            code of REPTERR is for it (D-106).
    """

    def __init__(
        self, operations: Mapping[int, OptionalOperation], longest: int = MOST_IN_GROUP
    ) -> None:
        self._operations = operations
        self._longest = longest
        self._group: _Group | None = None

    @property
    def unfinished(self) -> int:
        """Sends that are kept of a group whose last is not here."""
        return 0 if self._group is None else len(self._group.parts)

    def is_whole(self, send: bytes) -> bool:
        """Whether a Send's fixed words say that it is a message by itself, and breaks no group.

        Nearly all are, and these need no `take`.
        """
        if self._group is not None:
            return False
        return send[_PROCEDURE] != _OPTIONAL_WORD or send[_VERSION] != _TWO

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        """A Send has arrived; returns what is complete or broken by it, nothing if more follow."""
        if self.is_whole(send):
            return (Transmission.of_one(send),)
        part = self._part(send)
        if part is not None and isinstance(part.contents, XmtCont):
            return self._continued(part, part.contents)
        broken = self._broken_by(send)
        if part is None:
            return (*broken, Transmission.of_one(send))
        return (*broken, *self._begun(part))

    def _part(self, send: bytes) -> _Part | None:
        """The Send as part of a group; None if it is a message by itself."""
        if send[_VERSION] != _TWO:
            return None
        try:
            header, end = v2.decode_header(send)
            body = header.rdma_body
            if not isinstance(body, v2.Rdma2Optional):
                return None
            operation = self._operations.get(body.rdma_opttype)
            if operation is None or not operation.has_payload:
                return None
            contents, used = operation.decode(body.rdma_optinfo)
        except DecodeError:
            return None
        if used != len(body.rdma_optinfo):
            return None
        way, length = body.rdma_optdir, payload_length(contents)
        return _Part(send, header.rdma_xid, way, contents, end, length, operation.sends(contents))

    def _begun(self, part: _Part) -> tuple[Arrived, ...]:
        """A group begins."""
        if part.count > self._longest:
            return (Transmission.of_one(part.send),)
        group = _Group(part)
        if part.fault is not None:
            return self._lost(group, part.fault)
        if group.count > 1:
            self._group = group
            return ()
        return (group.transmission(),)

    def _continued(self, part: _Part, contents: XmtCont) -> tuple[Arrived, ...]:
        """A continuation came, which may be that of the group."""
        group = self._group
        bad = TransmissionId(part.xid, part.way, contents.optxc_xnum)
        if group is None:
            return (BrokenGroup((part.send,), ReptErr(bad, None, BadContinuation())),)
        expected = group.next
        group.parts.append(part)
        fault: ErrorInformation | None = part.fault
        if (bad.xmsi_xid, bad.xmsi_dir) != (expected.xmsi_xid, expected.xmsi_dir):
            fault = BadXid(expected.xmsi_xid, bad.xmsi_xid)
        elif bad.xmsi_seq != expected.xmsi_seq:
            fault = BadSequence(expected.xmsi_seq, bad.xmsi_seq)
        if fault is not None:
            return self._lost(group, fault, bad)
        if len(group.parts) < group.count:
            return ()
        self._group = None
        return (group.transmission(),)

    def _broken_by(self, send: bytes) -> tuple[BrokenGroup, ...]:
        """What came is no continuation: the group, if there is one, is lost."""
        group = self._group
        if group is None:
            return ()
        fault: ErrorInformation = BadHeaderType(_OPTIONAL, _word(send, _PROCEDURE.start))
        if send[_VERSION] == _TWO and send[_PROCEDURE] == _OPTIONAL_WORD:
            fault = BadOptionalType(ROPT_XMTCONT, _word(send, _OPTTYPE))
        return self._lost(group, fault, group.next)

    def _lost(
        self, group: _Group, fault: ErrorInformation, bad: TransmissionId | None = None
    ) -> tuple[BrokenGroup, ...]:
        """The group is lost, by a transmission after its first unless that itself is `bad`."""
        self._group = None
        lost = tuple(part.send for part in group.parts)
        first = group.number(0)
        lead = None if bad is None else first
        return (BrokenGroup(lost, ReptErr(bad or first, lead, fault)),)


@dataclass(frozen=True, slots=True)
class _Part:
    """A Send that is part of a group.

    Attributes:
        send: its octets.  xid: of its header.  way: rdma_optdir.
        contents: of the operation.
        end: of the header.
        length: octets of the Payload stream that follow it.
        count: Sends of the group that it begins.
    """

    send: bytes
    xid: int
    way: MessageType
    contents: KnownOption
    end: int
    length: int
    count: int

    @property
    def payload(self) -> bytes:
        """What it has of the Payload stream."""
        return self.send[self.end : self.end + self.length]

    @property
    def fault(self) -> BadPayloadLength | None:
        """Whether it says to have more of the Payload stream than it has octets (D-99)."""
        most = len(self.send) - self.end
        return BadPayloadLength(self.length, 0, most) if self.length > most else None


class _Group:
    """The group that is under way."""

    def __init__(self, first: _Part) -> None:
        self.parts = [first]

    def number(self, number: int) -> TransmissionId:
        """The transmission of that number in it (D-98)."""
        return TransmissionId(self.parts[0].xid, self.parts[0].way, number)

    @property
    def count(self) -> int:
        """How many transmissions there are to be."""
        return self.parts[0].count

    @property
    def next(self) -> TransmissionId:
        """The transmission that is to come."""
        return self.number(len(self.parts))

    def transmission(self) -> Transmission:
        """What they are together."""
        first = self.parts[0]
        payload = b"".join(part.payload for part in self.parts)
        sends = tuple(part.send for part in self.parts)
        ends = tuple(part.end + part.length for part in self.parts)
        return Transmission(sends, first.send[: first.end] + payload, ends)


def payload_length(contents: KnownOption) -> int:
    """Octets of the Payload stream in the Send that has these contents; 0 if there are none."""
    match contents:
        case XmtReq(optxrq_pslen=length) | XmtResp(optxrs_pslen=length):
            return length
        case XmtCont(optxc_pslen=length):
            return length
        case _:
            return 0


def _word(send: bytes, offset: int) -> int:
    """A word of the header; 0 if the Send ends before it."""
    return word_at(send, offset) if len(send) >= offset + _WORD else 0
