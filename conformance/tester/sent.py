"""What the tester sends, as data: a call to be made, a finished Call, any other message.

Builders make these (`conformance.tester.client.build`), mutations change them
(`conformance.tester.client.mutate`), and a `Peer` sends them.

    rfc8166 section 3.5  Message Size
    rfc8166 section 4.3  Chunk Lists
    v2 section 3.1       Optional Features
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import RdmaMsg, RdmaNomsg

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.outcome import Answered
    from conformance.tester.memory import ExposedChunk
    from rpcrdma.ulp.bindings import DataItem, UpperLayer
    from rpcrdma.wire import TransportHeader, WriteChunk

__all__ = ["REQUESTED_CREDITS", "Call", "Message", "Mutation", "Request"]

REQUESTED_CREDITS: Final = 8
"""rdma_credit of messages that do not care."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One applied change.

    Attributes:
        what: the place, `rdma_vers (octet 4)`.
        was: what stood there.  became: what stands there now.
    """

    what: str
    was: str
    became: str

    def __str__(self) -> str:
        return f"{self.what} {self.became} instead of {self.was}"


def _never(_reply: bytes) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Request:
    """A call to be made.

    Attributes:
        title: for people, `FETCH of 4096 octets`.
        encode: XID -> complete, unreduced call payload.
        check: call and unreduced reply payload -> what is wrong with the results, or nothing.
        layer: the Upper-Layer Binding.
        fails: unreduced payload of a successful reply -> whether the program itself says there, in
            results that can be decoded, that it did not do what was asked.
    """

    title: str
    encode: Callable[[int], bytes]
    check: Callable[[bytes, bytes], str]
    layer: UpperLayer
    fails: Callable[[bytes], bool] = _never


@dataclass(frozen=True, slots=True)
class Call:
    """A call in the form in which it goes out, with the memory that its header tells of.

    Attributes:
        xid: of the transport header and (unless mutated) of the payload.
        request: what is called.
        header: the good transport header; mutations do not change it.
        payload: what follows the header: the reduced Payload stream, or nothing for a Long Call.
        octets: what is sent.
        unreduced: the complete call payload.
        read_chunks: memory of the Read chunks, by Position; the Position-Zero one first.
        write_chunks: memory of the Write chunks.  reply_chunk: memory of the Reply chunk.
        mutations: what was changed in the octets, in order.
    """

    xid: int
    request: Request
    header: TransportHeader
    payload: bytes
    octets: bytes
    unreduced: bytes
    read_chunks: tuple[ExposedChunk, ...] = ()
    write_chunks: tuple[ExposedChunk, ...] = ()
    reply_chunk: ExposedChunk | None = None
    mutations: tuple[Mutation, ...] = ()

    @property
    def version(self) -> int:
        """rdma_vers as sent; 0 if the message is too short to have one."""
        return int.from_bytes(self.octets[4:8], "big")

    @property
    def sends(self) -> tuple[bytes]:
        """What is sent: a Call of this kind takes one Send."""
        return (self.octets,)

    @property
    def title(self) -> str:
        """What is called, for people."""
        return self.request.title

    @property
    def body(self) -> RdmaMsg | RdmaNomsg:
        """The good header's lists."""
        body = self.header.rdma_body
        if not isinstance(body, RdmaMsg | RdmaNomsg):
            raise TypeError("a call is built with RDMA_MSG or RDMA_NOMSG")
        return body

    def __str__(self) -> str:
        changes = f" with {', '.join(map(str, self.mutations))}" if self.mutations else ""
        return f"{self.request.title}, xid {self.xid:#010x}, {len(self.octets)} octets{changes}"

    def reply_payload(self, answer: Answered) -> bytes:
        """The reply's payload with everything in its place, out of Send, Write and Reply chunks.

        Raises:
            DecodeError: the reply is not valid.
        """
        payload = answer.payload
        if answer.is_long and answer.body.rdma_reply and self.reply_chunk:
            payload = self.reply_chunk.contents(answer.body.rdma_reply.target)
        used = {
            slot: chunk.contents(back.target)
            for slot, (chunk, back) in enumerate(
                zip(self.write_chunks, answer.body.rdma_writes, strict=False)
            )
            if any(segment.length for segment in back.target)
        }
        items = self._items(payload, frozenset(used))
        placed = [(item.position, used[n]) for n, item in enumerate(items) if n in used]
        return restore(payload, placed)

    @property
    def result_chunks(self) -> tuple[ExposedChunk, ...]:
        """Memory for results: of the Write chunks, and of the Reply chunk if there is one."""
        return (
            self.write_chunks
            if self.reply_chunk is None
            else (*self.write_chunks, self.reply_chunk)
        )

    @property
    def chunks(self) -> tuple[ExposedChunk, ...]:
        """All memory that the call tells of."""
        return (*self.read_chunks, *self.result_chunks)

    def used(self, answer: Answered) -> tuple[tuple[str, ExposedChunk, WriteChunk], ...]:
        """Chunks that hold data by what the Reply says: name, memory, chunk as it came back.

        One that came back unused may have been written to all the same (rfc8166 4.3.2.2).
        """
        pairs = zip(self.write_chunks, answer.body.rdma_writes, strict=False)
        found = [("Write chunk", chunk, back) for chunk, back in pairs]
        if self.reply_chunk is not None and answer.body.rdma_reply is not None:
            found.append(("Reply chunk", self.reply_chunk, answer.body.rdma_reply))
        return tuple(item for item in found if any(one.length for one in item[2].target))

    def _items(self, payload: bytes, used: frozenset[int]) -> list[DataItem]:
        """The results that there are: the n-th of them is in the n-th chunk (rfc8166 4.3.2.2).

        Which of the possible ones they are shows when the reply is decoded.
        """
        layer = self.request.layer
        slots = len(layer.expectation(self.unreduced).items) if used else 0
        for count in range(slots, 0, -1):
            for bearing in combinations(range(slots), count):
                reduced = frozenset(slot for n, slot in enumerate(bearing) if n in used)
                with suppress(DecodeError):
                    found = layer.results(self.unreduced, payload, reduced)
                    if bearing == tuple(n for n, item in enumerate(found) if item is not None):
                        return [item for item in found if item is not None]
        found = layer.results(self.unreduced, payload, used)
        return [item for item in found if item is not None]


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent and is no Call, in the form in which it goes out.

    Attributes:
        xid: of its header.
        octets: what is sent.
        title: for people.
        mutations: what was changed in the octets, in order.
        later: the Sends that follow, of a message that takes several (rtrext 4.2).
    """

    xid: int
    octets: bytes
    title: str
    mutations: tuple[Mutation, ...] = ()
    later: tuple[bytes, ...] = ()

    @property
    def version(self) -> int:
        """rdma_vers as sent; 0 if the message is too short to have one."""
        return int.from_bytes(self.octets[4:8], "big")

    @property
    def sends(self) -> tuple[bytes, ...]:
        """What is sent, one after the other."""
        return (self.octets, *self.later)

    def __str__(self) -> str:
        changes = f" with {', '.join(map(str, self.mutations))}" if self.mutations else ""
        octets = sum(map(len, self.sends))
        return f"{self.title}, xid {self.xid:#010x}, {octets} octets{changes}"
