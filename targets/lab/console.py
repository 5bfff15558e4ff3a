"""What the guest kernel's console tells: panics, oopses, and lesser complaints.

Only lines that the kernel itself prints in one fixed form are taken; the form's first words are
stable across the releases that the lab boots (5.x and 6.x).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ConsoleFault", "Severity", "find_faults"]


class Severity(Enum):
    """How bad a line is; in falling order."""

    PANIC = "panic"  # the kernel stopped
    OOPS = "oops"  # a thread of the kernel died; what it held stays locked
    STALL = "stall"  # a task or processor makes no progress
    WARNING = "warning"  # the kernel's own assertion failed, and it went on


@dataclass(frozen=True, slots=True)
class ConsoleFault:
    """One complaint of the kernel; `line` counts from 1 in the console's log."""

    severity: Severity
    line: int
    text: str


_FORMS: Final = (
    (Severity.PANIC, re.compile(r"Kernel panic - not syncing: ")),
    (Severity.OOPS, re.compile(r"BUG: (?!workqueue lockup|soft lockup|scheduling)|kernel BUG at ")),
    (
        Severity.OOPS,
        re.compile(r"(Oops|general protection fault|int3|divide error)\b.*: [0-9a-f]{4}"),
    ),
    (Severity.STALL, re.compile(r"soft lockup|hard LOCKUP|workqueue lockup|detected stall")),
    (Severity.STALL, re.compile(r"INFO: task \S+ blocked for more than")),
    (Severity.WARNING, re.compile(r"WARNING: (CPU: \d+ PID: \d+ at|possible|suspicious) ?")),
)
_STAMP: Final = re.compile(r"^(<\d+>)?\[[ \d.]+\](\[[^]]*\])? ?")


def find_faults(lines: Iterable[str]) -> tuple[ConsoleFault, ...]:
    """The complaints in a console's log, in its order."""
    faults = []
    for number, line in enumerate(lines, start=1):
        text = _STAMP.sub("", line.strip())
        for severity, form in _FORMS:
            if form.match(text) or (severity is Severity.STALL and form.search(text)):
                faults.append(ConsoleFault(severity, number, text))
                break
    return tuple(faults)
