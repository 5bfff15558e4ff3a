"""A tiny binding and tiny memory for the tests of the oracle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.bindings import DataItem, ReplyExpectation
from rpcrdma.ulp.rpc import decode_call, encode_call
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

XID = 0x51D
NULL, STORE, FETCH = 0, 2, 4
CALL_HEADER = 40
"""Octets of a Call header without credentials."""


class TinyProgram:
    """NULL; STORE of one eligible opaque; FETCH of one eligible opaque of the length asked for."""

    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        header, start = decode_call(call)
        rest = len(call) - start
        if header.procedure != STORE:
            self._require_end(start + (0 if header.procedure == NULL else 4), call)
            return ()
        if rest < 4:
            raise DecodeError(start, "call", Reason.TRUNCATED)
        item = DataItem(start + 4, int.from_bytes(call[start : start + 4]))
        self._require_end(item.end, call)
        return (item,)

    def _require_end(self, end: int, call: bytes) -> None:
        if end != len(call):
            reason = Reason.TRAILING if end < len(call) else Reason.TRUNCATED
            raise DecodeError(end, "call", reason)

    def results(
        self, call: bytes, reply: bytes, reduced: Collection[int] = frozenset()
    ) -> tuple[DataItem | None, ...]:
        raise AssertionError("the oracle does not look into results")

    def execute(self, call: bytes) -> list[bytes]:
        raise AssertionError("the oracle does not execute Calls")

    def expectation(self, call: bytes) -> ReplyExpectation:
        header, start = decode_call(call)
        if header.procedure != FETCH:
            return ReplyExpectation(24)
        length = int.from_bytes(call[start : start + 4])
        return ReplyExpectation(28 + length + -length % 4, (length,))


@dataclass
class TinyMemory:
    """Readable regions by handle, and the handles that can be written."""

    readable: dict[int, bytes] = field(default_factory=dict)
    writable: frozenset[int] = frozenset()

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        content = self.readable.get(segment.handle, b"")
        part = content[segment.offset : segment.offset + segment.length]
        return part if len(part) == segment.length else None

    def is_writable(self, segment: RdmaSegment) -> bool:
        return segment.handle in self.writable

    def contents(self, segments: Sequence[RdmaSegment]) -> bytes | None:
        return b"".join(self.fetch(segment) or b"" for segment in segments)


def rpc_call(procedure: int = NULL, arguments: bytes = b"", xid: int = XID) -> bytes:
    return encode_call(xid, 0x20008166, 1, procedure, arguments)


def reading(position: int, handle: int, length: int, offset: int = 0) -> ReadSegment:
    return ReadSegment(position, RdmaSegment(handle, length, offset))


def chunk(*lengths: int, handle: int = 9) -> WriteChunk:
    return WriteChunk(tuple(RdmaSegment(handle, length, 64) for length in lengths))


def msg(
    payload: bytes | None = None,
    *,
    reads: tuple[ReadSegment, ...] = (),
    writes: tuple[WriteChunk, ...] = (),
    reply: WriteChunk | None = None,
    version: int = 1,
) -> bytes:
    header = TransportHeader(XID, version, 1, RdmaMsg(reads, writes, reply))
    return encode_header(header) + (rpc_call() if payload is None else payload)


def nomsg(
    *,
    reads: tuple[ReadSegment, ...] = (),
    writes: tuple[WriteChunk, ...] = (),
    reply: WriteChunk | None = None,
    behind: bytes = b"",
) -> bytes:
    header = TransportHeader(XID, 1, 1, RdmaNomsg(reads, writes, reply))
    return encode_header(header) + behind
