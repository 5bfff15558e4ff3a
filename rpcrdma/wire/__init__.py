"""RPC-over-RDMA transport headers: generated codecs and the typed layer above them.

rfc8166 section 4.1 (XDR Protocol Definition).  The codec says whether octets are a header; whether
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
from rpcrdma.wire.chunks import ReadChunk, chunk_length, group_by_position, roundup_padding

__all__ = [
    "Body",
    "ErrChunk",
    "ErrVers",
    "ErrorBody",
    "ErrorCode",
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
    "chunk_length",
    "decode_header",
    "encode_header",
    "group_by_position",
    "roundup_padding",
]
