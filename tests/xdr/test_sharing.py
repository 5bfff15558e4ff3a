"""One class serves two specifications where both have the same type, and only there."""

# Arguments come from pytest's fixtures and from parameters that say what they are:
# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import pytest

from rpcrdma.wire import _generated_rfc8166 as v1
from rpcrdma.wire import _generated_rpc as rpc
from rpcrdma.wire import _generated_v2 as v2
from rpcrdma.xdr.emit_codec import emit_codec
from rpcrdma.xdr.names import NameTable
from rpcrdma.xdr.parse import XdrError, parse
from rpcrdma.xdr.resolve import resolve
from rpcrdma.xdr.sharing import check_shared

OWNER = "enum kind { A = 1 }; struct part { int a; }; struct whole { part p; kind k; };"
SAME = {"part": "owner", "whole": "owner", "kind": "owner"}


def _check(text, shared, owner="owner"):
    schema = resolve(parse(text), NameTable(shared=shared))
    check_shared(schema, {owner: resolve(parse(OWNER)), "other": schema})
    return schema


@pytest.mark.parametrize("name", ["RdmaSegment", "ReadSegment", "WriteChunk", "ErrVers"])
def test_version_two_has_the_classes_of_version_one(name):
    assert getattr(v2, name) is getattr(v1, name)


def test_direction_is_the_message_type_of_rpc():
    assert v2.MessageType is rpc.MessageType


def test_shared_type_is_imported_and_not_defined():
    schema = _check(OWNER, SAME)

    text = emit_codec(schema, "other.x")

    assert "from rpcrdma.wire._generated_owner import (\n    Kind,\n    Part,\n    Whole,\n" in text
    assert "    decode_part,\n" in text
    assert "decode_kind" not in text
    assert "class Part" not in text
    assert "def decode_whole" not in text


@pytest.mark.parametrize(
    ("text", "shared", "message"),
    [
        (OWNER.replace("int a", "hyper a"), {"part": "owner"}, "Part is not the Part that owner"),
        (OWNER.replace("A = 1", "A = 2"), {"kind": "owner"}, "Kind is not the Kind that owner"),
        ("struct extra { int a; };", {"extra": "owner"}, "Extra is not the Extra that owner"),
        (OWNER, {"part": "nobody"}, "Part is to come from nobody, which is no specification"),
        (OWNER, {"part": "other"}, "Part is not the Part that other"),
        (OWNER, {"whole": "owner", "part": "owner"}, "Whole comes from owner, but its Kind"),
    ],
)
def test_type_that_is_not_the_same_is_refused(text, shared, message):
    with pytest.raises(XdrError, match=message):
        _check(text, shared)
