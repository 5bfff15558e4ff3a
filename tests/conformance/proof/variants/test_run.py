"""Variants judged over packets, in guests, and compared with loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.proof.variants import run
from conformance.proof.variants.results import Judged, Other
from conformance.proof.variants.run import VariantPlan, compared, judge_all
from conformance.suite.runner import certify
from reports.record import CaseRecord, Verdict
from targets.registry import find_any_target
from targets.variants.base import find_variant

if TYPE_CHECKING:
    from pathlib import Path

GRANTS_ONE = find_variant("grants-one-credit")
WAITING = "rfc8166/3.3.1/responder-answers-calls-of-which-one-waits"
NEVER_ZERO = "rfc8166/3.3.1/responder-never-grants-zero-credits[0]"


def record(case: str, verdict: Verdict, reason: str = "") -> CaseRecord:
    return CaseRecord(case, "", verdict, reason)


def test_verdicts_are_compared_with_those_of_loopback_and_of_the_reference() -> None:
    records = [record("a", Verdict.PASS), record("b", Verdict.NA, "why"), record("c", Verdict.WARN)]
    reference = dict.fromkeys("abc", Verdict.PASS)
    loopback = {**reference, "b": Verdict.NA}

    found = compared(Judged("one", "roce", 0, 0, seconds=2.0), records, reference, loopback)

    assert (found.cases, found.passed, found.seconds) == (3, 1, 2.0)
    warned = Other("c", Verdict.PASS, Verdict.WARN, "")
    assert found.unlike_reference == (Other("b", Verdict.PASS, Verdict.NA, "why"), warned)
    assert found.unlike_loopback == (warned,)


def test_what_only_packets_can_show_may_pass() -> None:
    found = compared(
        Judged("one", "roce", 0, 0), [record("a", Verdict.PASS)], {"a": Verdict.NA}, {}
    )

    assert found.is_clean


@pytest.fixture
def _two_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "chosen_cases", lambda one, sample, seed: (NEVER_ZERO, WAITING))


@pytest.mark.usefixtures("_two_cases")
def test_a_variant_is_judged_over_packets_once(tmp_path: Path) -> None:
    plan = VariantPlan(tmp_path, "roce", (GRANTS_ONE,), workers=1)
    told: list[tuple[str, int]] = []

    _, judged = judge_all(plan, lambda one, left: told.append((one.variant, left)))
    _, again = judge_all(plan, lambda one, left: told.append((one.variant, left)))

    assert told == [("grants-one-credit", 0)]
    assert judged == again
    (one,) = judged
    assert (one.fabric, one.cases, one.passed, one.is_clean) == ("roce", 2, 1, True)
    assert [other.case for other in one.unlike_reference] == [WAITING]


@pytest.mark.long
@pytest.mark.usefixtures("_two_cases")
def test_several_variants_share_a_guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guests: list[list[str]] = []

    def in_guest(orders: list[run.GuestOrder], profile: object) -> list[run.GuestOrder]:
        guests.append([order.target for order in orders])
        return orders

    def collect(orders: list[run.GuestOrder], folders: list[Path]) -> list[object]:
        return [
            (certify(find_any_target(order.target), order.selection, folder), "it was ended")
            for order, folder in zip(orders, folders, strict=True)
        ]

    monkeypatch.setattr(run, "lab_run", in_guest)
    monkeypatch.setattr(run, "collect_all", collect)
    monkeypatch.setattr(run, "IN_ONE_GUEST", 2)
    names = ("grants-one-credit", "posts-larger-receives", "posts-few-receives")
    plan = VariantPlan(tmp_path, "verbs", tuple(map(find_variant, names)))

    _, judged = judge_all(plan, lambda one, left: None)

    assert guests == [[f"variant:{name}" for name in names[:2]], [f"variant:{names[2]}"]]
    assert [(one.variant, one.problem) for one in judged] == [
        (name, "it was ended") for name in names
    ]
