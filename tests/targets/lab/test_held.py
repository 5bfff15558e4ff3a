"""What a device in this machine holds is read from the kernel, and from what `rdma` lists."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from targets.lab import held as module
from targets.lab.held import held
from targets.usage import Resource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.lab.conftest import Calls, FakeProgram

PID = os.getpid()


@pytest.fixture
def calls(
    tmp_path: Path, programs: tuple[FakeProgram, Calls], monkeypatch: pytest.MonkeyPatch
) -> Calls:
    """A machine with two queue pairs, one of them this process's, and 20 kB of memory in use."""
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 30 kB\nMemAvailable: 10 kB\nSUnreclaim: 5 kB\n")
    monkeypatch.setattr(module, "_MEMINFO", meminfo)
    fake, calls = programs
    theirs, ours = "lqpn 1 type GSI comm [ib_core]", f"lqpn 17 type RC pid {PID} comm x"
    fake("rdma", f'echo "link rxe0/1 {theirs}"; echo "link rxe0/1 {ours}"')
    return calls


def test_of_a_program_its_own_is_told_and_the_kernels_memory(calls: Calls) -> None:
    usage = held(PID)

    assert calls.lines == [
        "rdma -b -",
        *(f"  resource show {kind}" for kind in ("qp", "mr", "cq", "pd", "cm_id")),
    ]
    assert (usage.of(Resource.MACHINE), usage.of(Resource.KERNEL)) == (20480, 5120)
    assert usage.of(Resource.QUEUE_PAIRS) == 1
    assert (usage.of(Resource.RESIDENT) or 0) > 1 << 20


def test_of_a_program_that_has_ended_the_kernels_memory_alone_is_told(calls: Calls) -> None:
    usage = held(1 << 30)

    assert {resource for resource, _ in usage.amounts} == {Resource.MACHINE, Resource.KERNEL}
    assert calls.lines == []


@pytest.mark.usefixtures("calls")
def test_of_the_kernel_no_process_is_told() -> None:
    usage = held()

    assert (usage.of(Resource.KERNEL), usage.of(Resource.QUEUE_PAIRS)) == (5120, 1)
    assert usage.of(Resource.RESIDENT) is None


@pytest.mark.usefixtures("calls")
def test_what_cannot_be_listed_is_left_out(programs: tuple[FakeProgram, Calls]) -> None:
    fake, _ = programs
    fake("rdma", "exit 1")

    usage = held()

    assert (usage.of(Resource.KERNEL), usage.of(Resource.QUEUE_PAIRS)) == (5120, None)
