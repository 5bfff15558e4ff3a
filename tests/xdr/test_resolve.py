"""Names are resolved; what is missing, doubled or endless is reported."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import pytest

from rpcrdma.xdr import model
from rpcrdma.xdr.names import NameTable
from rpcrdma.xdr.parse import XdrError, parse
from rpcrdma.xdr.resolve import resolve


def _schema(text):
    return resolve(parse(text))


def test_self_referring_structure_with_one_more_field_is_a_list_of_that_field():
    schema = _schema("struct l { int v; l *next; }; struct s { l *items; };")

    (field,) = schema.types["S"].fields
    assert field.type == model.LinkedList(model.Integer(32, signed=True), nonempty=False)


def test_list_may_be_closed_by_a_typedef():
    schema = _schema(
        "typedef struct l *lp; struct l { int v; hyper w; lp next; }; struct s {lp a;};"
    )

    (field,) = schema.types["S"].fields
    assert field.type == model.LinkedList(model.Reference("L"), nonempty=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("struct s { t a; };", "the type t is not defined"),
        ("struct s { int a[N]; };", "the constant N is not defined"),
        ("const A = 1; const A = 2;", "A is defined twice"),
        ("struct s { int a; int a; };", "the field a appears twice"),
        ("struct s { s a; int b; };", "S has no end"),
        ("typedef t t;", "the typedef t contains itself"),
        ("struct s { quadruple q; };", "quadruple is not supported"),
        ("union u switch (int k) { case 1: case 1: void; };", "the case 1 appears twice"),
        ("union u switch (bool k) { case 2: void; };", "2 is no value of the discriminant"),
        ("union u switch (hyper k) { case 2: void; };", "a discriminant is an integer"),
    ],
)
def test_wrong_specification_is_refused_with_its_fault(text, message):
    with pytest.raises(XdrError) as caught:
        _schema(text)

    assert message in str(caught.value)


TWICE = "struct s { int a; }; union u switch (int k) { case 1: s x; case 2: s x; case 3: int y; };"


def test_flat_arm_has_the_fields_of_its_structure():
    schema = resolve(parse(TWICE), NameTable(flat=["u.1"]))

    flat, other, _ = schema.types["U"].arms
    assert (flat.name, [field.name for field in flat.fields]) == ("U1", ["a"])
    assert (other.name, [field.name for field in other.fields]) == ("U2", ["x"])


def test_arm_without_a_structure_cannot_be_flat():
    with pytest.raises(XdrError, match=r"u\.3 holds no structure that could be flat"):
        resolve(parse(TWICE), NameTable(flat=["u.3"]))
