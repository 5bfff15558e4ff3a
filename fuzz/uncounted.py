"""What judges the code under test calls the same library; an input does not reach what it calls.

Otherwise a judge that remembers what it said would reach less the second time.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["COUNTERS", "uncounted"]

COUNTERS: Final[list[bytearray]] = []
"""Memory in which blocks of the library count (`fuzz.instrument`)."""

Given = ParamSpec("Given")
Made = TypeVar("Made")


def uncounted(
    function: Callable[Given, Made], *arguments: Given.args, **named: Given.kwargs
) -> Made:
    """What a function returns; all counters are as they were before, and nobody traced it."""
    kept = [bytes(memory) for memory in COUNTERS]
    tracer = sys.gettrace()
    if tracer is not None:  # coverage.py, which counts in its own way (`fuzz.reach`)
        sys.settrace(None)
    try:
        return function(*arguments, **named)
    finally:
        if tracer is not None:
            sys.settrace(tracer)
        kept += [bytes(len(memory)) for memory in COUNTERS[len(kept) :]]
        for memory, before in zip(COUNTERS, kept, strict=True):
            memory[:] = before
