"""What the agent knows of its guest, short of what changes a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.setup import LabServer, ServerKind
from targets.standing import prepared as module
from targets.standing.prepared import PreparedGuest, find_interfaces
from targets.standing.setup import StandingSetup
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from pathlib import Path


def test_no_other_machine_is_changed(prepared: PreparedGuest) -> None:
    prepared.prepare()
    with pytest.raises(LabError, match="setting up the guest: this is no guest; use `rpcrdma lab"):
        prepared.describe()


def test_the_log_is_told_from_a_line_on(prepared: PreparedGuest, tmp_path: Path) -> None:
    (tmp_path / "kmsg").write_text("6,340,99,-;rdma_rxe: loaded\n SUBSYSTEM=x\n")
    assert prepared.log_after(0) == ["rdma_rxe: loaded"]
    assert prepared.log_after(1) == []


def test_without_a_server_none_is_started_again(prepared: PreparedGuest) -> None:
    for act in (prepared.restart, prepared.renew):
        with pytest.raises(LabError, match="starting the server again: the guest has none"):
            act()


def test_interfaces_are_found_whatever_their_names(tmp_path: Path) -> None:
    """In the order of the stations that the machine's command gives them."""
    for device, name, link in (("virtio2", "enp0s9", 2), ("virtio10", "eth0", 1)):
        interface = tmp_path / device / "net" / name
        interface.mkdir(parents=True)
        (interface / "address").write_text(f"52:54:00:00:00:0{link}\n")
    assert find_interfaces(tmp_path) == ["eth0", "enp0s9"]
    with pytest.raises(LabError, match="no virtio interface"):
        find_interfaces(tmp_path / "virtio3")


@pytest.fixture
def nfsd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[PreparedGuest, list[str]]:
    """A guest with the kernel's server, whose steps are only noted."""
    done: list[str] = []
    monkeypatch.setattr(module, "stop_nfsd", lambda: done.append("stop"))
    restart = "restart_nfsd"
    monkeypatch.setattr(module, restart, lambda port, n: done.append(f"restart {port} for {n}"))
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "plain").write_bytes(b"whole")
    monkeypatch.setattr(module, "EXPORT_COPY", str(copy))
    (tmp_path / "kmsg").write_text("")
    export = tmp_path / "export"
    export.mkdir()
    (export / "plain").write_bytes(b"damaged")
    (export / "written").write_bytes(b"by a case")
    server = LabServer(ServerKind.NFSD, export=str(export), port=20050)
    return PreparedGuest(StandingSetup(server), tmp_path / "kmsg"), done


def test_the_kernels_server_is_started_again(nfsd: tuple[PreparedGuest, list[str]]) -> None:
    guest, done = nfsd
    guest.restart()
    assert done == ["restart 20050 for 1"]


def test_a_renewed_server_has_the_files_as_they_were(
    nfsd: tuple[PreparedGuest, list[str]], tmp_path: Path
) -> None:
    guest, done = nfsd
    guest.renew()
    assert done == ["stop", "restart 20050 for 1"]
    export = tmp_path / "export"
    assert [path.name for path in export.iterdir()] == ["plain"]
    assert (export / "plain").read_bytes() == b"whole"


def test_a_program_of_the_profiles_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[tuple[str, ...]] = []

    class Running:
        def __init__(self, server: LabServer, _log: Path) -> None:
            starts.append(server.command)

        def __enter__(self) -> None:
            starts.append(("entered",))

        def __exit__(self, *_: object) -> None:
            starts.append(("left",))

    monkeypatch.setattr("targets.lab.server.running_server", Running)
    (tmp_path / "kmsg").write_text("")
    guest = PreparedGuest(
        StandingSetup(LabServer(ServerKind.COMMAND, ("serve",))), tmp_path / "kmsg"
    )
    guest.restart()
    guest.restart()
    assert starts == [("serve",), ("entered",), ("left",), ("serve",), ("entered",)]


def test_what_is_held_is_the_kernels_where_no_program_serves(
    prepared: PreparedGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Server:
        def usage(self) -> Usage:
            return Usage(((Resource.THREADS, 7),))

    monkeypatch.setattr("targets.lab.held.held", Usage)
    assert prepared.usage() == Usage()
    monkeypatch.setattr(prepared, "_server", Server())
    assert prepared.usage().of(Resource.THREADS) == 7
