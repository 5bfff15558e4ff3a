"""The Linux kernel's client in the lab: it is mounted, made to act, called back, and judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.suite.selection import Selection
from reports.record import Verdict
from reports.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.suite.guest import GuestOrder
    from reports.record import RunRecord

# Some, one of which has a finding: all cases of the backward direction take a minute.
CALLED_BACK = (
    "bidir/1.3.3/client-gives-back-what-it-is-asked-for-while-a-call-of-its-own-waits",
    "bidir/1.3.4/client-tells-two-calls-with-one-xid-apart[backward]",
    "bidir/2.1.2/client-posts-its-receives-again",
    "bidir/2.6/client-answers-each-call-by-an-rdma-msg-without-chunks[300]",
)


@pytest.fixture(scope="module")
def orders(order: Callable[..., GuestOrder]) -> Mapping[str, GuestOrder]:
    return {
        # All of it, and in every version of NFS, is judged from outside
        # of the guest: test_certify_roce.py.
        "section-4.3.3": order("linux-client", Selection(section="4.3.3", role="requester")),
        "backward": order("linux-client-nfs41", Selection(cases=CALLED_BACK)),
    }


def test_it_is_judged_to_the_end(
    orders: Mapping[str, GuestOrder],
    runs: Mapping[str, RunRecord],
    disagreements: Callable[[RunRecord, str], dict[str, str]],
) -> None:
    record, folder = runs["section-4.3.3"], Path(orders["section-4.3.3"].folder)
    summary = summarise(record)
    assert summary.missing == ()
    assert summary.counts[Verdict.ERROR] == 0
    assert summary.counts[Verdict.PASS] > 3
    assert all((folder / name).exists() for case in record.cases for name in case.evidence)
    assert [case.reason for case in record.cases if case.verdict is Verdict.INCONC] == []
    assert disagreements(record, "baseline-client.toml") == {}


def test_it_is_called_back(
    runs: Mapping[str, RunRecord], disagreements: Callable[[RunRecord, str], dict[str, str]]
) -> None:
    record = runs["backward"]
    assert summarise(record).missing == ()
    assert summarise(record).counts[Verdict.PASS] >= 3
    assert disagreements(record, "baseline-client-nfs41.toml") == {}
