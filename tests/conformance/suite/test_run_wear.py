"""What a device loses over a whole run is told once, and by no case."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from conformance.suite.run_wear import CALLS, LOOKS, RunWear
from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from reports.record import Verdict
from rpcrdma.fabric.clock import RealClock, VirtualClock
from targets.registry import find_any_target
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.suite.rigs import Rig

SECTIONS = Selection(document="rfc8166", section="2.2,4.2.2,4.2.3")
"""Small ones."""


@dataclass
class Device:
    """A rig whose device keeps a thread of each connection, and answers in so many seconds."""

    clock: object = field(default_factory=RealClock)
    kept: int = 0
    takes: float = 0.001
    starts: int = 0
    timed: list[int] = field(default_factory=list)

    @property
    def life(self) -> Device:
        return self

    @property
    def session(self) -> Device:
        return self

    @property
    def fabric(self) -> Device:
        return self

    @property
    def trace(self) -> SimpleNamespace:
        """Of a case with two connections, and something that belongs to none."""
        return SimpleNamespace(
            events=[SimpleNamespace(connection=number) for number in (0, 1, 1, 2)]
        )

    def usage(self) -> Usage:
        return Usage(((Resource.THREADS, self.kept),))

    def time_calls(self, count: int) -> tuple[float, ...]:
        self.timed.append(count)
        return (self.takes, 1.0)


def run_of(device: Device, *, keeps: int = 0, slower: float = 1.0, dies: int = -1) -> RunWear:
    """A run of 16 cases, each of which is a section."""
    wear = RunWear()
    rig: Rig = device  # type: ignore[assignment]  # all that is used
    for number in range(16):
        device.kept += keeps
        device.takes *= slower
        if number == dies:
            device.kept, device.starts = 0, 1
        wear.judged("responder", rig)
        wear.section_ends("responder", rig, 16)
    return wear


def test_what_is_kept_of_each_connection_is_told() -> None:
    device = Device()

    (note,) = run_of(device, keeps=2).notes

    told = "The device keeps 1 thread for each connection: it had 4 before 28 connections,"
    assert note == f"{told} and 32 after them."
    assert device.timed == [CALLS] * LOOKS


def test_calls_that_take_longer_and_longer_are_told() -> None:
    (note,) = run_of(Device(), slower=1.1).notes

    told = "A good call takes 3.8 times as long after 28 connections: 4.59 ms, and 1.21 ms"
    assert note == f"{told} before them."


def test_a_device_that_keeps_nothing_has_no_note() -> None:
    assert run_of(Device()).notes == ()


def test_a_device_that_was_started_again_is_told_of_its_longer_life() -> None:
    (note,) = run_of(Device(), keeps=2, dies=4).notes

    assert "before 20 connections, and 22 after them." in note


def test_in_virtual_time_no_call_is_made() -> None:
    device = Device(VirtualClock())

    assert len(run_of(device, keeps=2).notes) == 1
    assert device.timed == []


def test_a_run_of_one_section_tells_nothing() -> None:
    wear = RunWear()
    rig: Rig = Device()  # type: ignore[assignment]  # all that is used
    wear.judged("responder", rig)
    wear.section_ends("responder", rig, 1)

    assert wear.notes == ()


@pytest.mark.parametrize(
    ("name", "notes"),
    [("reference", 0), ("reference-client", 0), ("leak:keeps-a-region-of-each-connection", 2)],
)
def test_the_run_of_a_planted_leak_tells_of_it_and_the_reference_has_none(
    name: str, notes: int, tmp_path: Path
) -> None:
    record = certify(find_any_target(name), SECTIONS, tmp_path, captures=False)

    assert record.footer is not None
    assert len(record.footer.notes) == notes
    assert all("for each connection: it had" in note for note in record.footer.notes)
    assert {case.verdict for case in record.cases} <= {Verdict.PASS, Verdict.NA}
