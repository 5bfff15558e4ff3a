"""Annotations of GitHub Actions: what failed, once for each cause, and the run in one line.

GitHub shows ten errors and ten warnings of a step and drops the others, so the last of ten counts
what is left.  What a device sent is data: it is escaped, and begins no line of its own.

docs.github.com, "Workflow commands for GitHub Actions", "Setting an error message"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports.printable import printable
from reports.render.ci_case import CiCase, CiResult, ci_cases
from reports.render.oneline import one_line
from reports.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reports.baseline import BaselineCheck
    from reports.record import CaseRecord, RunRecord

__all__ = ["github_annotations"]

_SHOWN: Final = 10
"""Annotations of one kind that GitHub shows of a step."""


def github_annotations(run: RunRecord, check: BaselineCheck | None = None) -> str:
    """The lines that a step of a workflow prints, with what a baseline says of the run."""
    found = ci_cases(run, check)
    # What has no record has one cause, the end of the run, of which the last line tells.
    unjudged = (CiResult.ERROR, "")
    failures = [
        case
        for case in found
        if not case.result.good and not case.same_as and (case.result, case.verdict) != unjudged
    ]
    warned = [
        case
        for case in found
        if case.result is CiResult.PASSED and case.explanation and not case.same_as
    ]
    titles = {case.id: case for case in run.cases}
    lines = [*_annotations("error", failures, found, titles)]
    lines += _annotations("warning", warned, found, titles)
    lines.append(_command("notice", f"rpcrdma {run.header.target}", one_line(run, check)))
    return "\n".join(lines) + "\n"


def _annotations(
    kind: str,
    told: Sequence[CiCase],
    found: Sequence[CiCase],
    cases: dict[str, CaseRecord],
) -> Iterator[str]:
    shown = told if len(told) <= _SHOWN else told[: _SHOWN - 1]
    for case in shown:
        others = sum(case.id == other.same_as for other in found)
        lines = [case.message]
        if others:
            lines.append(f"by the same cause: {counted(others, 'case')} more")
        if record := cases.get(case.id):
            lines += (record.title, f"run again: {record.rerun}")
        title = " ".join(filter(None, (case.verdict, case.id)))
        yield _command(kind, title, "\n".join(printable(tuple(lines))))
    if left := len(told) - len(shown):
        yield _command(kind, "rpcrdma", f"{left} more: see the report")


def _command(kind: str, title: str, message: str) -> str:
    name = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
