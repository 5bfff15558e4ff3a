from __future__ import annotations

from fuzz.executor import Execution


def test_who_serves_a_good_call_is_alive() -> None:
    assert Execution((1, 2)).alive
    assert not Execution((), "a good call got nothing").alive
