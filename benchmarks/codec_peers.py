"""The peers that benchmarks/codec.py measures against: the same header by xdrlib3 and construct.

The xdrlib3 codec is what one would write with that library: a function for each type, equivalent
immutable objects (the generated classes themselves), and the same validation: booleans,
enumerations, and the range of every integer, which the library leaves to `struct`.
"""

from __future__ import annotations

from typing import Any

import construct
import xdrlib3

from rpcrdma.wire import (
    ErrChunk,
    ErrorCode,
    ErrVers,
    Procedure,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
)

# ruff: noqa: ANN401
# xdrlib3 and construct carry no types; Any is all that can be said of their objects.


def xdrlib_decode(octets: bytes) -> TransportHeader:
    """Decode a header with xdrlib3."""
    unpacker = xdrlib3.Unpacker(octets)
    xid, version, credit = unpacker.unpack_uint(), unpacker.unpack_uint(), unpacker.unpack_uint()
    return TransportHeader(xid, version, credit, _unpack_body(unpacker))


def _unpack_body(unpacker: Any) -> Any:
    procedure = Procedure(unpacker.unpack_enum())
    if procedure is Procedure.RDMA_MSG:
        return RdmaMsg(*_unpack_lists(unpacker))
    if procedure is Procedure.RDMA_NOMSG:
        return RdmaNomsg(*_unpack_lists(unpacker))
    if procedure is Procedure.RDMA_MSGP:
        align, threshold = unpacker.unpack_uint(), unpacker.unpack_uint()
        return RdmaMsgp(align, threshold, *_unpack_lists(unpacker))
    if procedure is Procedure.RDMA_DONE:
        return RdmaDone()
    if ErrorCode(unpacker.unpack_enum()) is ErrorCode.ERR_VERS:
        return RdmaError(ErrVers(unpacker.unpack_uint(), unpacker.unpack_uint()))
    return RdmaError(ErrChunk())


def _unpack_flag(unpacker: Any) -> bool:
    flag = unpacker.unpack_uint()
    if flag > 1:
        raise ValueError(flag)
    return bool(flag)


def _unpack_lists(unpacker: Any) -> Any:
    reads, writes = [], []
    while _unpack_flag(unpacker):
        reads.append(ReadSegment(unpacker.unpack_uint(), _unpack_segment(unpacker)))
    while _unpack_flag(unpacker):
        writes.append(_unpack_chunk(unpacker))
    reply = _unpack_chunk(unpacker) if _unpack_flag(unpacker) else None
    return tuple(reads), tuple(writes), reply


def _unpack_chunk(unpacker: Any) -> WriteChunk:
    count = unpacker.unpack_uint()
    return WriteChunk(tuple([_unpack_segment(unpacker) for _ in range(count)]))


def _unpack_segment(unpacker: Any) -> RdmaSegment:
    return RdmaSegment(unpacker.unpack_uint(), unpacker.unpack_uint(), unpacker.unpack_uhyper())


def xdrlib_encode(header: TransportHeader) -> bytes:
    """Encode a header of RDMA_MSG or RDMA_NOMSG with xdrlib3; the benchmark has no others."""
    packer = xdrlib3.Packer()
    packer.pack_uint(header.rdma_xid)
    packer.pack_uint(header.rdma_vers)
    packer.pack_uint(header.rdma_credit)
    body = header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        raise TypeError(body)
    is_message = isinstance(body, RdmaMsg)
    packer.pack_enum(Procedure.RDMA_MSG if is_message else Procedure.RDMA_NOMSG)
    for read in body.rdma_reads:
        packer.pack_uint(1)
        packer.pack_uint(read.position)
        _pack_segment(packer, read.target)
    packer.pack_uint(0)
    for write in body.rdma_writes:
        packer.pack_uint(1)
        _pack_chunk(packer, write)
    packer.pack_uint(0)
    packer.pack_bool(body.rdma_reply is not None)
    if body.rdma_reply is not None:
        _pack_chunk(packer, body.rdma_reply)
    octets: bytes = packer.get_buffer()
    return octets


def _pack_chunk(packer: Any, chunk: WriteChunk) -> None:
    packer.pack_uint(len(chunk.target))
    for segment in chunk.target:
        _pack_segment(packer, segment)


def _pack_segment(packer: Any, segment: RdmaSegment) -> None:
    packer.pack_uint(segment.handle)
    packer.pack_uint(segment.length)
    # pack_uhyper masks what is too large instead of refusing it.
    if not 0 <= segment.offset < 2**64:
        raise ValueError(segment.offset)
    packer.pack_uhyper(segment.offset)


_U32, _U64 = construct.Int32ub, construct.Int64ub
_FLAG = construct.OneOf(_U32, (0, 1))
_SEGMENT = construct.Struct("handle" / _U32, "length" / _U32, "offset" / _U64)
_READ = construct.Struct(
    "flag" / _FLAG,
    "entry"
    / construct.If(construct.this.flag, construct.Struct("position" / _U32, "target" / _SEGMENT)),
)
_CHUNK = construct.PrefixedArray(_U32, _SEGMENT)
_WRITE = construct.Struct("flag" / _FLAG, "entry" / construct.If(construct.this.flag, _CHUNK))
CONSTRUCT = construct.Struct(
    "xid" / _U32,
    "version" / _U32,
    "credit" / _U32,
    "procedure" / construct.OneOf(_U32, (0, 1)),
    "reads" / construct.RepeatUntil(lambda item, _list, _context: not item.flag, _READ),
    "writes" / construct.RepeatUntil(lambda item, _list, _context: not item.flag, _WRITE),
    "reply" / _WRITE,
)
"""The header of RDMA_MSG and RDMA_NOMSG; construct makes its own containers from it."""
