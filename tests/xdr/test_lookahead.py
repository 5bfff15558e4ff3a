"""What is certain to follow is certain in every branch, and nothing more is promised."""

# Arguments come from parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import pytest

from rpcrdma.xdr.lookahead import shared_letters, sure_letters
from rpcrdma.xdr.parse import parse
from rpcrdma.xdr.resolve import resolve

SCHEMA = resolve(
    parse(
        """
        struct two { int a; hyper b; };
        struct link { unsigned int v; link *next; };
        struct wide { hyper h; wide *next; };
        union pick switch (int k) { case 0: two t; case 1: int i; };
        struct fixed { two t; unsigned int c; };
        struct listed { link *l; unsigned int c; hyper d; };
        struct wides { wide *l; int c; };
        struct counted { int n<>; int c; };
        struct picked { pick p; hyper d; };
        struct maybe { two *t; int c; };
        struct tree { tree *left; tree *right; };
        """
    )
)


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Fixed", "iqI"),
        ("Listed", "II"),  # an entry goes on with its flag, the end of the list with a hyper
        ("Wides", "I"),  # a hyper or an int
        ("Counted", "I"),
        ("Picked", "iiq"),
        ("Maybe", "Ii"),
        ("Tree", "I"),
    ],
)
def test_letters_end_where_branches_part(name, letters):
    assert "".join(sure_letters(SCHEMA, [SCHEMA.types[name]], ())) == letters


def test_letters_behind_a_fixed_type_are_added():
    assert sure_letters(SCHEMA, [SCHEMA.types["Two"]], ("I", "Q")) == ("i", "q", "I", "Q")


def test_branches_share_their_common_beginning_only():
    assert shared_letters(("I", "I", "Q"), ("I", "I"), ("I", "I", "I")) == ("I", "I")
    assert shared_letters(("I",), ()) == ()
