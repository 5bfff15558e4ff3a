"""Generated decoders refuse what is malformed by the interpreter's error, to the letter."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN002, ANN201, ANN202

from __future__ import annotations

import importlib
import types
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import _generated_rfc8166 as v1
from rpcrdma.wire import _generated_v2 as v2
from rpcrdma.xdr.emit_codec import emit_codec
from rpcrdma.xdr.model import Enumeration
from rpcrdma.xdr.names import snake_case
from rpcrdma.xdr.parse import parse
from rpcrdma.xdr.resolve import resolve

ROOT = Path(__file__).parents[2]
MODULES = tuple(
    importlib.import_module(f"rpcrdma.wire.{path.stem}")
    for path in sorted((ROOT / "rpcrdma" / "wire").glob("_generated_*.py"))
)
HEADERS = {"v1-header": (v1, "TransportHeader"), "v2-header": (v2, "Rdma2Header")}

TEXT = """
enum color { RED = 1, GREEN = -2, BLUE = 3 };
struct numbers { int n; numbers *next; };
union shade switch (color c) { case RED: void; case GREEN: int depth; };
union lamp switch (bool on) { case TRUE: int n; };
union other switch (color c) { case RED: void; default: numbers *list; };
struct later { opaque octets<8>; color c; numbers *list; };
struct early { numbers *list; color c; bool b; numbers *more; };
struct both { numbers *list; shade s; lamp l; };
struct pairs { early twice[2]; };
struct colors { color pair[2]; numbers *list; };
"""
SCHEMA = resolve(parse(TEXT))
SAMPLE = types.ModuleType("refusals_under_test")
exec(compile(emit_codec(SCHEMA, "sample.x"), "refusals_under_test", "exec"), SAMPLE.__dict__)
SAMPLE.__dict__["SCHEMA"] = SCHEMA

WORDS = (*([0] * 5), *([1] * 5), 2, 3, 4, 5, 0xFFFF_FFFE)
"""Mostly flags, so that lists and unions are gone far into before one of them is wrong."""


def _decoder(module, name):
    return getattr(module, f"decode_{snake_case(name)}")


def _outcome(decode, *arguments):
    try:
        return decode(*arguments)
    except DecodeError as error:
        return error.offset, error.path, error.reason, error.detail, str(error)


def _agree(module, name, octets, offset=0):
    found = _outcome(_decoder(module, name), octets, offset)
    # A float may be a NaN, which is not even equal to itself: compare what is printed.
    assert repr(found) == repr(_outcome(module._INTERPRETER.decode, name, octets, offset))


def _names(module):
    every = module.SCHEMA.types.items()
    shared = module.SCHEMA.shared
    return [n for n, item in every if n not in shared and not isinstance(item, Enumeration)]


def _octets(*words):
    return b"".join(word.to_bytes(4, "big") for word in words)


@pytest.mark.parametrize("module", [SAMPLE, *MODULES], ids=lambda module: module.__name__)
@settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS), max_size=40),
    before=st.integers(0, 5),
    cut=st.integers(0, 3),
)
def test_any_octets_get_the_interpreters_answer(module, words, before, cut):
    octets = bytes(before) + _octets(*words)

    for name in _names(module):
        _agree(module, name, octets[: max(before, len(octets) - cut)], before)


@pytest.mark.parametrize("folder", HEADERS)
def test_corpus_with_each_word_spoilt_gets_the_interpreters_answer(folder):
    for seed in sorted((ROOT / "fuzz" / "corpus" / folder).iterdir()):
        octets = seed.read_bytes()
        _agree(*HEADERS[folder], octets)
        for place in range(0, min(len(octets), 200), 4):
            _agree(*HEADERS[folder], octets[:place] + _octets(2) + octets[place + 4 :])


@pytest.mark.parametrize(
    ("name", "words", "offset", "path", "reason", "detail"),
    [
        ("Early", (1, 7, 1, 7, 2, 0, 0), 16, "list[2]", Reason.BAD_BOOLEAN, "2"),
        ("Early", (0, 2, 0, 0), 4, "c", Reason.BAD_ENUM, "2"),
        ("Early", (0, 0xFFFF_FFFE, 9, 0), 8, "b", Reason.BAD_BOOLEAN, "9"),
        ("Early", (0, 1, 1, 5), 12, "more[0]", Reason.BAD_BOOLEAN, "5"),
        ("Both", (0, 0xFFFF_FFFF, 0, 0), 4, "s.c", Reason.BAD_ENUM, "-1"),
        ("Both", (0, 3, 0, 0), 4, "s.c", Reason.BAD_DISCRIMINANT, "3"),
        ("Both", (0, 1, 0, 0), 8, "l.on", Reason.BAD_DISCRIMINANT, "0"),
        ("Both", (0, 1, 2, 0), 8, "l.on", Reason.BAD_BOOLEAN, "2"),
        ("Colors", (1, 7, 0), 4, "pair[1]", Reason.BAD_ENUM, "7"),
    ],
)
def test_wrong_word_is_refused_without_the_interpreter(
    monkeypatch, name, words, offset, path, reason, detail
):
    monkeypatch.delitem(SAMPLE.__dict__, "_INTERPRETER")

    with pytest.raises(DecodeError) as caught:
        _decoder(SAMPLE, name)(_octets(*words))

    error = caught.value
    assert (error.offset, error.path, error.reason, error.detail) == (offset, path, reason, detail)


@pytest.mark.parametrize(
    ("name", "words", "path"),
    [
        ("Later", (0, 2, 2, 0, 0), "c"),
        ("Other", (2, 2), "c"),
        ("Pairs", (0, 5, 0, 0, 4, 1, 0, 0), "twice[0].c"),
    ],
)
def test_first_of_two_wrong_words_is_told(name, words, path):
    with pytest.raises(DecodeError) as caught:
        _decoder(SAMPLE, name)(_octets(*words))

    assert (caught.value.path, caught.value.reason) == (path, Reason.BAD_ENUM)
