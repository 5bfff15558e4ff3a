from __future__ import annotations

from enum import Enum

import pytest

from reports.described import attributes_of, meaning_of, members_of


class Described:
    """What it is,
    in two lines.

    Attributes:
        one: the first: with a colon, and
            on two lines.
        two: the second.  three_too: beside it.
    """


class Twice:
    """Of something.

    Attributes:
        one: this.
        one: that.
    """


class Bare:
    """Nothing more."""


class Choice(Enum):
    """Of two."""

    ONE = "one"
    """The first,
    which is usual."""
    TWO = "two"
    """The second."""
    SILENT = "silent"


def test_members_are_told_by_value() -> None:
    assert members_of(Choice) == {"one": "The first, which is usual.", "two": "The second."}


def test_meaning_is_what_stands_before_the_attributes() -> None:
    assert meaning_of(Described) == "What it is, in two lines."
    assert meaning_of(Bare) == "Nothing more."


def test_each_attribute_is_found_also_where_two_share_a_line() -> None:
    assert attributes_of(Described) == {
        "one": "the first: with a colon, and on two lines.",
        "two": "the second.",
        "three_too": "beside it.",
    }
    assert attributes_of(Bare) == {}


def test_attribute_that_is_described_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="Twice describes an attribute twice"):
        attributes_of(Twice)
