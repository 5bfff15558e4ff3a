"""RPC-over-RDMA transport headers: generated codecs and the typed layer above them.

rfc8166 section 4.1 (XDR Protocol Definition); the names here are those of Version One, and
`rpcrdma.wire.v2` has those of Version Two.  The codec says whether octets are a header; whether
that header is right (its version, the lists it carries) is for the endpoint to judge.
"""

from __future__ import annotations

from rpcrdma.wire._generated_rfc8166 import (
    Body,
    ErrChunk,
    ErrorBody,
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
from rpcrdma.wire._generated_rfc8166 import decode_transport_header as decode_header
from rpcrdma.wire._generated_rfc8166 import encode_transport_header as encode_header
from rpcrdma.wire.chunks import (
    ReadChunk,
    any_overlap,
    chunk_length,
    chunks_for_results,
    group_by_position,
    overlap,
    roundup_padding,
)
from rpcrdma.wire.versions import (
    FIXED_WORDS,
    AnyHeader,
    FixedWords,
    decode_any_header,
    encode_any_header,
    fixed_words,
)

__all__ = [
    "FIXED_WORDS",
    "AnyHeader",
    "Body",
    "ErrChunk",
    "ErrVers",
    "ErrorBody",
    "ErrorCode",
    "FixedWords",
    "Procedure",
    "RdmaDone",
    "RdmaError",
    "RdmaMsg",
    "RdmaMsgp",
    "RdmaNomsg",
    "RdmaSegment",
    "ReadChunk",
    "ReadSegment",
    "TransportHeader",
    "WriteChunk",
    "any_overlap",
    "chunk_length",
    "chunks_for_results",
    "decode_any_header",
    "decode_header",
    "encode_any_header",
    "encode_header",
    "fixed_words",
    "group_by_position",
    "overlap",
    "roundup_padding",
]
