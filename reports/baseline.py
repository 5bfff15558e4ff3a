"""Known deviations: which verdicts of a run are expected, and why.

A baseline is a file (TOML, or JSON of the same layout) that groups cases by what was found out
about them:

    target = "linux-server"

    [[finding]]
    why = "H-1 Short messages are answered"
    link = "findings-header.md#h-1"
    kernels = ["6.1"]

    [[finding.case]]
    id = "rfc8166/4.5/responder-discards-a-message-shorter-than-a-header[0-octets]"
    verdict = "FAIL"
    text = "was not discarded: ERR_CHUNK"

It is strict, so that a nightly run is green until something changes, and not a day longer: another
verdict, another text, a listed case that passes now or does not exist any more, and a deviation
that is not listed, each fail the run.  Only a case that is marked `sometimes = true` may pass, or
be not applicable, as well: its device races with itself, and no single run tells more.  Where such
a race has several ends, the case is listed for each of them, so marked, and comes as one of them.
What the run's selection leaves out, and what is listed for other kernels, does not count.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from reports.record import CaseRecord, RunRecord, Verdict

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

__all__ = [
    "DEVIATIONS",
    "Baseline",
    "BaselineCheck",
    "BaselineError",
    "BaselineFinding",
    "Known",
    "KnownCase",
    "Problem",
    "check_baseline",
    "kernel_of",
    "load_baseline",
    "read_baseline",
    "resolved_link",
]

DEVIATIONS: Final = frozenset({Verdict.FAIL, Verdict.WARN, Verdict.INCONC, Verdict.ERROR})
"""Verdicts that a baseline must know of."""

Text = Annotated[str, msgspec.Meta(min_length=1)]


class BaselineError(Exception):
    """A baseline that cannot be used; the message names file, entry and what to do."""


class KnownCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One case of a finding.

    Attributes:
        id: of the case, with its parameters.
        verdict: that it has.
        text: what the reason must contain; of several texts, each, in this order.
        sometimes: the device decides by chance: that it passes now and then is no news, nor that
            the case is not applicable, where the device takes its choice that way round.
    """

    id: Text
    verdict: Verdict
    text: Text | Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    sometimes: bool = False

    @property
    def fragments(self) -> tuple[str, ...]:
        """The texts."""
        return (self.text,) if isinstance(self.text, str) else self.text

    def describes(self, reason: str) -> bool:
        """Whether a reason contains every text, in order."""
        start = 0
        for fragment in self.fragments:
            at = reason.find(fragment, start)
            if at < 0:
                return False
            start = at + len(fragment)
        return True


class BaselineFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that was found out about a device, and the cases in which it shows.

    Attributes:
        why: what it is, in a sentence or a heading; empty only in a file that nobody has edited.
        case: the cases.
        link: where more is said: an address, or a path relative to the baseline's folder.
        kernels: beginnings of the releases for which it holds (`6.1` is 6.1.0-56, not 6.12); empty
            for all.
    """

    why: str
    case: tuple[KnownCase, ...]
    link: str = ""
    kernels: tuple[Text, ...] = ()

    def holds_for(self, kernel: str) -> bool:
        """Whether it holds for a release."""
        return not self.kernels or any(
            re.match(rf"{re.escape(beginning)}(?!\d)", kernel) for beginning in self.kernels
        )


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file; `target` is the name of the profile that it is for."""

    target: Text
    finding: tuple[BaselineFinding, ...] = ()

    def entries(self, kernel: str) -> Iterator[tuple[BaselineFinding, KnownCase]]:
        """Every case that is known for a release."""
        for finding in self.finding:
            if finding.holds_for(kernel):
                for case in finding.case:
                    yield finding, case


@dataclass(frozen=True, slots=True)
class Known:
    """Why a deviation of a run is known; `link` is an address, or a path from where we stand."""

    why: str
    link: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Where run and baseline disagree: about which case, and how."""

    case: str
    sentence: str


@dataclass(frozen=True, slots=True)
class BaselineCheck:
    """A run, compared with a baseline.

    Attributes:
        file: the baseline's, as it was named.
        known: for each deviation that is as the baseline says, why it is known.
        problems: everything else in which they disagree, in the order of the run's cases; what is
            in the baseline alone comes last.
    """

    file: str
    known: dict[str, Known]
    problems: tuple[Problem, ...]

    def problem_with(self, case: str) -> str:
        """The sentence about one case; empty if there is none."""
        return next((found.sentence for found in self.problems if found.case == case), "")


def load_baseline(path: Path, target: str = "") -> Baseline:
    """Read a baseline that is ready for use.

    Args:
        path: the file; JSON if so named.
        target: name of the profile that it must be for; any if empty.

    Raises:
        BaselineError: it cannot be read, is no baseline, contradicts itself, leaves out a reason or
            is for another target.
    """
    baseline = read_baseline(path)
    if target and baseline.target != target:
        raise BaselineError(f"{path}: is for target `{baseline.target}`, not for `{target}`")
    for number, finding in enumerate(baseline.finding, 1):
        if not finding.why.strip():
            cases = ", ".join(case.id for case in finding.case[:2])
            raise BaselineError(
                f"{path}: finding {number} ({cases} ...) has no `why`;"
                " say why these deviations are known"
            )
    return baseline


def read_baseline(path: Path) -> Baseline:
    """Read a baseline, which may still lack reasons.

    Raises:
        BaselineError: it cannot be read, is no baseline, or contradicts itself.
    """
    try:
        raw = path.read_bytes()
        if path.suffix == ".json":
            baseline = msgspec.json.decode(raw, type=Baseline)
        else:
            baseline = msgspec.convert(tomllib.loads(raw.decode()), Baseline)
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.MsgspecError) as error:
        raise BaselineError(f"{path}: is no baseline: {error}") from error
    _refuse_contradictions(path, baseline)
    return baseline


def kernel_of(run: RunRecord) -> str:
    """Release of the kernel on which the run was made; empty if its records do not say."""
    return dict(run.header.facts).get("kernel", "")


def check_baseline(
    run: RunRecord, baseline: Baseline, file: Path, exists: Container[str]
) -> BaselineCheck:
    """Compare a run with a baseline.

    Args:
        run: what came out.
        baseline: what was expected.
        file: where the baseline is: links are relative to its folder.
        exists: ids of every case that the suite has, whether selected or not.
    """
    listed: dict[str, list[tuple[BaselineFinding, KnownCase]]] = {}
    for finding, entry in baseline.entries(kernel_of(run)):
        listed.setdefault(entry.id, []).append((finding, entry))
    known: dict[str, Known] = {}
    problems: list[Problem] = []
    for case in run.cases:
        if case.id not in listed:
            if case.verdict in DEVIATIONS:
                sentence = f"{case.verdict.value} is not in the baseline."
                problems.append(Problem(case.id, sentence))
            continue
        ends = listed.pop(case.id)
        if ends[0][1].sometimes and case.verdict not in DEVIATIONS:
            continue
        differences = [_difference(case, entry) for _, entry in ends]
        if all(differences):
            problems.append(Problem(case.id, differences[0]))
        else:
            finding, _ = ends[differences.index("")]
            known[case.id] = Known(finding.why, resolved_link(finding.link, file))
    problems += [
        Problem(identity, "The baseline lists this case, but the suite has no such case any more.")
        for identity in listed
        if identity not in exists
    ]
    return BaselineCheck(str(file), known, tuple(problems))


def _difference(case: CaseRecord, entry: KnownCase) -> str:
    """What is other than known; empty if nothing is."""
    if case.verdict not in DEVIATIONS:
        return (
            f"The baseline lists {entry.verdict.value}, but the verdict is {case.verdict.value} now"
            ": remove the entry."
        )
    if case.verdict is not entry.verdict:
        return f"{case.verdict.value} came where the baseline lists {entry.verdict.value}."
    if not entry.describes(case.reason):
        wanted = " ... ".join(entry.fragments)
        return f"The reason is another than the baseline's, which has: {wanted}"
    return ""


def resolved_link(link: str, file: Path) -> str:
    """The link of a finding, as seen from where we stand; its paths go from the file's folder."""
    return link if not link or "://" in link else str(file.parent / link)


def _refuse_contradictions(path: Path, baseline: Baseline) -> None:
    seen: dict[str, list[tuple[BaselineFinding, KnownCase]]] = {}
    for finding in baseline.finding:
        for case in finding.case:
            if case.verdict not in DEVIATIONS:
                raise BaselineError(f"{path}: {case.id}: {case.verdict.value} is no deviation")
            for other, listed in seen.get(case.id, ()):
                if _overlap(finding, other) and not (case.sometimes and listed.sometimes):
                    raise BaselineError(
                        f"{path}: {case.id} is listed twice for the same kernel,"
                        " and not `sometimes` each time"
                    )
            seen.setdefault(case.id, []).append((finding, case))


def _overlap(one: BaselineFinding, other: BaselineFinding) -> bool:
    """Whether two findings can hold for the same kernel."""
    if not one.kernels or not other.kernels:
        return True
    return any(other.holds_for(kernel) for kernel in one.kernels) or any(
        one.holds_for(kernel) for kernel in other.kernels
    )
