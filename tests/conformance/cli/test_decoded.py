"""A message as data: every field of its headers, and where decoding stops."""

from __future__ import annotations

from conformance.cli.decoded import as_data, as_text
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header

HEADER = encode_header(TransportHeader(0x11, 1, 8, RdmaMsg((), (), None)))


def test_fields_of_both_headers_are_there_with_offsets_and_names() -> None:
    found = as_data(HEADER + rpc.accepted(0x11))

    fields = {(one["path"], one["offset"]): one for one in found["fields"]}
    assert fields["rdma_credit", 8]["value"] == 8
    assert fields["rdma_body.proc", 12]["name"] == "RDMA_MSG"
    assert fields["body.mtype", 32]["name"] == "REPLY"
    assert fields["body.reply.verf.body", 44]["value"] == ""
    assert found["error"] is None
    assert found["length"] == len(found["octets"]) // 2 == 52


def test_the_refusal_says_where_and_why() -> None:
    """Whichever of the headers is refused."""
    cut = as_data(HEADER[:10])
    assert cut["error"] == {
        "offset": 8,
        "path": "rdma_credit",
        "reason": "the buffer ends inside the item",
        "detail": cut["error"]["detail"],
    }
    assert as_data(HEADER + b"\0\0\0\x11\0\0\0\x09")["error"]["offset"] == 32


def test_text_is_gist_and_fields() -> None:
    gist, head, *fields = as_text(HEADER).splitlines()

    assert gist == "28 octets, xid 0x00000011, version 1, credits 8, RDMA_MSG, no payload"
    assert head == "RPC-over-RDMA message, 28 octets"
    assert "     8    rdma_credit: 8" in fields
