"""Types as a table of Lua."""

from __future__ import annotations

import pytest

from rpcrdma.xdr.emit_lua import emit_lua
from rpcrdma.xdr.parse import XdrError, parse
from rpcrdma.xdr.resolve import resolve

TEXT = """
enum color { RED = 2, BLUE = -1 };
struct item { unsigned int size; unsigned hyper place; };
struct list_of { item entry; list_of *next; };
struct whole {
    color paint;
    bool good;
    opaque data<8>;
    item many<>;
    item *one;
    list_of *linked;
};
union choice switch (color which) {
    case RED:
        item thing;
    default:
        void;
};
"""

EXPECTED = """\
{
    {name = "Color", kind = "enumeration", members = {[2] = "RED", [-1] = "BLUE"}},
    {name = "Item", kind = "structure", fields = {
        {name = "size", type = {kind = "integer", octets = 4}},
        {name = "place", type = {kind = "integer", octets = 8}},
    }},
"""

WHOLE = """\
    {name = "Whole", kind = "structure", fields = {
        {name = "paint", type = {kind = "reference", to = "Color"}},
        {name = "good", type = {kind = "boolean"}},
        {name = "data", type = {kind = "opaque", maximum = 8}},
        {name = "many", type = {kind = "array", maximum = 4294967295, least = 12,\
 element = {kind = "reference", to = "Item"}}},
        {name = "one", type = {kind = "optional", element = {kind = "reference", to = "Item"}}},
        {name = "linked", type = {kind = "list", element = {kind = "reference", to = "Item"}}},
    }},
"""

CHOICE = """\
    {name = "Choice", kind = "union",
        tag = {name = "which", type = {kind = "reference", to = "Color"}},
        arms = {
            [2] = {name = "Item", fields = {
"""


def test_every_kind_of_type_says_what_a_reader_needs() -> None:
    text = emit_lua(resolve(parse(TEXT)))

    assert text.startswith(EXPECTED)
    assert WHOLE in text
    assert CHOICE in text
    assert "        default = {name = " in text
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize("field", ["string name<>", "int value", "float value", "opaque id[4]"])
def test_what_the_program_cannot_read_is_refused(field: str) -> None:
    with pytest.raises(XdrError, match="teach emit_lua and its program"):
        emit_lua(resolve(parse(f"struct whole {{ {field}; }};")))
