"""XIDs that no server can remember."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from conformance.tester.xids import Xids

if TYPE_CHECKING:
    import pytest


def test_cases_and_runs_have_xids_of_their_own() -> None:
    seen: list[int] = []
    for _ in range(2):
        xids = Xids()
        for _ in range(3):
            xids.begin()
            seen += islice(xids, 300)

    assert len(set(seen)) == len(seen)


def test_the_number_of_a_call_shows_in_its_xid() -> None:
    xids = Xids()
    next(xids)

    xids.begin()

    assert [xid & 0xFF for xid in islice(xids, 3)] == [1, 2, 3]


def test_reserved_xids_are_given_to_nobody_else() -> None:
    xids = Xids()

    first = xids.reserve(10)

    assert next(xids) == (first + 10) % 2**32


def test_a_text_has_the_calls_of_the_case_by_their_numbers() -> None:
    xids = Xids()
    earlier = next(xids)
    xids.begin()
    one, two = next(xids), next(xids)
    other = f"{earlier:#010x}, {two + 1:#010x}, {one:#x}00, 0x1234"

    assert xids.numbered(f"{one:#010x} and {two:#010x}; {other}") == f"#1 and #2; {other}"


def test_behind_the_last_xid_comes_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda below: below - 1)
    xids = Xids()
    xids.reserve(0xFE)

    last, zero = islice(xids, 2)

    assert (last, zero) == (0xFFFFFFFF, 0)
    assert xids.numbered("0xffffffff 0x00000000 0x00000001") == "#255 #256 0x00000001"


def test_a_case_may_have_the_same_in_each_run() -> None:
    first, second = Xids(0x80005000), Xids(0x80005000)
    first.begin()
    second.begin()

    assert list(islice(first, 3)) == list(islice(second, 3)) == [0x80005101, 0x80005102, 0x80005103]
