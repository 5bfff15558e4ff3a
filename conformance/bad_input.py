"""What a person gave us cannot be used: the error that the command line turns into one sentence."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BadInput", "NothingSelected", "meant"]


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
