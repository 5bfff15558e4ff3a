"""How a Responder answers: every field and placement that a requirement names is one small method.

    rfc8166 section 3.3.1  RPC-over-RDMA Credits (the grant)
    rfc8166 section 3.4.6  Write Chunks
    rfc8166 section 3.5.3  Long Messages (which form a reply takes)
    rfc8166 section 4.3    Chunk Lists
    rfc8166 section 4.5    Error Handling (how an RDMA_ERROR is formed)

Nothing here has state.  The rules are put together by `rpcrdma.endpoint.responder.plan`.

Hooks (methods that a mutant may override, one each):

    grant                   the credit value of a reply
    error_credit            the credit value of an RDMA_ERROR
    version_range           the range in ERR_VERS
    error_xid               rdma_xid of an RDMA_ERROR
    error_version           rdma_vers of an RDMA_ERROR
    error_body              which code answers which fault
    encode_error            the octets of an RDMA_ERROR (its rdma_proc, for one)
    encode_reply            the octets of a reply's header, and what follows it
    reply_xid               rdma_xid of a reply
    reply_version           rdma_vers of a reply
    reply_reads             the Read list of a reply
    reply_writes            the Write list of a reply
    take_out                the reduced Payload stream
    match                   which result goes into which Write chunk
    is_inline               whether a result stays in the stream (empty Write chunk)
    fill                    how many octets go into each segment
    data_to_write           which octets go into a Write chunk (no roundup)
    write_schedule          from and to where they are written
    returned                a used chunk as the reply returns it
    unused                  an unused or empty Write chunk as the reply returns it
    returned_reply_chunk    the Reply chunk as an RDMA_MSG returns it
    used_reply_chunk        the Reply chunk as an RDMA_NOMSG returns it
    judge_room              never past the end of a chunk
    fits_inline             which size still travels by Send
    reply_chunk_usable      whether an offered Reply chunk takes the payload
    garbage_args            the reply to unparsable arguments
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core import credits as arithmetic
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.faults import Fault, FaultAnswer, FaultFound
from rpcrdma.endpoint.core.placement import fill_lengths, returned_chunk, transfers, unused_chunk
from rpcrdma.ulp.bindings import reduce
from rpcrdma.wire import ErrChunk, ErrVers, chunk_length, rpc
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rpcrdma.endpoint.core.actions import Transfer
    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import ErrorBody, FixedWords, ReadSegment, TransportHeader, WriteChunk

__all__ = ["ReplyRules"]


class ReplyRules:
    """The answers of the reference Responder, in the versions that it serves."""

    def __init__(self, dialects: Iterable[Dialect] = (ONE,)) -> None:
        self.dialects: Mapping[int, Dialect] = {one.number: one for one in dialects}

    def encode(self, header: TransportHeader) -> bytes:
        """The octets of any header, in its own version; errors look alike in all of them."""
        return self.dialects.get(header.rdma_vers, ONE).encode(header, MessageType.REPLY)

    # -- fixed words

    def grant(self, requested: int, posted: int) -> int:
        """The credit value of a reply, from what was requested and the Receives posted."""
        return arithmetic.grant(requested, posted)

    def error_credit(self, words: FixedWords, posted: int) -> int:
        """The credit value of an RDMA_ERROR: the grant, as in a reply (D-16)."""
        return arithmetic.grant(words.credit, posted)

    def reply_xid(self, call: IncomingCall) -> int:
        """rdma_xid of a reply: that of the call."""
        return call.xid

    def reply_version(self, call: IncomingCall) -> int:
        """rdma_vers of a reply: that of the call."""
        return call.words.version

    # -- errors

    def version_range(self) -> tuple[int, int]:
        """The lowest and the highest version that are served."""
        return min(self.dialects), max(self.dialects)

    def error_xid(self, words: FixedWords) -> int:
        """rdma_xid of an RDMA_ERROR: that of the failing request."""
        return words.xid

    def error_version(self, words: FixedWords) -> int:
        """rdma_vers of an RDMA_ERROR: that of the failing request (D-11)."""
        return words.version

    def error_body(self, answer: FaultAnswer) -> ErrorBody:
        """The error that gives this answer."""
        if answer is FaultAnswer.ERR_VERS:
            return ErrVers(*self.version_range())
        return ErrChunk()

    def encode_error(self, header: TransportHeader) -> bytes:
        """The octets of an RDMA_ERROR."""
        return self.encode(header)

    # -- chunks

    def reply_reads(self, _call: IncomingCall) -> tuple[ReadSegment, ...]:
        """The Read list of a reply: always empty (rfc8166 4.3.1)."""
        return ()

    def reply_writes(self, writes: Sequence[WriteChunk]) -> tuple[WriteChunk, ...]:
        """The Write list of a reply: each chunk of the call in its place (rfc8166 4.3.2.2)."""
        return tuple(writes)

    def take_out(self, reply: bytes, items: Sequence[DataItem]) -> bytes:
        """The reply without the items that went into Write chunks, and their padding (3.4.4)."""
        return reduce(reply, items)[0] if items else reply

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        """For each Write chunk the result that belongs into it, or None.

        rfc8166 4.3.2.1 and 4.3.2.2: results take chunks in order; a slot without an item consumes
        no chunk, so the next result takes the chunk that it would have had.
        """
        items = [item for item in slots if item is not None][: len(writes)]
        return (*items, *(None for _ in range(len(writes) - len(items))))

    def is_inline(self, chunk: WriteChunk) -> bool:
        """Whether the chunk's result stays in the stream: if the chunk is empty (4.3.2.3)."""
        return not chunk.target

    def judge_room(self, chunk: WriteChunk, item: DataItem) -> None:
        """The chunk takes the whole item."""
        if chunk_length(chunk) < item.length:
            raise FaultFound(
                Fault.WRITE_CHUNK_TOO_SHORT,
                f"{chunk_length(chunk)} octets for an item of {item.length}",
            )

    def data_to_write(self, reply: bytes, item: DataItem) -> bytes:
        """The octets that go into a Write chunk: the item without roundup (3.4.6.2)."""
        return reply[item.position : item.position + item.length]

    def fill(self, chunk: WriteChunk, length: int) -> tuple[int, ...]:
        """How many octets go into each segment: in array order, each filled before the next."""
        return fill_lengths(chunk, length)

    def write_schedule(self, chunk: WriteChunk, lengths: Sequence[int]) -> tuple[Transfer, ...]:
        """The RDMA Writes that fill the chunk."""
        return transfers(chunk.target, lengths)

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        """A chunk with data as the reply returns it: same segments, lengths as written."""
        return returned_chunk(chunk, lengths)

    def unused(self, chunk: WriteChunk) -> WriteChunk:
        """A Write chunk without data as the reply returns it: same segments, all empty."""
        return unused_chunk(chunk)

    # -- the form of the reply

    def fits_inline(self, length: int, threshold: int) -> bool:
        """Whether header and payload of this length together travel by Send (D-18)."""
        return length <= threshold

    def returned_reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        """The Reply chunk as an RDMA_MSG returns it: copied, without data (D-19)."""
        return None if chunk is None else unused_chunk(chunk)

    def used_reply_chunk(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk | None:
        """The Reply chunk as an RDMA_NOMSG returns it: same segments, lengths as written."""
        return returned_chunk(chunk, lengths)

    def reply_chunk_usable(self, chunk: WriteChunk | None, length: int) -> WriteChunk:
        """The Reply chunk for a payload of this length, if it takes it."""
        if chunk is None or not chunk.target:  # D-34
            raise FaultFound(Fault.REPLY_CHUNK_MISSING, f"the reply has {length} octets")
        if chunk_length(chunk) < length:
            raise FaultFound(
                Fault.REPLY_CHUNK_TOO_SHORT,
                f"{chunk_length(chunk)} octets for a reply of {length}",
            )
        return chunk

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        """The octets of the Send: the header, and the payload of an RDMA_MSG."""
        return self.encode(header) + payload

    def garbage_args(self, xid: int) -> bytes:
        """The RPC reply that says that the arguments could not be decoded."""
        return rpc.encode_message(rpc.accepted(xid, rpc.GarbageArgs()))
