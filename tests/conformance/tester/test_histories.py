"""Histories: each kind comes after each, once."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from conformance.tester.histories import histories

KINDS = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize("length", [2, 3, 7, 100])
def test_every_kind_comes_after_every_kind_once(length: int) -> None:
    found = [pair for one in histories(KINDS, length) for pair in pairwise(one)]

    assert sorted(found) == sorted(product(KINDS, KINDS))


@pytest.mark.parametrize("length", [2, 3, 7])
def test_no_history_is_longer_than_it_may_be(length: int) -> None:
    found = histories(KINDS, length)

    assert {len(one) for one in found[:-1]} == {length}
    assert 2 <= len(found[-1]) <= length


def test_every_drawing_is_the_same() -> None:
    assert histories(KINDS, 4) == histories(list(KINDS), 4)
