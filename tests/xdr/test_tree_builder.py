"""The tree of a message has a place for each octet that could be read, and says where that ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rfc8166 import transport_headers
from rpcrdma.errors import Reason
from rpcrdma.wire import encode_header
from rpcrdma.wire._generated_rfc8166 import SCHEMA
from rpcrdma.wire.describe import header_tree
from rpcrdma.xdr.model import Integer, LinkedList
from rpcrdma.xdr.tree import Kind


@given(transport_headers().map(encode_header))
def test_leaves_of_a_good_header_lie_side_by_side(octets: bytes) -> None:
    tree = header_tree(octets)

    assert tree.error is None
    end = 0
    for leaf in tree.leaves():
        assert leaf.offset == end, leaf.path
        end = leaf.end
    assert end == len(octets)


@given(transport_headers().map(encode_header), st.data())
def test_a_cut_header_has_a_tree_up_to_the_cut(octets: bytes, data: st.DataObject) -> None:
    cut = octets[: data.draw(st.integers(0, len(octets) - 1))]

    tree = header_tree(cut)

    assert tree.error is not None
    assert tree.error.reason is Reason.TRUNCATED
    assert tree.error.offset <= len(cut)
    assert all(node.end <= len(cut) for node in tree.root.walk())


@given(st.binary(max_size=120))
def test_any_octets_have_a_tree(octets: bytes) -> None:
    tree = header_tree(octets)

    assert tree.octets == octets
    assert all(0 <= node.offset <= node.end <= len(octets) for node in tree.root.walk())


def test_a_node_knows_the_type_that_it_was_read_as() -> None:
    tree = header_tree(bytes.fromhex("00000001 00000001 00000001 00000000") + bytes(12))
    items = {node.path: node.item for node in tree.root.walk() if node.kind is not Kind.FLAG}

    assert items[""] is SCHEMA.types["TransportHeader"]
    assert items["rdma_xid"] == Integer(32, signed=False)
    assert isinstance(items["rdma_body.rdma_reads"], LinkedList)
