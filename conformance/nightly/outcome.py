"""What came of a stage: from how its process ended, and from the files that it has left."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import msgspec

from conformance.bad_input import BadInput
from conformance.explore.finding import load
from conformance.nightly.record import NightFinding, StageOutcome, StageResult
from conformance.nightly.stage import StageKind
from reports.printable import printable_line
from reports.record import Verdict
from reports.render.json import BaselineReport  # noqa: TC001  (msgspec: at run time)
from reports.stream import RunFileError, read_run
from reports.summary import CUT_SHORT, NOTHING_JUDGED, counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.nightly.process import ProcessEnd
    from conformance.nightly.stage import NightStage

__all__ = ["LOG", "RUN", "outcome_of", "with_results"]

LOG: Final = "log.txt"
RUN: Final = "run"
_RECORDS: Final = "records.jsonl"
_REPORT: Final = "report.json"
_JUNIT: Final = "junit.xml"

_OF_RPCRDMA: Final = {
    0: StageOutcome.CLEAN,
    1: StageOutcome.FAILED,
    2: StageOutcome.NOT_RUN,
    NOTHING_JUDGED: StageOutcome.NOT_RUN,
    CUT_SHORT: StageOutcome.CUT,
}
_OF_PYTEST: Final = {
    0: StageOutcome.CLEAN,
    1: StageOutcome.FAILED,
    2: StageOutcome.DIED,  # interrupted by nobody of us, or a test file that cannot be imported
    4: StageOutcome.NOT_RUN,
    5: StageOutcome.NOT_RUN,
}
"""Exit status -> outcome; any other one, and death by a signal, is no end of a command's own."""

_RATES: Final = (
    (re.compile(r"(\d+) executions, (\d+) a second"), ("inputs", "inputs a second")),
    (
        re.compile(r"(\d+) sequences \(\d+ steps\) in \d+ s, (\d+) a minute"),
        ("sequences", "sequences a minute"),
    ),
)
"""What `rpcrdma fuzz` and `rpcrdma explore` print at their end."""

_SERVES_NO_MORE: Final = "rpcrdma explore: "
"""With what its line begins about a device that serves no more."""

_LINE: Final = 300
"""Letters of a reason: the rest is in the stage's own report."""

_TAIL: Final = 20_000
"""Octets of a log in which its last words are looked for."""


def outcome_of(stage: NightStage, ended: ProcessEnd, log: Path) -> tuple[StageOutcome, str]:
    """What became of a stage, and why in one sentence unless all is well."""
    if ended.status is None:
        return StageOutcome.NOT_RUN, ended.problem
    if ended.killed:
        return StageOutcome.HUNG, "it did not end when it was interrupted, and was killed"
    if ended.overran and stage.ends_by_signal:
        # What had failed until then is in its results; pytest's status says "interrupted" alone.
        return StageOutcome.CLEAN, ""
    if ended.overran:
        return StageOutcome.HUNG, f"its time was over; {last_words(log)}".rstrip("; ")
    table = _OF_PYTEST if stage.kind is StageKind.TESTS else _OF_RPCRDMA
    outcome = table.get(ended.status, StageOutcome.DIED)
    if outcome is StageOutcome.CLEAN:
        return outcome, ""
    if outcome is StageOutcome.DIED:
        return outcome, f"it ended with status {ended.status}; {last_words(log)}".rstrip("; ")
    return outcome, last_words(log)


def last_words(log: Path) -> str:
    """The last line of a log that says something; empty if there is none."""
    octets = log.read_bytes()[-_TAIL:] if log.is_file() else b""
    lines = [line.strip() for line in octets.decode(errors="replace").splitlines()]
    return _line(next((line for line in reversed(lines) if line), ""))


def with_results(result: StageResult, stage: NightStage, folder: Path) -> StageResult:
    """A result with what the files say that the stage has left in its folder."""
    match stage.kind:
        case StageKind.RUN:
            return _with_run(result, folder / RUN)
        case StageKind.TESTS:
            return _with_tests(result, folder / _JUNIT)
        case StageKind.FINDINGS | StageKind.LIVE:
            return _with_findings(result, stage, folder)


def _with_findings(result: StageResult, stage: NightStage, folder: Path) -> StageResult:
    live = stage.kind is StageKind.LIVE
    told = _live_report(folder / "report.json") if live else None
    found = tuple(_findings(folder / "findings", stage.kernel))
    rates = told.rates if told else printed_rates(folder / LOG)
    result = msgspec.structs.replace(result, findings=found, rates=rates)
    trouble = told.stopped if told else _trouble(folder)
    if trouble and result.outcome is StageOutcome.FAILED:
        # More than findings, which may be known: the device, or its machine, was gone.
        return msgspec.structs.replace(result, outcome=StageOutcome.DIED, why=_line(trouble))
    if found and result.outcome is StageOutcome.FAILED:
        return msgspec.structs.replace(result, why=counted(len(found), "finding"))
    return result


def _trouble(folder: Path) -> str:
    """What `rpcrdma explore` says of a device that serves no more, or whose kernel has died."""
    log = folder / LOG
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    said = (line for line in text.splitlines() if line.startswith(_SERVES_NO_MORE))
    died = (f"its kernel died: {file}" for file in folder.glob("findings/*.console.log"))
    return next(said, "") or next(died, "")


def _with_run(result: StageResult, folder: Path) -> StageResult:
    if not (folder / _RECORDS).is_file():
        return result
    try:
        run = read_run(folder / _RECORDS)
    except RunFileError as error:
        died = StageOutcome.DIED
        return msgspec.structs.replace(result, outcome=died, why=_line(str(error)))
    quiet = (Verdict.PASS, Verdict.NA)
    told = [case for case in run.cases if case.verdict not in quiet]
    counts = {
        verdict.value: sum(case.verdict is verdict for case in run.cases) for verdict in Verdict
    }
    seconds = run.footer.duration if run.footer else 0.0
    if result.by_baseline:
        failures = _disagreements(folder / _REPORT)
        found = f"{counted(len(failures), 'case')} not as the baseline says"
    else:
        heavy = (Verdict.FAIL, Verdict.ERROR)
        failures = {case.id: _line(case.reason) for case in told if case.verdict in heavy}
        found = f"{counted(len(failures), 'case')} failed"
    return msgspec.structs.replace(
        result,
        why=found if result.outcome is StageOutcome.FAILED and failures else result.why,
        failures=failures,
        counts=counts,
        verdicts={case.id: case.verdict.value for case in told},
        passed=tuple(case.id for case in run.cases if case.verdict is Verdict.PASS),
        reasons={case.id: _line(case.reason) for case in told},
        rates={"cases a second": len(run.cases) / seconds} if seconds else {},
    )


def _disagreements(report: Path) -> dict[str, str]:
    """Case -> in what run and baseline disagree; nothing if the run did not come so far."""
    if not report.is_file():
        return {}
    told = msgspec.json.decode(report.read_bytes(), type=_RunReport)
    problems = told.baseline.problems if told.baseline else ()
    return {one.case: _line(one.problem) for one in problems}


def _with_tests(result: StageResult, junit: Path) -> StageResult:
    if not junit.is_file():
        return result
    try:
        # pytest of this Python has written it.
        cases = list(ET.parse(junit).getroot().iter("testcase"))  # noqa: S314
    except ET.ParseError as error:
        died = StageOutcome.DIED
        return msgspec.structs.replace(result, outcome=died, why=f"{junit.name}: {error}")
    failed: dict[str, str] = {}
    for case in cases:
        trouble = case.find("failure")
        trouble = case.find("error") if trouble is None else trouble
        if trouble is not None:
            name = f"{case.get('classname', '')}::{case.get('name', '')}"
            failed[name] = _line(trouble.get("message", ""))
    outcome = result.outcome
    if failed and outcome is StageOutcome.CLEAN:
        outcome = StageOutcome.FAILED
    return msgspec.structs.replace(
        result,
        outcome=outcome,
        why=result.why or (f"{len(failed)} of {len(cases)} tests failed" if failed else ""),
        counts={"tests": len(cases), "failed": len(failed)},
        verdicts=dict.fromkeys(failed, Verdict.FAIL.value),
        reasons=failed,
        failures=failed,
    )


def _findings(folder: Path, kernel: str) -> Iterator[NightFinding]:
    """Those below a folder; a live campaign has a folder for each cause."""
    for file in sorted(folder.rglob("*.json")):
        try:
            finding = load(file)
        except (BadInput, OSError):
            continue
        if not finding.way:
            continue  # half a file, of a stage that was ended while it wrote
        cause = f"{finding.way}: {', '.join(finding.broken)}"
        again = ["rpcrdma", "replay", str(file)]
        again += [finding.target] * bool(finding.target)
        again += ["--kernel", kernel] * bool(kernel)
        yield NightFinding(_line(cause), _line(finding.detail), shlex.join(again))


def printed_rates(log: Path) -> dict[str, float]:
    """What a command has printed of how much it did; nothing if it has not come so far."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    rates: dict[str, float] = {}
    for pattern, (total, rate) in _RATES:
        for found in pattern.finditer(text):
            rates |= {total: float(found[1]), rate: float(found[2])}
    return rates


def _live_report(report: Path) -> _LiveReport | None:
    """What a live campaign has left; None if it did not come so far."""
    return msgspec.json.decode(report.read_bytes(), type=_LiveReport) if report.is_file() else None


class _RunReport(msgspec.Struct):
    """What of the report of a run is read."""

    baseline: BaselineReport | None = None


class _LiveReport(msgspec.Struct):
    """What of a live campaign's report is read."""

    inputs: int
    rate: float
    stopped: str = ""

    @property
    def rates(self) -> dict[str, float]:
        return {"inputs": float(self.inputs), "inputs a second": self.rate}


def _line(text: str) -> str:
    line = printable_line(" ".join(text.split()))
    return line if len(line) <= _LINE else line[: _LINE - 3] + "..."
