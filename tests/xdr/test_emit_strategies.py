"""Strategies are named after their types and keep to declared sizes."""

# Arguments come from parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import pytest

from rpcrdma.xdr.emit_strategies import emit_strategies, plural
from rpcrdma.xdr.parse import parse
from rpcrdma.xdr.resolve import resolve

TEXT = """
enum color { RED = 1 };
struct s { unsigned int a; opaque b[5]; opaque c<3>; int d<2>; s *next; };
struct t { color e; t *left; int v; };
union u switch (unsigned int k) { case 1: case 2: int a; default: bool b; };
"""
MODULE = emit_strategies(resolve(parse(TEXT)), "sample.x", "package.codec")


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("RdmaMsg", "rdma_msgs"),
        ("Body", "bodies"),
        ("AuthSys", "auth_syses"),
        ("Match", "matches"),
        ("Key", "keys"),
    ],
)
def test_strategy_has_the_plural_of_its_type(name, strategy):
    assert plural(name) == strategy


@pytest.mark.parametrize(
    "text",
    [
        "from package import codec as codec",
        "st.integers(0, 2**32 - 1)",
        "st.binary(min_size=5, max_size=5)",
        "st.binary(max_size=3)",
        "min_size=0, max_size=2).map(tuple)",
        "st.sampled_from(codec.Color)",
        "st.none() | st.deferred(ts)",
        "st.sampled_from([1, 2])",
        ".filter(lambda value: value not in (1, 2))",
        "def invalid_us() -> st.SearchStrategy[Spoilt]:",
    ],
)
def test_module_says_what_a_type_allows(text):
    assert text in MODULE
