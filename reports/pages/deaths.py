"""The deaths of a device in a run, as its first page lists them: where, how, and what was said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.pages.lab_logs import LabLog
from reports.summary import deaths

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reports.record import CaseRecord

__all__ = ["Death", "listed_deaths"]

_SAID: Final = "; it said last: "
"""What parts the way in which a process ended from its last words, where it had any."""

_BETWEEN: Final = re.compile(r"died (?:after (?P<after>.+?) and )?before (?P<before>.+?): ")
"""How a case tells of a death that was found before it."""

_CONSOLE: Final = ".console.log"


@dataclass(frozen=True, slots=True)
class Death:
    """One death.

    Attributes:
        case: the id of the case that tells of the death.
        after: the id of the case after which it was; empty if it was in a case, or before all.
        before: the id of the case before which it was; empty if it was in one.
        how: the end of the device: its signal or status, and what the kernel said of it.
        said: its last words, if there are any.
        logs: what was kept of the machine in which it died, and of the server.
    """

    case: str
    after: str
    before: str
    how: str
    said: str
    logs: tuple[LabLog, ...]


def listed_deaths(
    cases: Iterable[CaseRecord], evidence: Path, logs: tuple[LabLog, ...]
) -> tuple[Death, ...]:
    """The deaths that cases tell of, in their order.

    Args:
        cases: of a run.
        evidence: the folder that the names of evidence are relative to.
        logs: of the whole run.
    """
    return tuple(_death(case, evidence, logs) for case in deaths(cases))


def _death(case: CaseRecord, evidence: Path, logs: tuple[LabLog, ...]) -> Death:
    how, _, said = case.died.partition(_SAID)
    told = (text for text in (case.reason, *case.notes) if case.died in text)
    found = next(filter(None, map(_BETWEEN.search, told)), None)
    after, before = (found["after"] or "", found["before"]) if found else ("", "")
    consoles = (name for name in case.evidence if name.endswith(_CONSOLE))
    own = tuple(LabLog("what its machine printed", evidence / name) for name in consoles)
    return Death(case.id, after, before, how, said, (*own, *logs))
