"""The tables of what opaque fields hold, and trees with such fields opened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_xcharext import conn_props, resp_props
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import _generated_v2 as v2
from rpcrdma.wire import _generated_xcharext as xcharext
from rpcrdma.wire.operations import ConnProp, KnownOption
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.overlays import overlaid, overlays
from rpcrdma.wire.properties import (
    ADOPTED,
    AS_PUBLISHED,
    BASIC,
    DefaultValue,
    PropertyNumbers,
    PropertyValue,
    ReceiveBufferSize,
    UnknownProperty,
    property_values,
)
from rpcrdma.wire.v2 import MessageType, Rdma2Header, Rdma2Optional, encode_header
from rpcrdma.xdr.tree import Kind, Tree
from rpcrdma.xdr.tree_builder import build_tree

START = "rdma_body.rdma_optinfo.opticonnpr_start"


def message(body: Rdma2Optional) -> bytes:
    return encode_header(Rdma2Header(7, 2, 32, body))


def tree_of(body: Rdma2Optional) -> Tree:
    return overlaid(build_tree(v2.SCHEMA, "Rdma2Header", message(body)))


def conn_prop(*values: PropertyValue) -> Rdma2Optional:
    return encode_option(MessageType.CALL, ConnProp(values, ()))


def test_overlays_name_fields_that_are_there() -> None:
    for name, overlay in overlays(ADOPTED).items():
        structure = v2.SCHEMA.types.get(name) or xcharext.SCHEMA.types[name]
        assert {overlay.selector, overlay.opaque} <= {field.name for field in structure.fields}


def test_nested_overlays_are_opened_with_their_place_in_the_message() -> None:
    tree = tree_of(conn_prop(*property_values(UnknownProperty(9, b"abc"), ReceiveBufferSize(5))))

    size = tree.find(f"{START}[1].pv_data.octets")
    assert (size.offset, size.value, tree.error) == (52, 5, None)
    assert tree.find(f"{START}[1].pv_which").label == "PROP_RBSIZ"
    assert tree.find("rdma_body.rdma_opttype").label == "ROPT_CONNPROP"


def test_opened_field_keeps_its_octets() -> None:
    tree = tree_of(conn_prop(*property_values(ReceiveBufferSize(5))))

    field = tree.find(f"{START}[0].pv_data", Kind.OPAQUE)
    assert (field.value, field.label) == (b"\0\0\0\5", "PROP_RBSIZ")
    assert tree.set(field, b"")[36:44] == bytes(4) + bytes(4)


def test_item_inside_an_overlay_can_be_changed() -> None:
    tree = tree_of(conn_prop(*property_values(ReceiveBufferSize(5))))

    changed = tree.set(tree.find(f"{START}[0].pv_data.octets"), 6)

    assert changed == encode_header(
        Rdma2Header(7, 2, 32, conn_prop(*property_values(ReceiveBufferSize(6))))
    )


def test_what_is_unknown_stays_opaque() -> None:
    tree = tree_of(conn_prop(*property_values(UnknownProperty(9, b"abc"))))
    unknown = tree_of(Rdma2Optional(MessageType.CALL, 99, b"abcd"))

    assert tree.find(f"{START}[0].pv_data").children == ()
    assert unknown.find("rdma_body.rdma_optinfo").children == ()
    assert (tree.error, unknown.error) == (None, None)


def test_empty_property_is_the_default_and_an_empty_option_is_none() -> None:
    tree = tree_of(conn_prop(*property_values(DefaultValue(2))))
    empty = tree_of(Rdma2Optional(MessageType.CALL, 1, b""))

    assert tree.find(f"{START}[0].pv_data").label == "default of PROP_REQREMINV"
    assert tree.error is None
    assert empty.error is not None
    assert (empty.error.offset, empty.error.path) == (28, START)


def test_fault_of_the_message_itself_comes_first() -> None:
    octets = encode_header(Rdma2Header(7, 2, 32, conn_prop(PropertyValue(1, b"a"))))[:-8]

    error = overlaid(build_tree(v2.SCHEMA, "Rdma2Header", octets)).error

    assert error is not None
    assert (error.path, error.reason) == ("rdma_body.rdma_optinfo", Reason.TRUNCATED)


def test_a_property_has_the_type_that_the_numbering_gives_it() -> None:
    """D-91."""
    value = PropertyValue(3, bytes(4))
    body = build_tree(v2.SCHEMA, "Rdma2Header", message(conn_prop(value)))

    shown = [
        (tree.find(f"{START}[0].pv_which").label, len(tree.find(f"{START}[0].pv_data").children))
        for tree in (overlaid(body, known) for known in (ADOPTED, AS_PUBLISHED))
    ]

    assert shown == [("PROP_BRS", 1), ("XPROP_RTRSUPP", 1)]


def test_a_property_that_an_end_need_not_know_is_a_fault_only_where_it_does() -> None:
    body = build_tree(v2.SCHEMA, "Rdma2Header", message(conn_prop(PropertyValue(4, b"a"))))

    known, unknown = overlaid(body), overlaid(body, BASIC)

    assert known.error is not None
    assert known.error.path == f"{START}[0].pv_data.operations"
    assert unknown.error is None


@pytest.mark.parametrize("known", [BASIC, ADOPTED, AS_PUBLISHED])
@given(option=conn_props() | resp_props(), more=st.binary(max_size=5))
def test_tree_has_the_fault_of_the_decoder(
    known: PropertyNumbers, option: KnownOption, more: bytes
) -> None:
    body = encode_option(MessageType.CALL, option)
    body = Rdma2Optional(body.rdma_optdir, body.rdma_opttype, body.rdma_optinfo + more)
    found: DecodeError | None = None
    try:
        decode_option(body, known=known)
    except DecodeError as error:
        found = error

    shown = overlaid(build_tree(v2.SCHEMA, "Rdma2Header", message(body)), known).error

    assert (shown is None) == (found is None)
    if shown and found:
        assert shown.args == found.args
