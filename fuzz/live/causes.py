"""What is wrong with a device after a sequence: one cause for each thing that is to be mended."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fuzz.live.execution import LiveExecution

__all__ = [
    "COMPLAINED",
    "DIED",
    "NOT_SERVED",
    "Cause",
    "causes_of",
    "problems_of",
    "without_numbers",
]

DIED: Final = "device-died"
NOT_SERVED: Final = "not-served"
COMPLAINED: Final = "kernel-complained"

_NUMBERS: Final = re.compile(r"\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b")
_PLACE: Final = re.compile(r"\bRIP: \S+?:([\w.]+)\+0x")


@dataclass(frozen=True, slots=True)
class Cause:
    """What findings have in common.

    Attributes:
        broken: requirements that are broken, or one of the words above.
        what: tells apart what those do not.
        detail: what was seen, in words; no part of the cause.
    """

    broken: tuple[str, ...]
    what: str
    detail: str

    @property
    def key(self) -> tuple[str, ...]:
        """The same for findings of one cause."""
        return (*self.broken, self.what)

    @property
    def is_grave(self) -> bool:
        """Whether the device must be started again after it."""
        return self.broken in ((DIED,), (NOT_SERVED,))


def without_numbers(text: str) -> str:
    """The text with one letter for each number."""
    return _NUMBERS.sub("N", text)


def causes_of(execution: LiveExecution) -> tuple[Cause, ...]:
    """All that is wrong, the gravest first; nothing if all is well."""
    found = []
    if execution.died:
        place = _PLACE.search(execution.console)
        where = f" in {place[1]}" if place else ""
        what = without_numbers(execution.died) + where
        found.append(Cause((DIED,), what, f"{execution.died}{where}"))
    elif execution.unserved:
        # How a device fails to serve depends on when it is asked.
        found.append(Cause((NOT_SERVED,), "", execution.unserved))
    if execution.complaint:
        what = without_numbers(execution.complaint)
        found.append(Cause((COMPLAINED,), what, execution.complaint))
    for fired in execution.failed:
        # The requirements tell causes apart better than the words, of which some tell of lengths.
        what = "" if fired.violated else without_numbers(fired.reason)
        broken = fired.violated or ("oracle",)
        found.append(Cause(broken, what, f"{fired.what}: {fired.reason}"))
    return tuple(found)


def problems_of(execution: LiveExecution) -> tuple[str, ...]:
    """What is wrong after an execution, in words; empty if nothing is."""
    return tuple(cause.detail for cause in causes_of(execution))
