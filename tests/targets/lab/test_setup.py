"""The two files between host and guest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.setup import GuestReport, GuestSetup, LabServer, Network, ServerKind, Stage

if TYPE_CHECKING:
    from pathlib import Path


def test_a_setup_is_read_as_it_was_written(tmp_path: Path) -> None:
    setup = GuestSetup(
        command=("rpcrdma", "certify", "a b"),
        folder="/somewhere",
        environment={"NAME": "value"},
        network=Network(interface="veth0", address="10.9.0.2"),
        server=LabServer(ServerKind.COMMAND, ("./server", "--rdma"), 2049, ready_s=5.0),
        interactive=True,
        trace=("rpcrdma:*",),
    )
    assert GuestSetup.read(setup.write(tmp_path)) == setup


def test_a_report_is_read_as_it_was_written_and_no_partial_file_stays(tmp_path: Path) -> None:
    report = GuestReport(Stage.DONE, 3, ready_s=12.5)
    report.write(tmp_path)
    assert GuestReport.read(tmp_path) == report
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_guest_that_said_nothing_has_no_report(tmp_path: Path) -> None:
    assert GuestReport.read(tmp_path) is None


def test_a_setup_that_failed_is_raised_with_its_step_cause_and_remedy(tmp_path: Path) -> None:
    GuestReport(Stage.SETUP_FAILED, None, "adding a device", "rdma ended with 1", "mend it").write(
        tmp_path
    )
    with pytest.raises(LabError) as raised:
        GuestReport.read(tmp_path)
    assert str(raised.value) == "adding a device: rdma ended with 1; mend it"
