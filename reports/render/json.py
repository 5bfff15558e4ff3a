"""The whole run as one JSON document, for programs: summary first, then every case.

`reports.render.schema` says how it is laid out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from reports.record import FORMAT_VERSION, CaseRecord, RunFooter, RunHeader, RunRecord
from reports.summary import exit_status, summarise

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck

__all__ = [
    "IDENTITY",
    "BaselineReport",
    "Disagreement",
    "JsonReport",
    "KnownDeviation",
    "json_document",
]

IDENTITY: Final = f"urn:rpcrdma-conformance:report:{FORMAT_VERSION}"
"""Of the schema: a name, which leads nowhere; `rpcrdma export --schema` prints what it names."""


class KnownDeviation(msgspec.Struct, frozen=True):
    """A deviation that is as the baseline says.

    Attributes:
        case: its id.
        why: it is known.
        link: where more is said, an address or a path from where the run was made; may be empty.
    """

    case: str
    why: str
    link: str


class Disagreement(msgspec.Struct, frozen=True):
    """A case in which run and baseline disagree.

    Attributes:
        case: its id.
        problem: how they do, in a sentence.
    """

    case: str
    problem: str


class BaselineReport(msgspec.Struct, frozen=True):
    """How the run compares with a baseline.

    Attributes:
        file: the baseline's.
        known: the deviations that are as it says.
        problems: everything else in which the two disagree.
    """

    file: str
    known: tuple[KnownDeviation, ...]
    problems: tuple[Disagreement, ...]


class JsonReport(msgspec.Struct, frozen=True, kw_only=True):
    """Layout of `report.json`.

    Attributes:
        schema: the name of the schema, which has the version as its last part.
        format: version of this layout, the same number as the records'.
        counts: verdict -> number of cases.
        missing: planned cases without a record.
        notes: how many things are told that break nothing; each stands in its case, or in the
            footer if it is of the run as a whole.
        not_reached: requirements that no case came to look at, because others were broken first.
        exit_status: what `rpcrdma certify` ended with.
        header: what made the run.
        cases: in the order in which they were judged.
        footer: how the run ended; None if it was cut off before it could say so.
        baseline: how the run compares with a baseline; None if there was none.
    """

    schema: str = msgspec.field(name="$schema")
    format: int
    counts: dict[str, int]
    missing: tuple[str, ...]
    not_reached: tuple[str, ...]
    exit_status: int
    header: RunHeader
    cases: tuple[CaseRecord, ...]
    footer: RunFooter | None
    baseline: BaselineReport | None = None
    notes: int = 0


def json_document(run: RunRecord, check: BaselineCheck | None = None) -> bytes:
    """The document, with what a baseline says of the run."""
    summary = summarise(run)
    report = JsonReport(
        schema=IDENTITY,
        format=FORMAT_VERSION,
        counts={verdict.value: count for verdict, count in summary.counts.items()},
        missing=summary.missing,
        not_reached=tuple(result.citation.id for result in summary.not_reached),
        exit_status=exit_status(run, check),
        header=run.header,
        cases=run.cases,
        footer=run.footer,
        baseline=_compared(check) if check else None,
        notes=summary.notes,
    )
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def _compared(check: BaselineCheck) -> BaselineReport:
    return BaselineReport(
        check.file,
        tuple(KnownDeviation(case, known.why, known.link) for case, known in check.known.items()),
        tuple(Disagreement(problem.case, problem.sentence) for problem in check.problems),
    )
