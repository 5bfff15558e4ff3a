"""Lengths around what was edited, and which types are the same."""

from __future__ import annotations

from random import Random

from fuzz.structure.headers import V2_HEADER
from fuzz.structure.scene import type_number
from rpcrdma.wire import v2
from rpcrdma.wire._generated_xcharext import ConnProp
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.properties import ReceiveBufferSize, encode_property
from rpcrdma.wire.rpc import MessageType
from rpcrdma.xdr.model import Integer

BODY = encode_option(MessageType.CALL, ConnProp((encode_property(ReceiveBufferSize(4096)),), ()))
OPTIONAL = v2.encode_header(v2.Rdma2Header(7, v2.VERSION, 8, BODY))


def test_the_length_around_what_grew_agrees_mostly() -> None:
    agreeing = 0
    for seed in range(40):
        scene = V2_HEADER.scene(OPTIONAL, Random(seed))
        (which,) = (node for node in scene.nodes if node.name == "pv_which")
        (data,) = (node for node in scene.nodes if node.name == "pv_data" and node.value)
        longer = scene.put(data, b"\0\0\0\x08" + bytes(8))
        assert which.offset < data.offset
        header, end = v2.decode_header(longer)
        assert isinstance(header.rdma_body, v2.Rdma2Optional)
        agreeing += end == len(longer)
    assert 20 < agreeing < 40


def test_a_length_that_agrees_holds_what_can_be_decoded() -> None:
    scene = V2_HEADER.scene(OPTIONAL, Random(1))
    (data,) = (node for node in scene.nodes if node.name == "pv_data" and node.value)
    header, _ = v2.decode_header(scene.put(data, bytes(4)))
    assert isinstance(header.rdma_body, v2.Rdma2Optional)
    option = decode_option(header.rdma_body)
    assert isinstance(option, ConnProp)


def test_equal_types_have_one_number() -> None:
    first, again, other = (
        Integer(32, signed=False),
        Integer(32, signed=False),
        Integer(64, signed=True),
    )

    assert type_number(first) == type_number(again) != type_number(other)
