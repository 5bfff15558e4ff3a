"""Explanations: what an entry needs, and which are stale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.reach.explained import (
    Why,
    WhyUnreached,
    explanation_of,
    read_explained,
    see_none_stale,
)
from tests.fuzz.reach.parts import BRANCH, OTHER

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = """
[[unreached]]
where = "endpoint.core.driver:Driver.wait"
line = "if self.gone:"
kind = "unreachable"
why = "Nobody gives it
 a turn then."
""".replace("it\n a", "it a")


def test_an_entry_is_read(tmp_path: Path) -> None:
    path = tmp_path / "explained.toml"
    path.write_text(ENTRY)

    (found,) = read_explained(path)

    assert (found.kind, found.why) == (Why.UNREACHABLE, "Nobody gives it a turn then.")
    assert found.covers(BRANCH)
    assert not found.covers(OTHER)
    assert explanation_of(OTHER, [found]) is None


def test_a_pattern_covers_many_lines() -> None:
    every = WhyUnreached("endpoint.core.driver:*", "", Why.ELSEWHERE, "So.")

    assert every.covers(BRANCH)
    assert every.covers(OTHER)


def test_there_may_be_no_file(tmp_path: Path) -> None:
    assert read_explained(tmp_path / "none.toml") == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('kind = "unreachable"', 'kind = "harmless"'),
        ('kind = "unreachable"', ""),
        ('where = "endpoint.core.driver:Driver.wait"', ""),
        ("[[unreached]]", "[[unreached]"),
    ],
)
def test_an_entry_that_says_too_little_is_refused(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "explained.toml"
    path.write_text(ENTRY.replace(old, new))

    with pytest.raises(BadInput, match=r"explained\.toml"):
        read_explained(path)


def test_an_explanation_of_what_is_reached_is_an_error() -> None:
    true = WhyUnreached("endpoint.core.driver:Driver.wait", "", Why.ELSEWHERE, "So.")
    stale = WhyUnreached("endpoint.core.driver:Driver.gone", "", Why.ELSEWHERE, "So.")
    hidden = WhyUnreached("endpoint.core.driver:*.wait", "", Why.ELSEWHERE, "So.")

    see_none_stale([true], [BRANCH])
    with pytest.raises(BadInput, match=r"Driver\.gone"):
        see_none_stale([true, stale], [BRANCH])
    with pytest.raises(BadInput, match=r"\*\.wait"):
        see_none_stale([true, hidden], [BRANCH])


def test_the_explanations_that_are_kept_are_in_form() -> None:
    assert all(one.why.endswith(".") for one in read_explained())
