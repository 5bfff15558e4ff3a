"""The page `results/variants/README.md`: what the suite says of lawful devices, over the wire."""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.proof.variants.results import read_results
from reports.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conformance.proof.variants.results import Judged, OfCode, Other

    Measured = tuple[OfCode, Sequence[Judged]]
    """What came of one fabric, and of which code and sample it is."""

__all__ = ["PAGE", "published", "record_of", "render", "summary"]

_FOLDER: Final = Path(__file__).parents[3] / "results" / "variants"
PAGE: Final = _FOLDER / "README.md"

_HEAD: Final = """\
# Lawful devices, over the wire

A variant is the reference endpoint with one lawful choice made otherwise (`targets/variants`). None
may fail or warn, and all are decided as the reference is, but for what its choice leaves open.
`tests/targets/variants` holds that on loopback, by all cases. Here each was a process of its own,
reached over `roce` (packets over UDP) or `verbs` (Soft-RoCE in the lab's guest), and was judged by
the cases that its choice concerns and by a sample of the others. `rpcrdma dev variants --fabric
roce --write`, and the same with `verbs`, make this page, and no word of it is changed by hand.
What was held against a variant and is mended was judged `--again`, by the later commit.
"""


def record_of(name: str, folder: Path = _FOLDER) -> Path:
    """A published record: each fabric is measured by itself, as verbs takes much longer.

    Args:
        name: of the fabric, with `-again` after it for what was judged once more by other code.
        folder: where records are.
    """
    return folder / f"{name}.jsonl"


def published(folder: Path = _FOLDER) -> list[Measured]:
    """All records that are published.

    Raises:
        BadInput: a record has other lines.
    """
    stem = attrgetter("stem")  # what was judged again comes after what was before
    return [read_results(path) for path in sorted(folder.glob("*.jsonl"), key=stem)]


def render(measured: Sequence[Measured]) -> str:
    """The text of the page."""
    return "\n".join(_lines(measured)) + "\n"


def summary(judged: Sequence[Judged]) -> str:
    """One sentence for each fabric."""
    return "; ".join(
        f"{fabric}: {counted(len(own), 'variant')},"
        f" {sum(one.cases for one in own)} verdicts,"
        f" {sum(len(one.held) for one in own)} of them held against a variant,"
        f" {sum(len(one.unlike_loopback) for one in own)} other than on loopback"
        for fabric, own in _by_fabric(judged)
    )


def _by_fabric(judged: Iterable[Judged]) -> list[tuple[str, list[Judged]]]:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.fabric].append(one)
    return sorted(groups.items())


def _lines(measured: Sequence[Measured]) -> Iterator[str]:
    yield _HEAD
    for head, own in measured:
        yield f"**{summary(own)}.**"
        yield (
            f"Measured at commit {head.commit}; the sample is of {head.sample} cases, drawn with"
            f" seed {head.seed}.\n"
        )
    judged = [one for _, own in measured for one in own]
    yield "- cases: that were judged; passed: of these;"
    yield "- unlike the reference: what a choice leaves open, and why: below;"
    yield "- unlike loopback: verdicts that differ by the fabric.\n"
    yield "| variant | fabric | cases | passed | unlike the reference | unlike loopback |"
    yield "| --- | --- |" + " ---: |" * 4
    ordered = sorted(judged, key=lambda one: (one.variant, one.fabric))
    for one in ordered:
        numbers = (one.cases, one.passed, len(one.unlike_reference), len(one.unlike_loopback))
        yield f"| `{one.variant}` | {one.fabric} | {' | '.join(map(str, numbers))} |"
    yield "\n## Unlike the reference\n"
    yield from (line for one in ordered for line in _by_reason(one, one.unlike_reference))
    yield "\n## Unlike loopback\n"
    yield from (line for one in ordered for line in _case_by_case(one, one.unlike_loopback))
    if cut := [one for one in ordered if one.problem]:
        yield "\n## Cut short\n"
        yield from (f"- `{one.variant}`, {one.fabric}: {one.problem}." for one in cut)


def _by_reason(judged: Judged, others: Iterable[Other]) -> Iterator[str]:
    """One line for all cases that are decided so for one reason."""
    counted = Counter((one.found.value, " ".join(one.reason.split())) for one in others)
    for (verdict, reason), count in sorted(counted.items()):
        cases = "1 case" if count == 1 else f"{count} cases"
        yield f"- `{judged.variant}`, {judged.fabric}: {cases} {verdict}: {reason}"


def _case_by_case(judged: Judged, others: Iterable[Other]) -> Iterator[str]:
    for one in others:
        verdicts = f"{one.found.value}, not {one.expected.value}"
        reason = " ".join(one.reason.split())
        yield f"- `{judged.variant}`, {judged.fabric}: `{one.case}` is {verdicts}: {reason}"
