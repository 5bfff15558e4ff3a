"""What came back: every way in which a device can answer one message.

An outcome is read from what the connection delivered and judged by nobody here.  `str()` of each is
the line that a report prints after "actual".

    rfc8166 section 4.5   Error Handling
    v2 section 3.1        Optional Features (messages that are no RPC, and their refusal)
    v2 section 4.2.3      Transport Errors

Headers of Version Two are told by the objects of Version One, with the one that came beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.oracle.header import decode_header, is_two
from rpcrdma import wire
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.wire import v2
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.properties import BASIC
from rpcrdma.wire.rpc import MessageType, message_type_of
from rpcrdma.wire.words import constant_of, in_words

if TYPE_CHECKING:
    from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import PropertyNumbers

__all__ = [
    "Answered",
    "AnsweringOutcome",
    "Called",
    "Disconnected",
    "ErrChunk",
    "ErrVers",
    "InvalidOption",
    "OptionReceived",
    "Outcome",
    "Silent",
    "Undecodable",
    "Unexpected",
    "answered_xid",
    "as_called",
    "read_outcome",
]


class Outcome:
    """Base of what may come back; only its subclasses are ever made."""

    __slots__ = ()


class AnsweringOutcome(Outcome):
    """Base of what says by its XID which message it answers."""

    __slots__ = ()

    @property
    def xid(self) -> int:
        """rdma_xid."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Answered(AnsweringOutcome):
    """A reply: RDMA_MSG with its payload, or RDMA_NOMSG whose payload is in the Reply chunk.

    Attributes:
        header: the decoded transport header.
        payload: octets after the header, as received: reduced if Write chunks were used.
        length: octets of the whole message.
        two: the header as Version Two has it; None in any other version.
    """

    header: TransportHeader
    body: RdmaMsg | RdmaNomsg
    payload: bytes
    length: int
    two: v2.Rdma2Header | None = None

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return self.header.rdma_xid

    @property
    def credits(self) -> int:
        """rdma_credit: what is granted."""
        return self.header.rdma_credit

    @property
    def is_long(self) -> bool:
        """Whether it is a Long Reply (RDMA_NOMSG)."""
        return isinstance(self.body, wire.RdmaNomsg)

    @property
    def direction(self) -> MessageType | None:
        """What the header says, in Version Two."""
        return _direction(self.two)

    @property
    def rpc(self) -> rpc.RpcReply | None:
        """The RPC header of an inline reply; None if there is none that can be decoded."""
        try:
            return rpc.decode_reply(self.payload)[0]
        except DecodeError:
            return None

    def __str__(self) -> str:
        name = "RDMA_NOMSG" if self.is_long else "RDMA_MSG"
        if self.two is not None:
            name = f"{name.replace('_', '2_')} {v2.direction_of(self.two.rdma_body).name}"
        reply = self.rpc
        inline = f", {reply.outcome.value}" if reply else ""
        return (
            f"{name} xid {self.xid:#010x} credits {self.credits}, {len(self.body.rdma_reads)} read"
            f" segments, {len(self.body.rdma_writes)} Write chunks, "
            f"{'a' if self.body.rdma_reply else 'no'} Reply chunk, "
            f"{len(self.payload)} octets inline{inline}"
        )


@dataclass(frozen=True, slots=True)
class Called(Outcome):
    """A Call that came from the device: backward, when it is a server (bidir 2.5).

    Attributes:
        header: the decoded transport header.
        payload: octets after the header.
        length: octets of the whole message.
        two: the header as Version Two has it; None in any other version.
    """

    header: TransportHeader
    body: RdmaMsg | RdmaNomsg
    payload: bytes
    length: int
    two: v2.Rdma2Header | None = None

    @property
    def xid(self) -> int:
        """rdma_xid, of the device's own XIDs."""
        return self.header.rdma_xid

    @property
    def direction(self) -> MessageType | None:
        """What the header says, in Version Two."""
        return _direction(self.two)

    @property
    def rpc(self) -> rpc.RpcCall | None:
        """The RPC header; None if there is none that can be decoded."""
        try:
            return rpc.decode_call(self.payload)[0]
        except DecodeError:
            return None

    def __str__(self) -> str:
        name = constant_of(type(self.body))
        call = self.rpc
        what = f"program {call.program:#x} procedure {call.procedure}" if call else "no RPC Call"
        return (
            f"a backward {name} xid {self.xid:#010x} credits {self.header.rdma_credit},"
            f" {self.length} octets: {what}"
        )


@dataclass(frozen=True, slots=True)
class ErrVers(AnsweringOutcome):
    """RDMA_ERROR with ERR_VERS; `versions` are the lowest and highest that it names."""

    header: TransportHeader
    versions: tuple[int, int]
    length: int
    two: v2.Rdma2Header | None = None

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return self.header.rdma_xid

    def __str__(self) -> str:
        low, high = self.versions
        return (
            f"ERR_VERS xid {self.xid:#010x} version {self.header.rdma_vers}"
            f" credits {self.header.rdma_credit}, range {low}..{high}"
        )


@dataclass(frozen=True, slots=True)
class ErrChunk(AnsweringOutcome):
    """RDMA_ERROR with ERR_CHUNK, or what Version Two has in its place, BAD_HEADER."""

    header: TransportHeader
    length: int
    two: v2.Rdma2Header | None = None

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return self.header.rdma_xid

    def __str__(self) -> str:
        name = "ERR_CHUNK" if self.two is None else "BAD_HEADER"
        return (
            f"{name} xid {self.xid:#010x} version {self.header.rdma_vers}"
            f" credits {self.header.rdma_credit}"
        )


@dataclass(frozen=True, slots=True)
class InvalidOption(AnsweringOutcome):
    """RDMA2_ERROR with INVAL_OPTION: an optional message is refused (v2 3.1)."""

    header: v2.Rdma2Header
    length: int

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return self.header.rdma_xid

    def __str__(self) -> str:
        return f"INVAL_OPTION xid {self.xid:#010x} credits {self.header.rdma_credit}"


@dataclass(frozen=True, slots=True)
class OptionReceived(AnsweringOutcome):
    """RDMA2_OPTIONAL: what the device begins, or what it answers (v2 3.1).

    Attributes:
        header: as Version Two has it.  body: of it.
        option: the operation; None if its optinfo cannot be decoded.
        error: why it cannot.
        payload: octets after the header.
        length: octets of the whole message.
    """

    header: v2.Rdma2Header
    body: v2.Rdma2Optional
    option: Option | None
    error: DecodeError | None
    payload: bytes
    length: int

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return self.header.rdma_xid

    @property
    def credits(self) -> int:
        """rdma_credit."""
        return self.header.rdma_credit

    @property
    def direction(self) -> MessageType:
        """rdma_optdir: CALL of what the device begins, REPLY of what it answers."""
        return self.body.rdma_optdir

    @property
    def operation(self) -> int:
        """rdma_opttype."""
        return self.body.rdma_opttype

    def __str__(self) -> str:
        none = f"optinfo that is none ({self.error})"
        what = none if self.error else in_words(self.option)
        return (
            f"RDMA2_OPTIONAL {self.direction.name} xid {self.xid:#010x} credits {self.credits},"
            f" operation {self.operation}: {what}"
        )


@dataclass(frozen=True, slots=True)
class Unexpected(Outcome):
    """A message that decodes but answers nothing: RDMA_MSGP, RDMA_DONE, or two RDMA_ERRORs in one.

    Attributes:
        why: what is odd about it.
    """

    header: TransportHeader
    why: str

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return self.header.rdma_xid

    def __str__(self) -> str:
        return f"{constant_of(type(self.header.rdma_body))} xid {self.xid:#010x}: {self.why}"


@dataclass(frozen=True, slots=True)
class Undecodable(Outcome):
    """A message without a transport header that can be decoded."""

    octets: bytes
    error: DecodeError

    def __str__(self) -> str:
        return f"{len(self.octets)} octets that are no transport header ({self.error})"


@dataclass(frozen=True, slots=True)
class Silent(Outcome):
    """Nothing came for that many seconds, and the connection stands."""

    seconds: float

    def __str__(self) -> str:
        return f"nothing within {self.seconds:g} s"


@dataclass(frozen=True, slots=True)
class Disconnected(Outcome):
    """The connection ended; `how` names the first failure that this side saw, if any."""

    how: str

    def __str__(self) -> str:
        return f"the connection ended ({self.how})"


def read_outcome(octets: bytes, known: PropertyNumbers = BASIC) -> Outcome:
    """Say what a received message is.  Never raises for what is in it.

    Args:
        octets: of the message.
        known: the transport properties that its sender knows.
    """
    try:
        foreign = _foreign(octets, known) if is_two(octets) else None
        if foreign is not None:
            return foreign
        found = decode_header(octets)
    except DecodeError as error:
        return Undecodable(octets, error)
    header, two, length = found.header, found.two, len(octets)
    match header.rdma_body:
        case wire.RdmaMsg() | wire.RdmaNomsg() as body:
            return Answered(header, body, octets[found.end :], length, two)
        case wire.RdmaError(error=wire.ErrVers(rdma_vers_low=low, rdma_vers_high=high)):
            return ErrVers(header, (low, high), length, two)
        case wire.RdmaError():
            return ErrChunk(header, length, two)
        case wire.RdmaMsgp() | wire.RdmaDone():
            return Unexpected(header, "a procedure that no Responder may send")


def _foreign(octets: bytes, known: PropertyNumbers) -> Outcome | None:
    """What only Version Two has; None for everything else."""
    header, end = v2.decode_header(octets)
    match header.rdma_body:
        case v2.Rdma2Optional() as body:
            error, option = None, None
            try:
                option = decode_option(body, known=known)
            except DecodeError as found:
                error = found
            return OptionReceived(header, body, option, error, octets[end:], len(octets))
        case v2.Rdma2Error(error=v2.ErrInvalidOption()):
            return InvalidOption(header, len(octets))
        case _:
            return None


def _direction(header: v2.Rdma2Header | None) -> MessageType | None:
    return None if header is None else v2.direction_of(header.rdma_body)


def answered_xid(outcome: Outcome) -> int | None:
    """The XID of the message that an outcome answers; None of one that is no answer to any."""
    return outcome.xid if isinstance(outcome, AnsweringOutcome) else None


def as_called(outcome: Outcome) -> Outcome:
    """The outcome as a client sees it that takes backward Calls.

    Version Two's header tells; in Version One the msg_type does (D-41), and an RDMA_NOMSG is a Call
    if it has a Position-Zero Read chunk.
    """
    if not isinstance(outcome, Answered):
        return outcome
    if outcome.two is not None:
        is_call = outcome.direction is MessageType.CALL
    elif outcome.is_long:
        is_call = any(segment.position == 0 for segment in outcome.body.rdma_reads)
    else:
        is_call = message_type_of(outcome.payload) == MessageType.CALL
    if not is_call:
        return outcome
    return Called(outcome.header, outcome.body, outcome.payload, outcome.length, outcome.two)
