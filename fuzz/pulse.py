"""What a fuzzed process tells of itself, line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from reports.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Pulse", "after_line", "together"]

_PULSE: Final = re.compile(r"^#(\d+)\s+([A-Z]\w+|pulse)\b(.*)")
_COVERAGE: Final = re.compile(r"\bcov: (\d+)")
_CORPUS: Final = re.compile(r"\bcorp: (\d+)")
_RATE: Final = re.compile(r"\bexec/s: (\d+)")
_EXECUTIONS: Final = re.compile(r"^stat::number_of_executed_units: (\d+)")
_FINDING: Final = re.compile(r"^FINDING (\d+): ")


@dataclass(frozen=True, slots=True)
class Pulse:
    """How far a run is.

    Attributes:
        executions: inputs that were tried.  rate: of them, a second.
        coverage: blocks of the library that were reached.
        corpus: inputs that each reach something of their own.
        findings: causes that were found.
        has_begun: whether the corpus was read, from which on time counts.
    """

    executions: int = 0
    rate: int = 0
    coverage: int = 0
    corpus: int = 0
    findings: int = 0
    has_begun: bool = False

    def __str__(self) -> str:
        return (
            f"{self.executions} executions, {self.rate} a second, coverage {self.coverage},"
            f" corpus {self.corpus}, {counted(self.findings, 'finding')}"
        )


def together(pulses: Iterable[Pulse]) -> Pulse:
    """What several processes did that share a corpus: none of what one reached adds to the other's.

    Each tells of the causes that it was the first to find.
    """
    each = tuple(pulses)
    return Pulse(
        sum(one.executions for one in each),
        sum(one.rate for one in each),
        max(one.coverage for one in each),
        max(one.corpus for one in each),
        sum(one.findings for one in each),
        all(one.has_begun for one in each),
    )


def after_line(pulse: Pulse, line: str) -> Pulse:
    """What is known after one more line."""
    found = _FINDING.match(line)
    if found:
        return replace(pulse, findings=int(found[1]))
    ended = _EXECUTIONS.match(line)
    if ended:
        return replace(pulse, executions=int(ended[1]))
    told = _PULSE.match(line)
    if told is None:
        return pulse
    return Pulse(
        int(told[1]),
        _number(_RATE, told[3], pulse.rate),
        _number(_COVERAGE, told[3], pulse.coverage),
        _number(_CORPUS, told[3], pulse.corpus),
        pulse.findings,
        pulse.has_begun or told[2] == "INITED",
    )


def _number(pattern: re.Pattern[str], text: str, before: int) -> int:
    found = pattern.search(text)
    return int(found[1]) if found else before
