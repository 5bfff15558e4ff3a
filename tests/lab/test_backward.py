"""The Linux kernel in the backward direction: both ends called as their profiles claim."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from conformance.guest import Order
from conformance.in_lab import collect, lab_run
from conformance.runner import Selection, collect_cases
from reports.baseline import check_baseline, kernel_of, load_baseline
from reports.record import Verdict
from reports.summary import summarise
from targets.registry import find_profile

if TYPE_CHECKING:
    from reports.record import RunRecord

LINUX_6_1 = Path(__file__).parents[2] / "reports" / "linux-6.1"

SERVER_CASES = (
    "bidir/1.5.2/server-serves-forward-calls-of-every-form-beside-backward-calls",
    "bidir/1.5.3/server-takes-no-message-with-odd-words-for-a-reply[other-xid]",
    "bidir/2.1.2/server-has-no-more-calls-in-flight-than-granted[2]",
    "bidir/2.3/server-repeats-nothing-while-the-connection-stands",
)
CLIENT_CASES = (
    "bidir/1.3.3/client-gives-back-what-it-is-asked-for-while-a-call-of-its-own-waits",
    "bidir/1.3.4/client-tells-two-calls-with-one-xid-apart[backward]",
    "bidir/2.1.2/client-posts-its-receives-again",
    "bidir/2.6/client-answers-each-call-by-an-rdma-msg-without-chunks[300]",
)


def judged(target: str, folder: Path, cases: tuple[str, ...]) -> RunRecord:
    """By a few cases, one of which has a finding: all of them take a minute."""
    run = lab_run(Order(target, "", str(folder), Selection(cases=cases)), find_profile(target))
    record, problem = collect(run, folder)
    assert problem == ""
    assert summarise(record).missing == ()
    assert summarise(record).counts[Verdict.PASS] >= 3
    return record


def disagreements(record: RunRecord, name: str) -> dict[str, str]:
    """Where a run differs from what is published of Linux 6.1."""
    path = LINUX_6_1 / name
    exists = {case.id for case in collect_cases()}
    check = check_baseline(record, load_baseline(path), path, exists)
    return {problem.case: problem.sentence for problem in check.problems}


def test_the_kernels_server_calls_back(tmp_path: Path) -> None:
    record = judged("linux-server-nfs41", tmp_path, SERVER_CASES)
    if kernel_of(record).startswith("6.1."):
        assert disagreements(record, "baseline-nfs41.toml") == {}


def test_the_kernels_client_is_called_back(tmp_path: Path) -> None:
    record = judged("linux-client-nfs41", tmp_path, CLIENT_CASES)
    if kernel_of(record).startswith("6.1."):
        assert disagreements(record, "baseline-client-nfs41.toml") == {}
