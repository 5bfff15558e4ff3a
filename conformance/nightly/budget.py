"""How the time of a night is shared among its stages.

A stage gets its part of what is left when its turn comes: what an earlier one did not need is
there for those that follow, most of which work for as long as they are given.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.nightly.stage import NightStage

__all__ = ["allotted", "duration", "in_words"]

_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)([hms])")


def allotted(left: float, stages: Sequence[NightStage]) -> float:
    """Seconds for the first of the stages that have not run; 0 if they are too few for it.

    Args:
        left: seconds of the whole budget.
        stages: that have not run, in order.
    """
    first = stages[0]
    part = left * first.share / sum(stage.share for stage in stages)
    given = max(part, first.needed)
    return given if given <= left else 0.0


def duration(text: str) -> float:
    """Seconds, from `2h`, `90m`, `1h30m` or `45s`: an argument of the command line.

    Raises:
        argparse.ArgumentTypeError: it is no such time, or none at all.
    """
    parts = _PART.findall(text)
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if "".join(number + unit for number, unit in parts) != text or seconds <= 0:
        raise argparse.ArgumentTypeError(f"`{text}` is no time; give one such as 2h, 90m or 1h30m")
    return seconds


def in_words(seconds: float) -> str:
    """`1 h 5 min`, `3 min 20 s`, `8 s`."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, last = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {last} s" if minutes else f"{last} s"
