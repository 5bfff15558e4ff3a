"""What a person gave us cannot be used: the error that the command line turns into one sentence."""

from __future__ import annotations

__all__ = ["BadInput"]


class BadInput(Exception):  # a person's slip, not a fault
    """An argument, a file or a setting that cannot be used; the message says what to give instead.

    A `ValueError` is never this: whoever raises that has found a bug of ours, which must show.
    """
