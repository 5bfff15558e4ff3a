from __future__ import annotations

import pytest

from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog_data import (
    ABSENT_NOTE,
    choice_limit,
    choice_size,
    chosen,
    is_moved,
    item_limit,
    opaque_size,
    too_large,
)
from rpcrdma.wire import _generated_testprog as wire

MOST = wire.TEST_MAX_ITEM


@pytest.mark.parametrize(("length", "size"), [(0, 4), (1, 8), (4, 8), (5, 12)])
def test_opaque_has_a_count_and_padding(length: int, size: int) -> None:
    assert opaque_size(length) == size


def test_one_item_that_is_too_large_is_enough() -> None:
    assert not too_large(MOST, MOST)
    assert too_large(0, MOST + 1)


def test_what_is_too_large_does_not_come() -> None:
    assert item_limit(wire.FetchRequest(MOST + 1, 0)) == 0
    assert not is_moved(wire.FetchRequest(MOST + 1, 0))
    assert item_limit(wire.FetchRequest(MOST, 0)) == MOST


@pytest.mark.parametrize("present", [False, True])
def test_union_is_as_large_as_its_limit_says(present: bool) -> None:
    choice = wire.ChoiceRequest(present, wire.FetchRequest(100, 3))

    arm = chosen(choice)

    assert len(wire.encode_choice(arm)) == choice_size(choice)
    assert choice_limit(choice) == (100 if present else 0)
    wanted = wire.Fetched(pattern(100, 3)) if present else wire.Absent(ABSENT_NOTE)
    assert arm == wanted
