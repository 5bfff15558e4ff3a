"""What docstrings say of attributes."""

from __future__ import annotations

from enum import Enum

from documentation.attributes import attributes_of, members_of, sentence_of


class Sample:
    """One sentence,
    in two lines.

    More of it.

    Attributes:
        first: where it is: here.  second: likewise; e.g. no: that is
            none of its names.
        third: the last.
        fourth, fifth,
            sixth: what is said elsewhere.
    """

    first: str
    second: str
    third: str
    fourth: str
    fifth: str
    sixth: str


def test_each_attribute_has_its_words() -> None:
    assert attributes_of(Sample) == {
        "first": "where it is: here.",
        "second": "likewise; e.g. no: that is none of its names.",
        "third": "the last.",
    }


def test_the_first_paragraph_is_one_line() -> None:
    assert sentence_of(Sample) == "One sentence, in two lines."


class Colour(Enum):
    """Some."""

    RED = "red"
    """Of
    blood."""
    BLUE = "blue"


def test_members_have_the_words_below_them() -> None:
    assert members_of(Colour) == {"red": "Of blood."}
