"""How a Responder judges a Call: every check that a requirement names is one small method.

    rfc8166 section 3.4.5  Read Chunks
    rfc8166 section 3.5.3  Long Messages
    rfc8166 section 4.2    Fixed Header Fields
    rfc8166 section 4.5    Error Handling
    rfc8166 section 6.1    DDP-Eligibility

`CallRules` finds faults and raises `FaultFound`; which answer a fault gets is the business of
`rpcrdma.endpoint.core.faults`, and giving it the Responder's.  Nothing here has state.

Hooks (methods that a mutant may override, one each):

    is_runt                 what is shorter than a header
    supports_version        which rdma_vers is ours
    decode                  strictness of the header decoder (booleans, procedures, truncation)
    judge_long_call         RDMA_NOMSG needs a list, and a Position-Zero Read chunk
    group                   segments to Read chunks, in list order
    judge_positions         zero, unaligned, repeated Positions
    judge_reach             Positions beyond the stream
    judge_size              absurd lengths, before memory is taken
    pull_order              the order in which segments are read and joined
    assemble                where the octets go in the unreduced stream
    judge_xid               both XIDs are the same
    judge_message_type      the payload is a Call
    judge_eligibility       only DDP-eligible arguments may be reduced
    judge_chunk_length      a Read chunk is as long as its item, with or without roundup
    judge_placed            what Sends place is one argument
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import FixedWords, RdmaMsg, RdmaNomsg, group_by_position
from rpcrdma.wire.rpc import MessageType, xid_of
from rpcrdma.xdr.runtime import Reader, word_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.responder.group_rules import IncomingGroup, PlacedItem
    from rpcrdma.ulp.bindings import DataItem, UpperLayer
    from rpcrdma.wire import ReadChunk, ReadSegment, TransportHeader, WriteChunk

__all__ = ["MINIMUM_HEADER", "CallRules", "IncomingCall"]

MINIMUM_HEADER: Final = 28
"""Octets of the shortest header: four fixed words and three absent lists (rfc8166 4.5)."""

_RPC_FIXED: Final = 8
"""Octets of XID and message type, with which every RPC message begins."""


@dataclass(frozen=True, slots=True)
class IncomingCall:
    """A Call whose header is good.

    Attributes:
        words: the fixed words of its header.
        inline: the Payload stream that came with the Send; empty in a Long Call.
        chunks: Read chunks, Position zero first if there is one.
        writes: the Write list.
        reply: the Reply chunk.
        group: what a transmission group says besides.
    """

    words: FixedWords
    inline: bytes
    chunks: tuple[ReadChunk, ...]
    writes: tuple[WriteChunk, ...]
    reply: WriteChunk | None
    group: IncomingGroup | None = None

    @property
    def placed(self) -> tuple[PlacedItem, ...]:
        """Items that its Sends hold apart from the Payload stream."""
        return () if self.group is None else self.group.placed

    @property
    def xid(self) -> int:
        """Of the transport header."""
        return self.words.xid

    @property
    def handles(self) -> tuple[int, ...]:
        """Of the memory that it offers, with repetitions: Write list, Read list, Reply chunk."""
        chunks = (*self.writes, *self.chunks, *(() if self.reply is None else (self.reply,)))
        return tuple(segment.handle for chunk in chunks for segment in chunk.target)

    @property
    def likeness(self) -> bytes:
        """What is the same whenever the Call is sent: its inline octets, its Read chunks' lengths.

        Handles and offsets are not: they belong to the connection.
        """
        chunks = (f" {chunk.position}:{chunk.length}" for chunk in self.chunks)
        return self.inline + "".join(chunks).encode()


class CallRules:
    """The checks of the reference Responder, in the versions that it serves."""

    def __init__(self, dialects: Iterable[Dialect] = (ONE,)) -> None:
        self.dialects: Mapping[int, Dialect] = {one.number: one for one in dialects}

    def is_runt(self, message: bytes) -> bool:
        """Whether nothing in the message may be looked at, not even its XID."""
        return len(message) < MINIMUM_HEADER

    def supports_version(self, version: int) -> bool:
        """Whether this is a version of RPC-over-RDMA that is served."""
        return version in self.dialects

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        """The header, and the offset of what follows it."""
        try:
            return self.dialects.get(word_at(message, 4), ONE).decode(message)
        except DecodeError as error:
            raise FaultFound(Fault.UNDECODABLE_HEADER, str(error)) from error

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        """Judge an RDMA_MSG; `limit` is the longest unreduced call that is served, in octets."""
        if any(segment.position == 0 for segment in body.rdma_reads):
            raise FaultFound(Fault.POSITION_ZERO_IN_MSG)
        return self._take(words, body, payload, limit)

    def take_long(self, words: FixedWords, body: RdmaNomsg, limit: int) -> IncomingCall:
        """Judge an RDMA_NOMSG; octets after its header are nothing (D-32)."""
        self.judge_long_call(body)
        return self._take(words, body, b"", limit)

    def take_group(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int, group: IncomingGroup
    ) -> IncomingCall:
        """Judge a call that came as a transmission group, whose items have been judged."""
        if payload and any(segment.position == 0 for segment in body.rdma_reads):
            raise FaultFound(Fault.POSITION_ZERO_IN_MSG)
        return self._take(words, body, payload, limit, group)

    def _take(
        self,
        words: FixedWords,
        body: RdmaMsg | RdmaNomsg,
        payload: bytes,
        limit: int,
        group: IncomingGroup | None = None,
    ) -> IncomingCall:
        chunks: tuple[ReadChunk, ...] = ()
        if body.rdma_reads:
            self.judge_positions(body.rdma_reads)
            chunks = self.group(body.rdma_reads)
            self.judge_size(chunks, len(payload), limit)
            if group is None:
                self.judge_reach(chunks, len(payload))
        return IncomingCall(words, payload, chunks, body.rdma_writes, body.rdma_reply, group)

    def judge_long_call(self, body: RdmaNomsg) -> None:
        """An RDMA_NOMSG has lists, and a Position-Zero Read chunk among them."""
        if not (body.rdma_reads or body.rdma_writes or body.rdma_reply is not None):
            raise FaultFound(Fault.NOMSG_WITHOUT_LISTS)
        zero = [segment for segment in body.rdma_reads if segment.position == 0]
        if not zero:
            raise FaultFound(Fault.NOMSG_WITHOUT_CALL)
        if not any(segment.target.length for segment in zero):
            raise FaultFound(Fault.EMPTY_LONG_CALL)

    def group(self, reads: tuple[ReadSegment, ...]) -> tuple[ReadChunk, ...]:
        """The Read chunks by ascending Position: descending lists are served, too (D-23)."""
        return tuple(sorted(group_by_position(reads), key=lambda chunk: chunk.position))

    def judge_positions(self, reads: tuple[ReadSegment, ...]) -> None:
        """Every Position is a multiple of four, and its segments stand together."""
        seen: set[int] = set()
        last = None
        for segment in reads:
            position = segment.position
            if position % 4:
                raise FaultFound(Fault.POSITION_UNALIGNED, f"Position {position}")
            if position != last and position in seen:
                raise FaultFound(Fault.POSITION_REPEATED, f"Position {position}")
            seen.add(position)
            last = position

    def judge_reach(self, chunks: tuple[ReadChunk, ...], inline: int) -> None:
        """Every Position is within the stream that is there when its turn comes."""
        reach = inline
        for chunk in chunks:
            if chunk.position > reach:
                raise FaultFound(
                    Fault.POSITION_BEYOND_STREAM, f"Position {chunk.position} of {reach} octets"
                )
            reach += chunk.length + -chunk.length % 4

    def judge_size(self, chunks: tuple[ReadChunk, ...], inline: int, limit: int) -> None:
        """The unreduced call is no longer than what is served."""
        total = inline + sum(chunk.length for chunk in chunks)
        if total > limit:
            raise FaultFound(Fault.READ_TOO_LONG, f"{total} octets, at most {limit} are taken")

    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        """The segments of a chunk in the order of reading and joining: that of the list."""
        return chunk

    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        """The unreduced call, from what was pulled for each of `call.chunks`."""
        base = call.inline
        pairs = [(chunk.position, data) for chunk, data in zip(call.chunks, pulled, strict=True)]
        if pairs and pairs[0][0] == 0:
            base = pairs.pop(0)[1]
        if call.placed:
            pairs = sorted(pairs + [(item.position, item.data) for item in call.placed])
        return restore(base, pairs)

    def judge_xid(self, xid: int, payload: bytes) -> None:
        """The payload begins with the XID of the header."""
        if len(payload) < _RPC_FIXED:
            raise FaultFound(Fault.NOT_A_CALL, f"{len(payload)} octets")
        if xid_of(payload) != xid:
            raise FaultFound(Fault.XID_MISMATCH, f"{xid_of(payload):#x} in {xid:#x}")

    def judge_message_type(self, payload: bytes) -> None:
        """The payload is a Call."""
        if len(payload) < _RPC_FIXED or Reader(payload, 4).word() != MessageType.CALL:
            raise FaultFound(Fault.NOT_A_CALL, "no Call")

    def judge_arguments(self, call: IncomingCall, payload: bytes, upper_layer: UpperLayer) -> None:
        """Each Read chunk is one DDP-eligible argument."""
        reduced = [chunk for chunk in call.chunks if chunk.position]
        if not reduced and not call.placed:
            return
        try:
            items = {item.position: item for item in upper_layer.arguments(payload)}
        except DecodeError as error:
            raise FaultFound(Fault.UNDECODABLE_ARGUMENTS, str(error)) from error
        for chunk in reduced:
            item = items.get(chunk.position)
            if item is None:
                self.judge_eligibility(chunk)
            else:
                self.judge_chunk_length(chunk, item)
        for placed in call.placed:
            self.judge_placed(placed, items.get(placed.position))

    def judge_placed(self, placed: PlacedItem, item: DataItem | None) -> None:
        """What Sends hold apart is one DDP-eligible argument, without its padding (D-103)."""
        if item is None:
            raise FaultFound(Fault.INELIGIBLE_ARGUMENT, f"displacement {placed.position}")
        if len(placed.data) != item.length:
            why = f"{len(placed.data)} octets for an item of {item.length}"
            raise FaultFound(Fault.READ_CHUNK_LENGTH, why)

    def judge_eligibility(self, chunk: ReadChunk) -> None:
        """No argument that may be reduced is at the chunk's Position."""
        raise FaultFound(Fault.INELIGIBLE_ARGUMENT, f"Position {chunk.position}")

    def judge_chunk_length(self, chunk: ReadChunk, item: DataItem) -> None:
        """The chunk is as long as the item, with or without its roundup (D-24)."""
        if chunk.length not in (item.length, item.length + item.padding):
            raise FaultFound(
                Fault.READ_CHUNK_LENGTH, f"{chunk.length} octets for an item of {item.length}"
            )
