"""How a process ended, in words that a verdict can have."""

from __future__ import annotations

import signal

__all__ = ["said_last", "words_of_end"]


def words_of_end(status: int) -> str:
    """`ended with status 3`, `was ended by SIGSEGV`.

    Args:
        status: as `subprocess` has it: a signal is negative.
    """
    if status >= 0:
        return f"ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"was ended by {name}"


def said_last(words: str) -> str:
    """What a sentence about its end has of the last words of a process; nothing if it had none.

    Reports part the sentence there (`reports.pages.deaths`).
    """
    return f"; it said last: {words}" if words else ""
