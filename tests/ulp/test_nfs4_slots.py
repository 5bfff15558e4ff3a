from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.ulp.nfs4_slots import Arrival, Slot, following


def test_requests_follow_one_another_and_wrap_around() -> None:
    assert following(7) == 8
    assert following(2**32 - 1) == 0


def test_the_first_request_has_the_number_one() -> None:
    assert Slot().arrive(0, 0, keep=True) is Arrival.MISORDERED
    assert Slot().arrive(1, 0, keep=True) is Arrival.NEW
    assert Slot().arrive(2, 0, keep=True) is Arrival.MISORDERED


def test_a_retry_gets_what_was_kept() -> None:
    slot = Slot()
    slot.arrive(1, 5, keep=True)
    slot.finish(b"reply")

    assert slot.arrive(1, 5, keep=True) is Arrival.CACHED
    assert slot.reply == b"reply"


def test_a_retry_of_what_was_not_kept_is_told_so() -> None:
    slot = Slot()
    slot.arrive(1, 5, keep=False)
    slot.finish(b"reply")

    assert slot.arrive(1, 5, keep=False) is Arrival.UNCACHED


def test_another_request_with_the_number_of_a_retry_is_false() -> None:
    slot = Slot()
    slot.arrive(1, 5, keep=True)
    slot.finish(b"reply")

    assert slot.arrive(1, 6, keep=True) is Arrival.FALSE_RETRY


@given(st.lists(st.integers(0, 6), max_size=20))
def test_whatever_arrives_only_the_next_number_is_new(numbers: list[int]) -> None:
    slot, last = Slot(), 0
    for number in numbers:
        arrival = slot.arrive(number, 0, keep=True)
        assert (arrival is Arrival.NEW) is (number == last + 1)
        last = number if arrival is Arrival.NEW else last
