"""Types without end and counts without bound are refused; lists, trees and optionals are not."""

# Arguments come from parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import pytest

from rpcrdma.xdr.parse import XdrError, parse
from rpcrdma.xdr.resolve import resolve


@pytest.mark.parametrize(
    "text",
    [
        "struct s { int v; s *next; }; struct t { s list; };",
        "struct s { s a<>; int v; };",
        "struct s { s *left; s *right; int v; };",
        "struct s { s a[0]; int v; };",
        "union u switch (int k) { case 0: void; case 1: struct { u inner; int v; } s; };",
    ],
)
def test_type_that_can_end_is_accepted(text):
    assert resolve(parse(text)).types


@pytest.mark.parametrize(
    "text",
    [
        "struct s { s a[1]; int v; };",
        "union u switch (int k) { case 0: struct { u inner; int v; } s; };",
    ],
)
def test_type_without_end_is_refused(text):
    with pytest.raises(XdrError) as caught:
        resolve(parse(text))

    assert "has no end" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "struct e { opaque nothing[0]; }; struct s { e a<>; };",
        "struct e { opaque n[0]; }; union u switch (int k) { case 0: e a<5>; };",
    ],
)
def test_count_of_elements_without_octets_is_refused(text):
    with pytest.raises(XdrError) as caught:
        resolve(parse(text))

    assert ".a: its elements occupy no octets" in str(caught.value)
