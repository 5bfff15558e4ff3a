"""What a client sent: one message, as it came and as it was meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.oracle.header import VERSION_ONE, VERSION_TWO, is_two
from conformance.oracle.marks import seen_message
from conformance.oracle.verdict import SeenMessage
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg, RdmaNomsg

if TYPE_CHECKING:
    from conformance.oracle.requester.request_group import RequestGroup
    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.server.served import CallVerdict
    from rpcrdma.wire import AnyHeader, ReadSegment, TransportHeader, WriteChunk

__all__ = ["ReceivedCall", "offers_memory", "offers_room"]


@dataclass(slots=True, eq=False)
class ReceivedCall:
    """One message of the client's, usually a call.

    Attributes:
        line: number of its connection in this case, from 1.
        order: of its arrival in this case, from 0.
        octets: as received.
        header: decoded, in Version One's objects; None if that failed.
        payload: what follows the header in the Send.
        unreduced: the complete call, Read chunks fetched; None if it could not be made.
        in_flight: XIDs of the calls of this connection that were unanswered when it arrived, itself
            not included.
        granted: what the latest reply on this connection had granted then; None before the first.
        problem: why there is no header, or no unreduced call; empty if there is.
        raw: the header as it came, of either version; None if it cannot be decoded.
        sends: that it came by (`rpcrdma.wire.transmission`).
        group: what it says as a transmission group; None if it is none.
        answered: whether a message was sent that ends the call.
        broken: the rules that it breaks, by the oracle.
        verdicts: what verifications of the case have made of it.
    """

    line: int
    order: int
    octets: bytes
    header: TransportHeader | None
    payload: bytes
    unreduced: bytes | None
    in_flight: tuple[int, ...] = ()
    granted: int | None = None
    problem: str = ""
    raw: AnyHeader | None = None
    sends: int = 1
    group: RequestGroup | None = None
    answered: bool = field(default=False)
    broken: tuple[BrokenRule, ...] = ()
    verdicts: list[CallVerdict] = field(default_factory=list)

    @property
    def xid(self) -> int:
        """rdma_xid, or what stands in its place; 0 if the message is too short to have one."""
        return int.from_bytes(self.octets[:4], "big") if len(self.octets) >= 4 else 0

    @property
    def seen(self) -> SeenMessage | None:
        """By what it is found in a trace, which has the Sends of a group one by one."""
        return seen_message(self.octets) if self.sends == 1 else SeenMessage(self.xid, 0)

    @property
    def version(self) -> int:
        """In whose layout it came: Two if rdma_vers says so, else One."""
        return VERSION_TWO if is_two(self.octets) else VERSION_ONE

    @property
    def body(self) -> RdmaMsg | RdmaNomsg | None:
        """The lists of an RDMA_MSG or RDMA_NOMSG; None for anything else."""
        body = None if self.header is None else self.header.rdma_body
        return body if isinstance(body, RdmaMsg | RdmaNomsg) else None

    @property
    def reads(self) -> tuple[ReadSegment, ...]:
        """The Read list."""
        return () if self.body is None else self.body.rdma_reads

    @property
    def writes(self) -> tuple[WriteChunk, ...]:
        """The Write list."""
        return () if self.body is None else self.body.rdma_writes

    @property
    def reply_chunk(self) -> WriteChunk | None:
        """The Reply chunk."""
        return None if self.body is None else self.body.rdma_reply

    @property
    def is_long(self) -> bool:
        """Whether it is a Long Call (rfc8166 3.5.3)."""
        return isinstance(self.body, RdmaNomsg)

    @property
    def credits(self) -> int:
        """rdma_credit: what is requested; 0 if there is no header."""
        return 0 if self.header is None else self.header.rdma_credit

    @property
    def rpc(self) -> rpc.RpcCall | None:
        """The RPC call header; None if there is none that can be decoded."""
        if self.unreduced is None:
            return None
        try:
            return rpc.decode_call(self.unreduced)[0]
        except DecodeError:
            return None

    def __str__(self) -> str:
        where = f"message {self.order + 1}, on connection {self.line}"
        if self.body is None:
            return f"{where}: {len(self.octets)} octets that are no call ({self.problem})"
        called = self.rpc
        what = f"procedure {called.procedure} of program {called.program}" if called else "no RPC"
        chunks = (
            f"{len(self.reads)} read segments, {len(self.writes)} Write chunks,"
            f" {'a' if self.reply_chunk else 'no'} Reply chunk"
        )
        form = "RDMA_NOMSG" if self.is_long else "RDMA_MSG"
        if self.group is not None:
            form = f"XMTREQ in {self.sends} transmissions"
        return f"{where}: {form} xid {self.xid:#010x} credits {self.credits}, {chunks}, {what}"


def offers_room(call: ReceivedCall) -> bool:
    """Whether a call has memory for its results."""
    return bool(call.reply_chunk or any(chunk.target for chunk in call.writes))


def offers_memory(call: ReceivedCall) -> bool:
    """Whether a call has memory, of whatever kind."""
    return bool(call.reads) or offers_room(call)
