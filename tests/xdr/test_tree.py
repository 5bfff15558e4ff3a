"""Edits of a tree change one item and keep the rest a message."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN201

from __future__ import annotations

import pytest

from rpcrdma.errors import EncodeError
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)
from rpcrdma.wire.describe import header_tree

A, B = RdmaSegment(1, 2, 3), RdmaSegment(4, 5, 6)
TREE = header_tree(
    encode_header(
        TransportHeader(7, 1, 32, RdmaMsg((), (WriteChunk((A, B)), WriteChunk((B,))), None))
    )
)


def _writes(octets):  # noqa: ANN001, ANN202
    return decode_header(octets)[0].rdma_body.rdma_writes


def test_removed_list_entry_takes_its_discriminator_along():
    assert _writes(TREE.remove(TREE.find("rdma_body.rdma_writes"), 0)) == (WriteChunk((B,)),)


def test_removed_array_element_lowers_the_count():
    octets = TREE.remove(TREE.find("rdma_body.rdma_writes[0].target"), 0)

    assert _writes(octets) == (WriteChunk((B,)), WriteChunk((B,)))


def test_inserted_array_element_raises_the_count():
    target = TREE.find("rdma_body.rdma_writes[1].target")
    first = TREE.find("rdma_body.rdma_writes[0].target[0]")

    octets = TREE.insert(target, 1, TREE.octets[first.offset : first.end])

    assert _writes(octets)[1] == WriteChunk((B, A))


def test_set_changes_one_leaf():
    octets = TREE.set(TREE.find("rdma_credit"), 99)

    assert decode_header(octets)[0].rdma_credit == 99


def test_value_that_does_not_fit_is_refused():
    with pytest.raises(EncodeError) as caught:
        TREE.set(TREE.find("rdma_credit"), 2**32)

    assert caught.value.path == "rdma_credit"
