"""Judges variants over `roce` or `verbs`, and compares that with loopback.

Over `verbs` the suite runs in the lab's guest, where starting takes longest: several variants share
a guest.  A run that was ended goes on when it is started again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.proof.detect.reach import digest_of_code
from conformance.proof.detect.run import commit_of_code
from conformance.proof.variants.plan import chosen_cases
from conformance.proof.variants.results import Judged, OfCode, Other, VariantResults
from conformance.suite.guest import GuestOrder, certifier
from conformance.suite.in_lab import collect_all, lab_run
from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from reports.record import Verdict
from targets.lab.place import RunPlace, place_of
from targets.registry import find_any_target, find_profile
from targets.variants.base import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from reports.record import CaseRecord
    from targets.variants.base import Variant

__all__ = ["RESULTS", "SAMPLE", "WORKERS", "VariantPlan", "compared", "judge_all"]

RESULTS: Final = "variants.jsonl"
"""Name of the file of results in a run's folder."""

IN_ONE_GUEST: Final = 8
"""Variants that are judged in one guest: what was judged before a run ended is lost with it."""

SAMPLE: Final = 24
"""Cases beside those that a choice concerns."""

WORKERS: Final = 4
"""Processes for one variant: mostly they wait for a grace period to pass."""


@dataclass(frozen=True, slots=True)
class VariantPlan:
    """What is to be judged.

    Attributes:
        folder: where results are.  fabric: `roce` or `verbs`.
        variants: which.
        sample: cases beside those that a choice concerns.  seed: of the sample.
        workers: processes that share the cases of a variant.
    """

    folder: Path
    fabric: str
    variants: tuple[Variant, ...]
    sample: int = SAMPLE
    seed: int = 1
    workers: int = WORKERS


def judge_all(
    plan: VariantPlan, on_judged: Callable[[Judged, int], None]
) -> tuple[OfCode, tuple[Judged, ...]]:
    """Judge the variants of a plan that have not been judged yet on its fabric.

    Args:
        plan: what.
        on_judged: called after each with what came of it, and how many are left.

    Returns:
        The head, and what came of every variant on every fabric that the folder has.

    Raises:
        BadInput: the folder has results of something else.
        LabError: the guest could not be brought up.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    head = OfCode(digest_of_code(), commit_of_code(), plan.sample, plan.seed)
    results = VariantResults(plan.folder / RESULTS, head)
    left = [one for one in plan.variants if (plan.fabric, one.slug) not in results.done]
    for number, judged in enumerate(_judged(plan, left), start=1):
        results.add(judged)
        on_judged(judged, len(left) - number)
    return results.head, tuple(results.done.values())


def compared(
    judged: Judged,
    records: Sequence[CaseRecord],
    reference: Mapping[str, Verdict],
    loopback: Mapping[str, Verdict],
) -> Judged:
    """What records say, beside the verdicts of the reference and of loopback.

    Args:
        judged: what else there is to say.
        records: of the variant over the fabric.
        reference: its verdicts on loopback.
        loopback: the variant's.
    """
    return Judged(
        judged.variant,
        judged.fabric,
        len(records),
        sum(record.verdict is Verdict.PASS for record in records),
        tuple(_others(records, reference)),
        tuple(_others(records, loopback)),
        judged.problem,
        judged.seconds,
    )


def _others(records: Iterable[CaseRecord], expected: Mapping[str, Verdict]) -> Iterator[Other]:
    for record in records:
        usual = expected.get(record.id, Verdict.NA)
        # What takes packets to be lost is N/A on loopback.
        if record.verdict is usual or (usual, record.verdict) == (Verdict.NA, Verdict.PASS):
            continue
        yield Other(record.id, usual, record.verdict, record.reason)


def _judged(plan: VariantPlan, variants: Sequence[Variant]) -> Iterator[Judged]:
    if not variants:
        return
    place = place_of(find_profile(f"{PREFIX}{variants[0].slug}"), plan.fabric)
    if place is not RunPlace.ALL_IN_GUEST:
        for one in variants:
            yield _here(plan, one)
        return
    for begin in range(0, len(variants), IN_ONE_GUEST):
        yield from _in_guest(plan, variants[begin : begin + IN_ONE_GUEST])


def _here(plan: VariantPlan, one: Variant) -> Judged:
    began = time.monotonic()
    selection = _selection(plan, one)
    target = find_any_target(f"{PREFIX}{one.slug}", plan.fabric)
    record = certifier(plan.workers)(target, selection, plan.folder / one.slug, captures=False)
    judged = Judged(one.slug, plan.fabric, 0, 0, seconds=time.monotonic() - began)
    return _with_loopback(judged, one, selection, record.cases)


def _in_guest(plan: VariantPlan, variants: Sequence[Variant]) -> Iterator[Judged]:
    began = time.monotonic()
    selections = [_selection(plan, one) for one in variants]
    orders = [
        GuestOrder(
            f"{PREFIX}{one.slug}",
            plan.fabric,
            str((plan.folder / one.slug).resolve()),
            selection,
            workers=plan.workers,
        )
        for one, selection in zip(variants, selections, strict=True)
    ]
    run = lab_run(orders, find_profile(orders[0].target))
    found = collect_all(run, [plan.folder / one.slug for one in variants])
    seconds = (time.monotonic() - began) / len(variants)
    for one, selection, (record, problem) in zip(variants, selections, found, strict=True):
        judged = Judged(one.slug, plan.fabric, 0, 0, problem=problem, seconds=seconds)
        yield _with_loopback(judged, one, selection, record.cases)


def _with_loopback(
    judged: Judged, one: Variant, selection: Selection, records: Sequence[CaseRecord]
) -> Judged:
    reference = _verdicts(one.profile_name, selection)
    return compared(judged, records, reference, _verdicts(f"{PREFIX}{one.slug}", selection))


def _selection(plan: VariantPlan, one: Variant) -> Selection:
    cases = chosen_cases(one, plan.sample, plan.seed)
    return Selection(cases=cases, destructive=True)


def _verdicts(name: str, selection: Selection) -> dict[str, Verdict]:
    """On loopback, in this process, in virtual time."""
    records = judge(find_any_target(name, "loopback"), selection)
    return {record.id: record.verdict for record in records}
