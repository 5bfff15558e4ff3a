"""The example of a server that the lab starts: certified, and killed while it is."""

from __future__ import annotations

import os
import random
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from reports.record import Verdict
from reports.stream import read_run
from reports.summary import deaths, exit_status
from targets import guest_device
from targets.base import Target
from targets.guest_device import guest_of, guest_target
from targets.lab.server import listener_of
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from targets.standing.run_guest import GuestEnd, RunGuest

PROFILE = Path(__file__).parents[2] / "targets" / "examples" / "server_in_lab" / "profile.toml"

SEED = 17
KILLS = int(os.environ.get("RPCRDMA_KILLS", "3"))
"""Each costs a start of the server; the variable asks for more of them."""

SECTIONS = ("rfc8166/4.2.*",) if KILLS < 5 else ("rfc8166/4.2.*", "rfc8166/4.5*")
"""Which have 34 cases, or 242."""

KILL = "sleep $1; kill -9 $0"
"""For a shell: ends a process after so many seconds."""

DIED = "the process that listened is gone; it said last: 10.9.0.1:20049"
"""What is told of a server whose shell goes on without it."""


@pytest.fixture(scope="module")
def ends() -> list[GuestEnd]:
    """How guests ended before the last test did."""
    return []


@pytest.fixture(scope="module")
def guest(ends: list[GuestEnd]) -> Iterator[RunGuest]:
    """One guest for all tests: it and its server take most of a minute to start."""
    with guest_of(find_profile(str(PROFILE)), "", ends.append) as run:
        yield run


def test_a_server_that_the_lab_starts_is_certified(
    guest: RunGuest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def guest_that_is_there(*_given: object, **_named: object) -> Iterator[RunGuest]:
        yield guest

    monkeypatch.setattr(guest_device, "guest_of", guest_that_is_there)
    output = tmp_path / "run"

    status = main(["certify", str(PROFILE), "--section", "4.5.1", "--output", str(output)])

    assert status == 0
    assert {case.verdict for case in read_run(output / "records.jsonl").cases} == {Verdict.PASS}


class Killer:
    """Kills the server in the guest in or before some cases, by chance."""

    def __init__(self, guest: RunGuest) -> None:
        self._chance = random.Random(SEED)
        self._guest = guest
        self._cases = 0
        self._chosen: frozenset[int] = frozenset()

    def begun(self, _case: str, planned: int) -> None:
        """A case begins: now and then the server is killed, at once or a little later."""
        if not self._cases:
            self._chosen = frozenset(self._chance.sample(range(2, planned - 6, 6), KILLS))
        self._cases += 1
        if self._cases not in self._chosen:
            return
        agent = self._guest.current.agent
        listing = agent.run(("rdma", "resource", "show", "cm_id")).output.decode()
        listener = str(listener_of(listing, 20049))
        if self._chance.random() < 0.5:
            agent.run(("sh", "-c", KILL, listener, "0"))
            return
        seconds = f"{self._chance.uniform(0.0, 0.1):.3f}"
        agent.client.begin(
            "start",
            program=next(agent.client.numbers),
            words=["sh", "-c", KILL, listener, seconds],
            environment={},
            speaks=False,
        )


def test_a_server_that_is_killed_at_random_moments_is_judged_to_the_end(
    guest: RunGuest, ends: list[GuestEnd], tmp_path: Path
) -> None:
    target = guest_target(find_profile(str(PROFILE)), guest)
    assert isinstance(target, Target)

    record = certify(
        target,
        Selection(cases=SECTIONS),
        tmp_path,
        on_begin=Killer(guest).begun,
        captures=False,
    )

    told = deaths(record.cases)
    assert len(told) == KILLS, f"seed {SEED}"
    assert all(case.died.startswith(DIED) for case in told)
    assert all(case.died in case.reason + "".join(case.notes) for case in told)
    assert exit_status(record) == 1
    # Each case has a verdict, in the first guest: nothing but the deaths is held against anybody.
    assert set(record.header.planned) <= {case.id for case in record.cases}
    assert {case.verdict for case in record.cases if not case.died} <= {Verdict.PASS, Verdict.NA}
    assert not any(case.lost for case in record.cases)
    assert ends == []
