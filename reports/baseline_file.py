"""Draws a baseline up from a run, for a person to fill in the reasons; see `reports.baseline`.

What an earlier baseline says of deviations that are still there survives: its reasons, links,
kernels and texts.  Comments of the file do not.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from reports.baseline import DEVIATIONS, Baseline, BaselineFinding, KnownCase, kernel_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from reports.record import CaseRecord, RunRecord, Verdict

__all__ = ["Draft", "draw_up", "render_baseline", "stable_text"]

_VOLATILE: Final = re.compile(
    r"\b(?:(?:handle|offset) 0x[0-9a-f]+(?: instead of 0x[0-9a-f]+)?"
    r"|octet \d+ 0x[0-9a-f]{9,} instead of 0x[0-9a-f]{9,}|xid 0x[0-9a-f]+)"
)
"""What differs from run to run: where memory lies, and XIDs, by themselves and in several words."""

_LAST_WORDS: Final = re.compile(
    r"(?<=\w); (?:it said last|the kernel says): (?!Out of memory).*", re.DOTALL
)
"""What follows the way in which a device died: with its times, processes and addresses."""

_OUT_OF_MEMORY: Final = re.compile(r"(; the kernel says: Out of memory).*", re.DOTALL)

_TELLING: Final = 20
"""Fewest characters of a piece between two volatile ones that is worth matching."""

_HEAD: Final = """\
# Known deviations; layout and rules: reports/baseline.py.  Reasons survive when `rpcrdma baseline`
# draws this file up again, comments do not.
"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A baseline, and what became of an earlier one.

    Attributes:
        baseline: to be written; findings without a reason come last.
        unexplained: cases that need a reason.
        dropped: cases that the earlier one listed and that are no deviations any more.
    """

    baseline: Baseline
    unexplained: tuple[str, ...]
    dropped: tuple[str, ...]


def draw_up(run: RunRecord, earlier: Baseline | None = None) -> Draft:
    """A baseline for what a run found; an earlier one gives the reasons that it has.

    What the earlier one lists for other kernels, and cases that the run did not judge, stay as they
    are.  A deviation that is listed with another verdict has to be explained again.
    """
    kernel = kernel_of(run)
    judged = {case.id: case for case in run.cases}
    kept: list[BaselineFinding] = []
    dropped: list[str] = []
    explained: set[str] = set()
    raced = {
        (case.id, case.verdict)
        for finding in (earlier.finding if earlier else ())
        for case in finding.case
        if finding.holds_for(kernel) and case.sometimes
    }
    for finding in earlier.finding if earlier else ():
        if not finding.holds_for(kernel):
            kept.append(finding)
            continue
        still = [case for case in finding.case if _is_still_there(case, judged, raced)]
        dropped += [case.id for case in finding.case if case not in still]
        if finding.why.strip():
            explained.update(case.id for case in still)
            cases = tuple(_refreshed(case, judged.get(case.id)) for case in still)
            kept.append(msgspec.structs.replace(finding, case=cases))
    fresh = [case for case in run.cases if case.verdict in DEVIATIONS and case.id not in explained]
    elsewhere = {case.id for finding in kept for case in finding.case}
    new = _grouped(fresh, kernel, elsewhere)
    findings = (*(finding for finding in kept if finding.case), *new)
    there = {case.id for case in fresh}
    return Draft(
        Baseline(earlier.target if earlier else run.header.profile, findings),
        tuple(case.id for case in fresh),
        tuple(identity for identity in dropped if identity not in there),
    )


def stable_text(reason: str) -> str | tuple[str, ...]:
    """The part of a reason that is the same in every run; several parts if there are gaps."""
    reason = _LAST_WORDS.sub("", _OUT_OF_MEMORY.sub(r"\1", reason))
    pieces = [piece.strip() for piece in _VOLATILE.split(reason)]
    telling = tuple(piece for piece in pieces if len(piece) >= _TELLING) or (max(pieces, key=len),)
    return telling if len(telling) > 1 else telling[0]


def render_baseline(baseline: Baseline) -> str:
    """The file, as TOML."""
    blocks = [f"{_HEAD}target = {_quoted(baseline.target)}"]
    for finding in baseline.finding:
        lines = ["[[finding]]", f"why = {_quoted(finding.why)}"]
        if finding.link:
            lines.append(f"link = {_quoted(finding.link)}")
        if finding.kernels:
            lines.append(f"kernels = {_quoted(finding.kernels)}")
        blocks.append("\n".join(lines))
        blocks += [
            f"[[finding.case]]\nid = {_quoted(case.id)}\nverdict = {_quoted(case.verdict.value)}"
            f"\ntext = {_quoted(case.text)}" + ("\nsometimes = true" if case.sometimes else "")
            for case in finding.case
        ]
    return "\n\n".join(blocks) + "\n"


def _is_still_there(
    known: KnownCase,
    judged: Mapping[str, CaseRecord],
    raced: Container[tuple[str, Verdict]],
) -> bool:
    """Whether a run lets an entry stand; `raced` are the ends of what shows only sometimes."""
    case = judged.get(known.id)
    if case is None or case.verdict is known.verdict:
        return True
    other_end = case.verdict not in DEVIATIONS or (known.id, case.verdict) in raced
    return known.sometimes and other_end


def _refreshed(known: KnownCase, case: CaseRecord | None) -> KnownCase:
    """With a text that matches; one that was written by hand stays as long as it does."""
    if case is None or case.verdict is not known.verdict or known.describes(case.reason):
        return known
    return msgspec.structs.replace(known, text=stable_text(case.reason))


def _known(case: CaseRecord) -> KnownCase:
    return KnownCase(case.id, case.verdict, stable_text(case.reason))


def _grouped(
    cases: Iterable[CaseRecord], kernel: str, elsewhere: set[str]
) -> list[BaselineFinding]:
    """A finding for each scenario; those that other kernels have, too, are for this one alone."""
    groups: dict[tuple[str, bool], list[KnownCase]] = {}
    for case in cases:
        scenario = case.id.partition("[")[0]
        groups.setdefault((scenario, case.id in elsewhere), []).append(_known(case))
    return [
        BaselineFinding("", tuple(group), kernels=(kernel,) if shared and kernel else ())
        for (_, shared), group in groups.items()
    ]


def _quoted(value: str | tuple[str, ...]) -> str:
    """As TOML: its basic strings are JSON's, but for the DEL character."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(map(_quoted, value))}]"
