"""The operators: what can stand in a node's place, and what is left alone."""

from __future__ import annotations

import ast

import pytest

from conformance.proof.detect.operators import OPERATORS, Function, NodePlace


def replaced(operator: str, source: str) -> list[str]:
    """What an operator makes of each node of a function's body, or of a statement."""
    tree = ast.parse(source)
    function = tree.body[0] if isinstance(tree.body[0], Function) else None
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if node is not function and not isinstance(node, ast.Module)
        for node in OPERATORS[operator](NodePlace(node, function))
    ]


def in_function(body: str, head: str = "def f(self, a, b):") -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{head}\n{lines}\n"


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        ("compare", "a < b", ["a <= b", "a >= b"]),
        ("compare", "a == b", ["a != b"]),
        ("compare", "a in b", ["a not in b"]),
        ("compare", "a is None", ["a is not None"]),
        ("compare", "1 <= a < b", ["1 < a < b", "1 > a < b", "1 <= a <= b", "1 <= a >= b"]),
        ("constant", "f(3)", ["4", "2"]),
        ("constant", "f(True, 'text', 0.5, None)", ["False"]),
        ("arithmetic", "a + b", ["a - b"]),
        ("arithmetic", "a + (b,)", []),
        ("arithmetic", "'' + a", []),
        ("arithmetic", "a & b", ["a | b"]),
        ("arithmetic", "a += 1", ["a -= 1"]),
        ("condition", "a and b", ["a or b", "b", "a"]),
        ("condition", "a or b or c", ["a and b and c", "b or c", "a or c", "a or b"]),
        ("condition", "a if b else c", ["a", "c"]),
        ("condition", "[a for a in b if a]", [" for a in b"]),
        ("negate", "a if not b else c", ["a if b else c", "b"]),
        ("negate", "a if a < b else c", []),
    ],
)
def test_an_expression_has_these_others(operator: str, source: str, expected: list[str]) -> None:
    assert replaced(operator, source) == expected


def test_a_condition_of_a_statement_is_dropped_or_turned_round() -> None:
    source = "if a:\n    b()\nelse:\n    c()\n"

    assert [text.splitlines()[0] for text in replaced("condition", source)] == [
        "if True:",
        "if False:",
    ]
    assert [text.splitlines()[0] for text in replaced("negate", source)] == ["if not a:"]


def test_a_loop_that_goes_on_is_not_made_endless() -> None:
    assert replaced("condition", "while a:\n    b()\n") == ["while False:\n    b()"]
    assert replaced("condition", "while True:\n    b()\n") == []


def test_a_guard_is_dropped() -> None:
    source = "match a:\n    case 1 if b:\n        c()\n"

    assert replaced("condition", source) == ["case 1:\n    c()"]


@pytest.mark.parametrize(
    "statement", ["a()", "self.x = 1", "self.x[a] = 1", "a = 1", "del a", "raise a", "a += 1"]
)
def test_a_statement_is_removed(statement: str) -> None:
    assert replaced("remove", in_function(statement)) == ["pass"]


@pytest.mark.parametrize("statement", ["'''Words.'''", "...", "c = 1", "return a", "pass"])
def test_a_statement_without_which_nothing_runs_stays(statement: str) -> None:
    """Or one that does nothing."""
    assert replaced("remove", in_function(statement)) == []


def test_what_is_set_up_first_stays() -> None:
    assert replaced("remove", in_function("self.x = 1", "def __init__(self):")) == []
    assert replaced("remove", in_function("super().__init__(a)")) == []


def test_what_is_logged_stays() -> None:
    assert replaced("remove", in_function("_log.debug(a)")) == []


def test_a_name_that_is_set_again_may_keep_its_value() -> None:
    assert replaced("remove", in_function("c = 1\nc = 2")) == ["pass"]


@pytest.mark.parametrize(
    ("returns", "value", "expected"),
    [
        ("bool", "a", ["True", "False"]),
        ("int", "a", ["0"]),
        ("bytes", "a", ["b''"]),
        ("tuple[int, ...]", "a", ["()"]),
        ("list[int]", "[]", []),
        ("Thing | None", "a", ["None"]),
        ("Thing", "a", []),
        ("str", "a", []),
        ("int", "3", []),
    ],
)
def test_nothing_is_returned_of_the_type(returns: str, value: str, expected: list[str]) -> None:
    source = in_function(f"return {value}", f"def f(a) -> {returns}:")

    assert replaced("return", source) == [f"return {one}" for one in expected]


def test_a_default_is_another_one() -> None:
    tree = ast.parse("def f(a, b=3, *, c=False, d='text'): ...")
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)

    found = OPERATORS["default"](NodePlace(function.args))

    assert [ast.unparse(node) for node in found] == [
        "a, b=4, *, c=False, d='text'",
        "a, b=2, *, c=False, d='text'",
        "a, b=3, *, c=True, d='text'",
    ]


def test_the_tree_is_as_it_was() -> None:
    source = "if a < 1 and b:\n    c(True)\n"
    tree = ast.parse(source)
    before = ast.dump(tree)

    for node in ast.walk(tree):
        for operator in OPERATORS.values():
            list(operator(NodePlace(node)))

    assert ast.dump(tree) == before
