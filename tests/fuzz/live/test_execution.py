"""What an execution says of its messages."""

from __future__ import annotations

from tests.fuzz.live.fakes import answered, failed, kept_back


def test_what_failed_and_what_was_kept_back_are_told_apart() -> None:
    assert [fired.violated for fired in failed("silence", "a.1.rule").failed] == [("a.1.rule",)]
    assert answered("a Reply").failed == ()
    assert kept_back().failed == ()
    assert (kept_back().kept_back, answered("a Reply").kept_back) == (1, 0)
