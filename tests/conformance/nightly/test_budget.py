"""How a night's time is shared."""

from __future__ import annotations

import argparse

import pytest

from conformance.nightly.budget import allotted, duration, in_words
from tests.conformance.nightly.conftest import stage


def test_a_stage_gets_its_part_of_what_is_left() -> None:
    stages = [stage("first", share=3.0), stage("second"), stage("third")]
    assert allotted(100.0, stages) == 60.0
    assert allotted(100.0, stages[1:]) == 50.0


def test_a_stage_gets_at_least_what_it_needs() -> None:
    stages = [stage("boots", least=20.0, extra=30.0), stage("other", share=9.0)]
    assert allotted(100.0, stages) == 50.0


def test_a_stage_for_which_too_little_is_left_gets_nothing() -> None:
    assert allotted(49.0, [stage("boots", least=20.0, extra=30.0)]) == 0.0


@pytest.mark.parametrize(
    ("text", "seconds"), [("2h", 7200), ("90m", 5400), ("1h30m", 5400), ("1.5h", 5400), ("45s", 45)]
)
def test_a_time_is_written_as_people_do(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "2", "h", "-1h", "0m", "2 h", "nan", "2h30"])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="give one such as 2h, 90m or 1h30m"):
        duration(text)


def test_a_time_is_told_in_words() -> None:
    assert [in_words(seconds) for seconds in (8.4, 200, 3900)] == ["8 s", "3 min 20 s", "1 h 5 min"]
