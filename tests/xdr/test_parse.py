"""XDR texts are parsed, and refused with the place and what could stand there."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import pytest

from rpcrdma.xdr.parse import XdrError, parse


def test_constants_of_all_three_bases_have_their_value():
    tree = parse("const A = -10; const B = 0x1F; const C = 017; const D = 0;")

    assert [item.value for item in tree.definitions] == [-10, 31, 15, 0]


def test_programs_are_accepted():
    tree = parse("program P { version V { void N(void) = 0; int Q(int, hyper) = 1; } = 2; } = 3;")

    assert tree.definitions[0].versions[0].procedures[1].name == "Q"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("struct s { int a }", "line 1, column 18: '}' is unexpected"),
        ("struct string {int a;};", "line 1, column 8: 'string' is unexpected; a name"),
        ("\nconst A = 08;", "line 2, column 12: '8' is unexpected; ';' was expected"),
        ("const A = @;", "line 1, column 11: no token begins with '@'"),
        ("struct s {", "the text ends too early"),
    ],
)
def test_error_tells_the_place_and_what_was_expected(text, message):
    with pytest.raises(XdrError) as caught:
        parse(text)

    assert str(caught.value).startswith(message)
