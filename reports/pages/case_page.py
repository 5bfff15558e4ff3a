"""What the page of one case shows, worked out before any markup."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from reports.pages.links import section_address
from reports.record import CaseRecord, Citation, Verdict
from reports.summary import by_cause

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reports.pages.background import Background, DeviceFinding, FoundMutant, ReadingText
    from reports.record import RunRecord

__all__ = [
    "CaseNeighbours",
    "CitedRequirement",
    "DeviceRow",
    "EvidenceFile",
    "cited_requirements",
    "decode_command",
    "device_rows",
    "evidence_files",
    "found_mutants",
    "neighbours",
    "readings_of",
]

_KINDS: Final = {".pcapng": "capture", ".jsonl": "trace", ".log": "console"}


@dataclass(frozen=True, slots=True)
class CitedRequirement:
    """A requirement that a case cites.

    Attributes:
        citation: the requirement.
        address: of its section, or nothing.
        state: `not met`, `not reached`, `met`, or nothing where the case says nothing of it.
        bound: whom it binds, or nothing where that is not known.
    """

    citation: Citation
    address: str
    state: str
    bound: str


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """What another device is known to do in the case.

    Attributes:
        name: of the device.
        findings: deviations that are published; of several, one comes each time.
        otherwise: what is known where there is none.
    """

    name: str
    findings: tuple[DeviceFinding, ...]
    otherwise: str


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file of the case's evidence: what it is, and its name from the run's folder."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class CaseNeighbours:
    """The cases before and after one, of those that belong together.

    Attributes:
        what: why they belong together.
        place: which one this is, from 1.  count: of how many.
        previous: id of the one before, or nothing.  following: likewise.
    """

    what: str
    place: int
    count: int
    previous: str = ""
    following: str = ""


def neighbours(run: RunRecord) -> dict[str, CaseNeighbours]:
    """Of each case, what comes before and after it: cases of its cause, else of its section."""
    found: dict[str, CaseNeighbours] = {}
    settled = (Verdict.PASS, Verdict.NA)
    for group in by_cause(case for case in run.cases if case.verdict not in settled):
        found.update(_in_row("of this cause", [case.id for case in group]))
    sections: dict[str, list[str]] = {}
    for case in run.cases:
        if case.verdict in settled:
            section = " ".join(case.id.split("/")[:2])
            sections.setdefault(f"{case.verdict.value} of {section}", []).append(case.id)
    for what, members in sections.items():
        found.update(_in_row(what, members))
    return found


def cited_requirements(case: CaseRecord, background: Background) -> tuple[CitedRequirement, ...]:
    """What a case cites, what is not met first."""
    rows = [
        CitedRequirement(
            citation,
            section_address(background, citation.document, citation.section),
            _state(case, citation.id),
            background.bound.get(citation.id, ""),
        )
        for citation in case.citations
    ]
    return tuple(sorted(rows, key=lambda row: row.state != "not met"))


def readings_of(
    case: CaseRecord, background: Background
) -> tuple[tuple[str, ReadingText | None], ...]:
    """The interpretations on which a verdict rests, in words where these are known."""
    return tuple((one, background.readings.get(one)) for one in case.interpretations)


def found_mutants(case: CaseRecord, background: Background) -> tuple[FoundMutant, ...]:
    """The mutants that this case finds, by whatever parameters."""
    return background.mutants.get(case.id.partition("[")[0], ())


def device_rows(case: CaseRecord, background: Background) -> tuple[DeviceRow, ...]:
    """What the devices of this role are known to do."""
    role = background.roles.get(case.id)
    return tuple(
        DeviceRow(device.name, device.findings.get(case.id, ()), device.otherwise)
        for device in background.devices
        if device.role == role
    )


def evidence_files(case: CaseRecord) -> tuple[EvidenceFile, ...]:
    """The files that a case left."""
    return tuple(
        EvidenceFile(_KINDS.get(PurePosixPath(name).suffix, "file"), name) for name in case.evidence
    )


def decode_command(case: CaseRecord) -> str:
    """The command that shows every message of a case, from the run's folder; or nothing."""
    captures = [one.name for one in evidence_files(case) if one.kind == "capture"]
    return shlex.join(("rpcrdma", "decode", captures[0])) if captures else ""


def _state(case: CaseRecord, requirement: str) -> str:
    if requirement in case.violated:
        return "not met"
    if requirement in case.not_reached:
        return "not reached"
    return "met" if case.verdict in (Verdict.PASS, Verdict.WARN, Verdict.FAIL) else ""


def _in_row(what: str, members: Sequence[str]) -> Iterator[tuple[str, CaseNeighbours]]:
    """Each with those before and after it."""
    row = ["", *members, ""]
    for place, identity in enumerate(members, 1):
        around = row[place - 1], row[place + 1]
        yield identity, CaseNeighbours(what, place, len(members), *around)
