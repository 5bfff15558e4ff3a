"""How nfsd is started, by the programs called and the kernel's files written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab import nfsd
from targets.lab.errors import LabError
from targets.lab.export import fill_export
from targets.lab.nfsd import exports_line, restart_nfsd, start_nfsd
from targets.lab.setup import LabServer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.lab.conftest import Calls, FakeProgram

PROGRAMS = ("mount", "rpcbind", "exportfs", "rpc.mountd", "rpc.nfsd")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabServer:
    for name in ("control", "lock_control", "state"):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(nfsd, f"_{name.upper()}", tmp_path / name)
    return LabServer(export=str(tmp_path / "export"), port=20050)


def test_the_server_listens_on_rdma_only_after_its_threads_run(
    server: LabServer, tmp_path: Path, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, calls = programs
    for name in PROGRAMS:
        fake(name)
    start_nfsd(server, fill_export)
    # The threads take a second; what does not need them is done meanwhile.
    names = [line.split()[0] for line in calls.lines]
    assert names[:4] == ["mount", "mount", "mount", "rpcbind"]
    assert sorted(names[4:]) == ["exportfs", "rpc.mountd", "rpc.nfsd"]
    assert (tmp_path / "control" / "portlist").read_text() == "rdma 20050"


def test_without_threads_nothing_listens(
    server: LabServer, tmp_path: Path, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, _ = programs
    for name in PROGRAMS:
        fake(name)
    fake("rpc.nfsd", "echo 'rpc.nfsd: unable to set any sockets' >&2; exit 1")
    with pytest.raises(LabError, match=r"starting nfsd: .* unable to set any sockets"):
        start_nfsd(server, fill_export)
    assert not (tmp_path / "control" / "portlist").exists()


def test_the_grace_period_is_ended(
    server: LabServer, tmp_path: Path, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, _ = programs
    for name in PROGRAMS:
        fake(name)
    fake("rpc.nfsd", f'test "$(/bin/cat {tmp_path}/control/nfsv4gracetime)" = 10')
    start_nfsd(server, fill_export)
    assert (tmp_path / "control" / "v4_end_grace").read_text() == "Y"
    assert (tmp_path / "lock_control" / "nlm_end_grace").read_text() == "Y"
    assert (tmp_path / "export" / "size-4096").is_file()


def test_a_failed_export_names_the_package(
    server: LabServer, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, _ = programs
    for name in PROGRAMS:
        fake(name)
    fake("exportfs", "echo 'exportfs: bad option list' >&2; exit 1")
    with pytest.raises(LabError, match=r"exporting: .* bad option list; install nfs-kernel-server"):
        start_nfsd(server, fill_export)


def test_the_line_for_a_hosts_own_exports_allows_any_source_port() -> None:
    path, rest = exports_line("/srv/export").split()
    assert path == "/srv/export"
    assert "insecure" in rest.removeprefix("*(").removesuffix(")").split(",")


def test_a_restart_ends_the_threads_and_makes_new_ones_listen(
    server: LabServer, tmp_path: Path, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, calls = programs
    fake("rpc.nfsd")
    restart_nfsd(server.port)
    assert calls.lines[0] == "rpc.nfsd 0"
    assert calls.lines[1] == "rpc.nfsd 72"
    assert len(calls.lines) == 2
    assert (tmp_path / "control" / "portlist").read_text() == "rdma 20050"
    assert (tmp_path / "control" / "v4_end_grace").read_text() == "Y"
    assert (tmp_path / "lock_control" / "nlm_end_grace").read_text() == "Y"


def test_each_tester_may_hold_as_many_threads_as_it_has_calls(
    server: LabServer, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, calls = programs
    fake("rpc.nfsd")
    restart_nfsd(server.port, testers=2)
    assert calls.lines[1] == "rpc.nfsd 136"


@pytest.mark.usefixtures("server")
def test_threads_that_do_not_end_are_told(programs: tuple[FakeProgram, Calls]) -> None:
    fake, _ = programs
    fake("rpc.nfsd", "echo 'rpc.nfsd: busy' >&2; exit 1")
    with pytest.raises(LabError, match=r"stopping nfsd: .* busy"):
        restart_nfsd(20049)
