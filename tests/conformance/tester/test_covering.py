"""Covering arrays: every pair is there, in few rows, and always the same ones."""

from __future__ import annotations

from itertools import combinations, product

import msgspec

from conformance.tester.covering import Row, covering, name_of

FACTORS = {"a": ("1", "2", "3"), "b": ("x", "y", "z"), "c": ("p", "q"), "d": ("r", "s")}


def pairs(rows: tuple[Row, ...]) -> set[frozenset[tuple[str, str]]]:
    return {frozenset(two) for row in rows for two in combinations(row.items(), 2)}


def test_every_pair_is_in_a_row() -> None:
    rows = covering(FACTORS)

    wanted = {
        frozenset(((one, first), (other, second)))
        for one, other in combinations(FACTORS, 2)
        for first, second in product(FACTORS[one], FACTORS[other])
    }
    assert pairs(rows) == wanted
    assert len(rows) < 14  # of 36


def test_the_same_factors_give_the_same_rows() -> None:
    assert covering(FACTORS) == covering(FACTORS)


def test_what_is_impossible_is_in_no_row() -> None:
    def possible(row: Row) -> bool:
        return not (row.get("a") == "1" and row.get("b", "x") != "x")

    rows = covering(FACTORS, possible)

    assert {row["b"] for row in rows if row["a"] == "1"} == {"x"}
    assert frozenset((("a", "2"), ("b", "z"))) in pairs(rows)


def test_a_pair_that_goes_with_nothing_else_is_left_out() -> None:
    def possible(row: Row) -> bool:
        return not (row.get("a") == "1" and row.get("b") == "y" and "c" in row)

    rows = covering(FACTORS, possible)

    assert frozenset((("a", "1"), ("b", "y"))) not in pairs(rows)


def test_rows_that_there_are_are_not_drawn_again() -> None:
    rows = covering(FACTORS)

    assert covering(FACTORS, given=rows) == ()
    assert len(covering(FACTORS, given=rows[:-1])) == 1


class Meal(msgspec.Struct):
    dish: str = "soup"
    size: str = "small"
    bread: str = "none"


def test_a_name_says_what_is_not_plain() -> None:
    assert name_of(Meal()) == "soup"
    assert name_of(Meal("stew", "large", "rye")) == "stew,large,bread:rye"
