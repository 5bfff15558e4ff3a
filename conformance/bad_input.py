"""What a person gave us cannot be used: the error that the command line turns into one sentence.

Numbers on the command line are read here, too: every option refuses them alike.
"""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BadInput", "NothingSelected", "at_least_one", "meant", "seconds_above_zero"]


class BadInput(Exception):  # a person's slip, not a fault
    """An argument, a file or a setting that cannot be used; the message says what to give instead.

    A `ValueError` is never this: whoever raises that has found a bug of ours, which must show.

    Attributes:
        status: what the command ends with.
    """

    status: ClassVar[int] = 2


class NothingSelected(BadInput):
    """What was asked for is understood, and there is nothing of the kind."""

    status: ClassVar[int] = 3


def meant(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that offers what is spelled like a word; empty if nothing is."""
    close = get_close_matches(word, list(known), n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def at_least_one(text: str) -> int:
    """The argument of an option that counts.

    Raises:
        ArgumentTypeError: it is no whole number, or below 1.
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError("give at least 1")
    return number


def seconds_above_zero(text: str) -> float:
    """The argument of an option that is a time, in seconds.

    Raises:
        ArgumentTypeError: it is no number, not above 0, or without end.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("give a number of seconds above 0")
    return number
