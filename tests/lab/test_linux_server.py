"""The Linux kernel's server, with tester and suite in the guest beside it, as it was published.

All cases are judged from outside of the guest, against the same baseline: `test_certify_roce.py`.
"""

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
    "bidir/1.5.2/server-serves-forward-calls-of-every-form-beside-backward-calls",
    "bidir/1.5.3/server-takes-no-message-with-odd-words-for-a-reply[other-xid]",
    "bidir/2.1.2/server-has-no-more-calls-in-flight-than-granted[2]",
    "bidir/2.3/server-repeats-nothing-while-the-connection-stands",
)


@pytest.fixture(scope="module")
def orders(order: Callable[..., GuestOrder]) -> Mapping[str, GuestOrder]:
    return {
        "section-4.3.3": order("linux-server", Selection(section="4.3.3")),
        "backward": order("linux-server-nfs41", Selection(cases=CALLED_BACK)),
    }


def test_it_is_judged_to_the_end(
    orders: Mapping[str, GuestOrder],
    runs: Mapping[str, RunRecord],
    disagreements: Callable[[RunRecord, str], dict[str, str]],
) -> None:
    record, folder = runs["section-4.3.3"], Path(orders["section-4.3.3"].folder)
    assert summarise(record).missing == ()
    assert summarise(record).counts[Verdict.ERROR] == 0
    assert [case.reason for case in record.cases if case.verdict is Verdict.INCONC] == []
    assert all((folder / name).exists() for case in record.cases for name in case.evidence)
    assert disagreements(record, "baseline.toml") == {}


def test_it_calls_back(
    runs: Mapping[str, RunRecord], disagreements: Callable[[RunRecord, str], dict[str, str]]
) -> None:
    record = runs["backward"]
    assert summarise(record).missing == ()
    assert summarise(record).counts[Verdict.PASS] >= 3
    assert disagreements(record, "baseline-nfs41.toml") == {}
