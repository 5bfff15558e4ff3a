from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from fuzz.uncounted import COUNTERS, uncounted

if TYPE_CHECKING:
    from types import FrameType


def test_what_is_uncounted_leaves_no_trace() -> None:
    first, later = bytearray(3), bytearray(2)
    COUNTERS.append(first)
    try:
        first[0] = 4

        def count(step: int, *, fails: bool) -> str:
            first[0] += step
            COUNTERS.append(later)  # blocks that nothing has reached before
            later[1] = 1
            if fails:
                raise KeyError("no")
            return "done"

        assert uncounted(count, 2, fails=False) == "done"
        assert (first, later) == (b"\4\0\0", b"\0\0")
        with pytest.raises(KeyError):
            uncounted(count, 2, fails=True)
        assert (first, later) == (b"\4\0\0", b"\0\0")
    finally:
        COUNTERS.clear()


def test_what_is_uncounted_is_not_traced() -> None:
    calls: list[str] = []

    def tracer(frame: FrameType, _event: str, _argument: object) -> None:
        calls.append(frame.f_code.co_name)

    def judge() -> None:
        """It is called."""

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        uncounted(judge)
        judge_seen = "judge" in calls
        assert sys.gettrace() is tracer
        judge()
    finally:
        sys.settrace(before)
    assert not judge_seen
    assert "judge" in calls
