"""The Linux kernel's client in the lab: it is mounted, made to act, and judged to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.guest import Order
from conformance.in_lab import collect, lab_run
from conformance.runner import Selection
from reports.record import Verdict
from reports.summary import summarise
from targets.registry import find_profile

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord


def certified(target: str, folder: Path, selection: Selection) -> RunRecord:
    run = lab_run(Order(target, "", str(folder), selection), find_profile(target))
    record, problem = collect(run, folder)
    assert problem == ""
    return record


def test_the_kernels_client_is_judged_to_the_end(tmp_path: Path) -> None:
    record = certified("linux-client", tmp_path, Selection(role="requester"))

    summary = summarise(record)
    assert summary.missing == ()
    assert summary.counts[Verdict.ERROR] == 0
    assert summary.counts[Verdict.PASS] > 80
    assert all((tmp_path / name).exists() for case in record.cases for name in case.evidence)
    assert [case.reason for case in record.cases if case.verdict is Verdict.INCONC] == []


@pytest.mark.parametrize("target", ["linux-client-nfs40", "linux-client-nfs41"])
def test_mounts_of_every_version_act(tmp_path: Path, target: str) -> None:
    cases = ("rfc8166/4/requester-makes-good-calls", "rfc8166/4/requester-reads-what-was-written")

    record = certified(target, tmp_path, Selection(cases=cases))

    # NFSv4 has room made for more than a reply can need, which is a WARN in every case.
    fine = (Verdict.PASS, Verdict.WARN)
    assert {case.id: case.reason for case in record.cases if case.verdict not in fine} == {}
