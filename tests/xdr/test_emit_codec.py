"""Generated code of every construct of the language agrees with the interpreter."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN002, ANN201, ANN202

from __future__ import annotations

import sys
import types

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, EncodeError, Reason
from rpcrdma.xdr import straight
from rpcrdma.xdr.emit_codec import emit_codec
from rpcrdma.xdr.emit_strategies import emit_strategies
from rpcrdma.xdr.interpret import Interpreter
from rpcrdma.xdr.parse import parse
from rpcrdma.xdr.resolve import resolve
from rpcrdma.xdr.tree_builder import build_tree

TEXT = """
const MAX = 5;
enum color { RED = 1, GREEN = -2 };
struct flat { int a; unsigned int b; hyper c; unsigned hyper d; bool e; color f; opaque g[4]; };
struct odd { opaque a[5]; opaque b[0]; float c; double d; int e[3]; flat f[2]; int g[20]; };
struct open { opaque a<MAX>; string b<>; int c<MAX>; flat d<>; odd e<2>; bool f<>; string g<3>; };
struct link { string s<>; link *next; };
struct wide { int a; open o; wide *next; };
struct lists { link *a; link b; wide *c; flat *d; odd *e; };
union pick switch (color c) {
    case RED: case GREEN: struct { int x; flat y; } both;
};
union choice switch (unsigned int k) {
    case 0: void;
    case 1: flat f;
    case 2: case 3: open o;
    case 4: pick p;
    default: int other;
};
union maybe switch (bool there) { case TRUE: lists l; case FALSE: void; };
struct tree { tree *left; tree *right; int v; };
struct all { choice a; maybe b; pick c<2>; choice *d; };
program P { version V { void N(void) = 0; } = 2; } = 7;
"""
SCHEMA = resolve(parse(TEXT))
NAMES = ("Flat", "Odd", "Open", "Wide", "Lists", "Pick", "Choice", "Maybe", "Tree", "All")


def _module(name, text):
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, name, "exec"), module.__dict__)
    parent, _, short = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], short, module)
    return module


PACKAGE = _module("generated_sample", "")
CODEC = _module("generated_sample.codec_under_test", emit_codec(SCHEMA, "sample.x"))
STRATEGIES = _module(
    "generated_sample.strategies",
    emit_strategies(SCHEMA, "sample.x", "generated_sample.codec_under_test"),
)
INTERPRETER = Interpreter(SCHEMA, vars(CODEC))


def _strategy(name):
    plural = {"Pick": "picks", "Maybe": "maybes", "All": "alls", "Lists": "listses"}
    return getattr(STRATEGIES, plural.get(name, f"{name.lower()}s"))()


def _outcome(decode, *arguments):
    try:
        return decode(*arguments)
    except DecodeError as error:
        return error.offset, error.path, error.reason, error.detail


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_generated_codec_agrees_with_the_interpreter(name, data):
    value = data.draw(_strategy(name))
    decode = getattr(CODEC, f"decode_{name.lower()}")
    octets = getattr(CODEC, f"encode_{name.lower()}")(value)

    assert octets == INTERPRETER.encode(name, value)
    assert decode(octets) == (value, len(octets)) == INTERPRETER.decode(name, octets)

    damaged = bytearray(octets)
    place = data.draw(st.integers(0, len(octets) - 1))
    damaged[place] = data.draw(st.integers(0, 255))
    cut = bytes(damaged[: data.draw(st.integers(0, len(octets)))])
    expected = _outcome(INTERPRETER.decode, name, cut)
    # A spoilt float may be a NaN, which is not even equal to itself: compare what is printed.
    assert repr(_outcome(decode, cut)) == repr(expected)
    error = build_tree(SCHEMA, name, cut).error
    shown = (error.offset, error.path, error.reason, error.detail) if error else None
    assert shown == (expected if len(expected) == 4 else None)


def test_absurd_count_is_refused_at_the_count():
    octets = b"\0\0\0\0" * 3 + b"\xff\xff\xff\xff"

    with pytest.raises(DecodeError) as caught:
        CODEC.decode_open(octets)

    assert (caught.value.offset, caught.value.path) == (12, "d")
    assert caught.value.reason is Reason.TRUNCATED


def test_long_list_needs_no_recursion():
    octets = b"\0\0\0\1\0\0\0\0" * 20_000 + b"\0\0\0\0"

    with pytest.raises(DecodeError) as caught:
        CODEC.decode_lists(octets)

    assert caught.value.path.startswith("b[")


def test_deep_tree_is_refused():
    with pytest.raises(DecodeError) as caught:
        CODEC.decode_tree(b"\0\0\0\1" * 100)

    assert caught.value.reason is Reason.TOO_LONG


def test_arm_for_other_values_refuses_a_value_that_has_its_own():
    with pytest.raises(EncodeError) as caught:
        CODEC.encode_choice(CODEC.ChoiceDefault(1, 5))

    assert caught.value.path == "k"


def test_program_numbers_are_constants():
    assert (CODEC.P, CODEC.V.N) == (7, 0)


@pytest.fixture(scope="module")
def calling():
    """The codec as it would be if nothing long were repeated: types call each other's functions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(straight, "MAXIMUM_LINES", 60)
        return _module("generated_sample.calling", emit_codec(SCHEMA, "sample.x"))


def _all(module, choice):
    flat = module.Flat(1, 2, -3, 4, e=True, f=module.Color.GREEN, g=b"four")
    return module.All(choice(flat), module.MaybeFalse(), (), choice(flat))


def test_long_code_calls_the_functions_of_the_types_that_it_is_made_of(calling):
    assert "decode_choice" in calling.decode_all.__code__.co_names
    assert "encode_choice" in calling.encode_all.__code__.co_names


def test_code_that_calls_agrees_with_the_interpreter(calling):
    value = _all(calling, lambda flat: flat)

    octets = calling.encode_all(value)

    assert octets == calling._INTERPRETER.encode("All", value)
    assert calling.decode_all(octets) == (value, len(octets))
    for end in range(len(octets)):
        found = _outcome(calling.decode_all, octets[:end])
        assert found == _outcome(calling._INTERPRETER.decode, "All", octets[:end])


def test_code_that_calls_tells_the_whole_path_of_what_cannot_be_encoded(calling):
    broken = _all(calling, lambda _flat: calling.ChoiceDefault(1, 5))

    with pytest.raises(EncodeError) as caught:
        calling.encode_all(broken)

    assert caught.value.path == "a.k"
