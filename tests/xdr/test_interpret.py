"""The interpreter tells offset, path, reason and detail of each kind of fault."""

# Arguments come from parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import types

import pytest

from rpcrdma.errors import DecodeError, EncodeError, Reason
from rpcrdma.xdr.emit_codec import emit_codec
from rpcrdma.xdr.interpret import Interpreter
from rpcrdma.xdr.parse import parse
from rpcrdma.xdr.resolve import resolve

SCHEMA = resolve(
    parse(
        """
        enum color { RED = 1, GREEN = -2 };
        union pick switch (color c) { case RED: int v; };
        struct link { int v; link *next; };
        struct s { bool b; color c; opaque o<3>; string t<8>; hyper a<2>; link *l; int f[2]; };
        struct tree { tree *left; tree *right; };
        """
    )
)
MODULE = types.ModuleType("interpreted")
exec(compile(emit_codec(SCHEMA, "sample.x"), "interpreted", "exec"), MODULE.__dict__)
INTERPRETER = Interpreter(SCHEMA, vars(MODULE))

WORD = {number: number.to_bytes(4, "big", signed=True) for number in (-2, 0, 1, 2, 3, 4, 9)}
GOOD = (WORD[1] + WORD[-2] + WORD[1] + b"x\0\0\0" + WORD[2] + b"hi\0\0") + (
    WORD[1] + bytes(8) + WORD[1] + WORD[9] + WORD[0] + WORD[1] + WORD[2]
)


def test_good_octets_become_an_object():
    value = MODULE.S(True, MODULE.Color.GREEN, b"x", "hi", (0,), (9,), (1, 2))  # noqa: FBT003

    assert INTERPRETER.decode("S", GOOD) == (value, len(GOOD))
    assert INTERPRETER.encode("S", value) == GOOD


@pytest.mark.parametrize(
    ("place", "octets", "expected"),
    [
        (0, WORD[2], (0, "b", Reason.BAD_BOOLEAN, "2")),
        (4, WORD[9], (4, "c", Reason.BAD_ENUM, "9")),
        (8, WORD[4], (8, "o", Reason.TOO_LONG, "4 exceeds the maximum 3")),
        (12, b"x\0\1\0", (13, "o", Reason.BAD_PADDING, "0x000100")),
        (20, b"h\xff\0\0", (20, "t", Reason.BAD_TEXT, "octet 1 is not ascii")),
        (24, WORD[3], (24, "a", Reason.TOO_LONG, "3 exceeds the maximum 2")),
        (44, WORD[3], (44, "l[1]", Reason.BAD_BOOLEAN, "3")),
    ],
)
def test_wrong_item_is_told_with_its_place(place, octets, expected):
    damaged = GOOD[:place] + octets + GOOD[place + len(octets) :]

    with pytest.raises(DecodeError) as caught:
        INTERPRETER.decode("S", damaged)

    error = caught.value
    assert (error.offset, error.path, error.reason, error.detail) == expected


@pytest.mark.parametrize(
    ("length", "offset", "path", "detail"),
    [
        (2, 0, "b", "4 octets needed, 2 left"),
        (12, 8, "o", "the count 1 needs 1 octets, 0 left"),
        (14, 12, "o", "4 octets needed, 2 left"),
        (30, 24, "a", "the count 1 needs 8 octets, 2 left"),
        (42, 40, "l[0]", "4 octets needed, 2 left"),
        (52, 48, "f", "8 octets needed, 4 left"),
    ],
)
def test_cut_item_is_told_with_what_is_left(length, offset, path, detail):
    with pytest.raises(DecodeError) as caught:
        INTERPRETER.decode("S", GOOD[:length])

    error = caught.value
    assert (error.offset, error.path, error.detail) == (offset, path, detail)
    assert error.reason is Reason.TRUNCATED


def test_member_without_arm_is_a_bad_discriminant():
    with pytest.raises(DecodeError) as caught:
        INTERPRETER.decode("Pick", WORD[-2])

    assert (caught.value.path, caught.value.reason) == ("c", Reason.BAD_DISCRIMINANT)
    assert caught.value.detail == "-2"


def test_endless_tree_stops_at_the_depth():
    with pytest.raises(DecodeError) as caught:
        INTERPRETER.decode("Tree", WORD[1] * 100)

    assert caught.value.reason is Reason.TOO_LONG
    assert caught.value.path.startswith("left[0].left[0].")


@pytest.mark.parametrize(
    ("change", "path", "detail"),
    [
        ({"b": 2}, "b", "2 is not a boolean"),
        ({"c": 7}, "c", "7 is not a member of Color"),
        ({"o": b"four"}, "o", "4 items exceed the maximum 3"),
        ({"t": "\xe4"}, "t", "'\xe4' is not ascii text"),
        ({"a": (1, 2**63)}, "a[1]", f"{2**63} is not a signed integer of 64 bits"),
        ({"l": None}, "l", "None is not a tuple"),
        ({"f": (1,)}, "f", "(1,) is not a tuple of length 2"),
    ],
)
def test_value_that_does_not_fit_is_named(change, path, detail):
    good = {"b": True, "c": 1, "o": b"", "t": "", "a": (), "l": (), "f": (1, 2)}

    with pytest.raises(EncodeError) as caught:
        INTERPRETER.encode("S", MODULE.S(**{**good, **change}))

    assert (caught.value.path, caught.value.detail) == (path, detail)
