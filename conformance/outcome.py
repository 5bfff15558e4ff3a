"""What came back: every way in which a device can answer one message.

An outcome is read from what the connection delivered and judged by nobody here.  `str()` of each is
the line that a report prints behind "actual".

    rfc8166 section 4.5  Error Handling
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma import wire
from rpcrdma.endpoint.direction import message_type_of
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader

__all__ = [
    "Answered",
    "Called",
    "Disconnected",
    "ErrChunk",
    "ErrVers",
    "Outcome",
    "Silent",
    "Undecodable",
    "Unexpected",
    "as_called",
    "read_outcome",
]


class Outcome:
    """Base of what may come back; only its subclasses are ever made."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Answered(Outcome):
    """A reply: RDMA_MSG with its payload, or RDMA_NOMSG whose payload is in the Reply chunk.

    Attributes:
        header: the decoded transport header.
        payload: octets behind the header, as received: reduced if Write chunks were used.
        length: octets of the whole message.
    """

    header: TransportHeader
    body: RdmaMsg | RdmaNomsg
    payload: bytes
    length: int

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
    def rpc(self) -> rpc.Reply | None:
        """The RPC header of an inline reply; None if there is none that can be decoded."""
        try:
            return rpc.decode_reply(self.payload)[0]
        except DecodeError:
            return None

    def __str__(self) -> str:
        name = "RDMA_NOMSG" if self.is_long else "RDMA_MSG"
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
        payload: octets behind the header.
        length: octets of the whole message.
    """

    header: TransportHeader
    body: RdmaMsg | RdmaNomsg
    payload: bytes
    length: int

    @property
    def xid(self) -> int:
        """rdma_xid, of the device's own XIDs."""
        return self.header.rdma_xid

    @property
    def rpc(self) -> rpc.Call | None:
        """The RPC header; None if there is none that can be decoded."""
        try:
            return rpc.decode_call(self.payload)[0]
        except DecodeError:
            return None

    def __str__(self) -> str:
        name = type(self.body).__name__
        call = self.rpc
        what = f"program {call.program:#x} procedure {call.procedure}" if call else "no RPC Call"
        return (
            f"a backward {name} xid {self.xid:#010x} credits {self.header.rdma_credit},"
            f" {self.length} octets: {what}"
        )


@dataclass(frozen=True, slots=True)
class ErrVers(Outcome):
    """RDMA_ERROR with ERR_VERS; `versions` are the lowest and highest that it names."""

    header: TransportHeader
    versions: tuple[int, int]
    length: int

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
class ErrChunk(Outcome):
    """RDMA_ERROR with ERR_CHUNK."""

    header: TransportHeader
    length: int

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return self.header.rdma_xid

    def __str__(self) -> str:
        return (
            f"ERR_CHUNK xid {self.xid:#010x} version {self.header.rdma_vers}"
            f" credits {self.header.rdma_credit}"
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
        return f"{type(self.header.rdma_body).__name__} xid {self.xid:#010x}: {self.why}"


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


def read_outcome(octets: bytes) -> Outcome:
    """Say what a received message is.  Never raises for what is in it."""
    try:
        header, end = wire.decode_header(octets)
    except DecodeError as error:
        return Undecodable(octets, error)
    match header.rdma_body:
        case wire.RdmaMsg() | wire.RdmaNomsg() as body:
            return Answered(header, body, octets[end:], len(octets))
        case wire.RdmaError(error=wire.ErrVers(rdma_vers_low=low, rdma_vers_high=high)):
            return ErrVers(header, (low, high), len(octets))
        case wire.RdmaError():
            return ErrChunk(header, len(octets))
        case wire.RdmaMsgp() | wire.RdmaDone():
            return Unexpected(header, "a procedure that no Responder may send")


def as_called(outcome: Outcome) -> Outcome:
    """The outcome as a client sees it that takes backward Calls: told by the msg_type (D-41).

    An RDMA_NOMSG is a Call if it has a Position-Zero Read chunk.
    """
    if not isinstance(outcome, Answered):
        return outcome
    if outcome.is_long:
        is_call = any(segment.position == 0 for segment in outcome.body.rdma_reads)
    else:
        is_call = message_type_of(outcome.payload) == MessageType.CALL
    if not is_call:
        return outcome
    return Called(outcome.header, outcome.body, outcome.payload, outcome.length)
