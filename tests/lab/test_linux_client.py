"""The Linux kernel's client in the lab: it is mounted, made to act, and judged to the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.guest import Order
from conformance.in_lab import collect, lab_run
from conformance.runner import Selection, collect_cases
from reports.baseline import check_baseline, kernel_of, load_baseline
from reports.record import Verdict
from reports.summary import summarise
from targets.registry import find_profile

if TYPE_CHECKING:
    from reports.record import RunRecord

LINUX_6_1 = Path(__file__).parents[2] / "reports" / "linux-6.1" / "baseline-client.toml"


def certified(target: str, folder: Path, selection: Selection) -> RunRecord:
    run = lab_run(Order(target, "", str(folder), selection), find_profile(target))
    record, problem = collect(run, folder)
    assert problem == ""
    return record


def disagreements(record: RunRecord) -> dict[str, str]:
    """Where a run differs from what is published of Linux 6.1."""
    exists = {case.id for case in collect_cases()}
    check = check_baseline(record, load_baseline(LINUX_6_1), LINUX_6_1, exists)
    return {problem.case: problem.sentence for problem in check.problems}


def test_the_kernels_client_is_judged_to_the_end(tmp_path: Path) -> None:
    """By the cases of section 4.3, with findings among them; all take more than two minutes."""
    record = certified("linux-client", tmp_path, Selection(section="4.3", role="requester"))

    summary = summarise(record)
    assert summary.missing == ()
    assert summary.counts[Verdict.ERROR] == 0
    assert summary.counts[Verdict.PASS] > 25
    assert all((tmp_path / name).exists() for case in record.cases for name in case.evidence)
    assert [case.reason for case in record.cases if case.verdict is Verdict.INCONC] == []
    if kernel_of(record).startswith("6.1."):
        assert disagreements(record) == {}


@pytest.mark.parametrize("target", ["linux-client-nfs40", "linux-client-nfs41"])
def test_mounts_of_every_version_act(tmp_path: Path, target: str) -> None:
    cases = ("rfc8166/4/requester-makes-good-calls", "rfc8166/4/requester-reads-what-was-written")

    record = certified(target, tmp_path, Selection(cases=cases))

    assert {case.id: case.reason for case in record.cases if case.verdict is not Verdict.PASS} == {}
