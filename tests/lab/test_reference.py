"""The reference over Soft-RoCE, in both roles: the same verdicts as without a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.suite.runner import certify, collect_cases
from conformance.suite.selection import Selection
from targets.registry import find_any_target, find_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from conformance.suite.guest import GuestOrder
    from reports.record import RunRecord, Verdict

# Few cases that use all that an endpoint asks of a fabric: in the guest everything takes its time.
# What the fabric promises is held by test_fabric_contract.py, and all of the documents are compared
# over packets, without a guest: test_reference_roce.py.
CHOSEN = {
    "reference": ("rfc8166/3.5.3/", "bidir/2.1/", "bidir/2.1.", "rtrext/7.3/"),
    "reference-client": (
        "rfc8166/4.3.2",
        "v2/5.2/requester-goes-on-in-version-one",
        "xcharext/3.2/client-takes-replies-of-either-kind-in-any-order",
        "rtrext/7.3/",
    ),
}
"""What the ids of the cases begin with, by target."""


def selection_of(target: str) -> Selection:
    role = find_profile(target).claims.roles[0]
    cases = (case.id for case in collect_cases() if case.role == role)
    return Selection(cases=tuple(case for case in cases if case.startswith(CHOSEN[target])))


RUNS = {target: (target, selection_of(target)) for target in CHOSEN}


@pytest.fixture(scope="module")
def orders(order: Callable[..., GuestOrder]) -> Mapping[str, GuestOrder]:
    return {run: order(target, selection, "verbs", 2) for run, (target, selection) in RUNS.items()}


def verdicts(record: RunRecord) -> list[tuple[str, Verdict]]:
    return [(case.id, case.verdict) for case in record.cases]


@pytest.mark.parametrize("run", RUNS)
def test_the_reference_gets_the_same_verdicts_over_verbs_as_on_loopback(
    tmp_path: Path, runs: Mapping[str, RunRecord], run: str
) -> None:
    target, selection = RUNS[run]
    loopback = certify(find_any_target(target), selection, tmp_path)
    verbs = runs[run]
    assert verbs.header.fabric == "verbs rxe0"
    assert verdicts(verbs) == verdicts(loopback)
