"""The guest that stays: how it is found, taken, and ended, with a shell in QEMU's place."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from targets.lab.accelerator import Accelerator
from targets.lab.errors import LabError
from targets.lab.kernel import Kernel
from targets.lab.setup import LabServer, Network, ServerKind
from targets.standing import guest as guest_module
from targets.standing import stay as module
from targets.standing.guest import StandingGuest
from targets.standing.machine import MachineFiles
from targets.standing.setup import StandingSetup
from targets.standing.stay import (
    GuestDead,
    GuestState,
    GuestTaken,
    attach,
    bring_down,
    bring_up,
    death_of,
    find_guest,
    guest_for,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SETUP = StandingSetup(LabServer(ServerKind.NONE))

# It answers each request by `ok`, one connection after the other.
MACHINE = """
import os, socket, sys
folder = sys.argv[1]
listener = socket.socket(socket.AF_UNIX)
listener.bind(folder + "/agent")
listener.listen()
with open(folder + "/new", "w") as file:
    file.write(str(os.getpid()))
os.rename(folder + "/new", folder + "/pid")
while True:
    stream = listener.accept()[0]
    with stream, stream.makefile("rwb") as lines:
        for line in lines:
            number = line.split(b",")[0].split(b":")[1].decode()
            lines.write(('{"id":%s,"ok":null}\\n' % number).encode())
            lines.flush()
"""


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime folder of this test's own, and a machine that takes no time to start."""
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))

    def select(name: str | None) -> Kernel:
        return Kernel(tmp_path, name or "6.1-test", None)

    def command(files: MachineFiles, *_: object) -> list[str]:
        return [sys.executable, "-c", MACHINE, str(files.folder), str(files.process)]

    for place in (guest_module, module):
        monkeypatch.setattr(place, "select_kernel", select)
    monkeypatch.setattr(guest_module, "chosen_accelerator", lambda: Accelerator.TCG)
    monkeypatch.setattr(guest_module, "write_first_files", lambda *_: None)
    monkeypatch.setattr(guest_module, "machine_of", command)
    yield folder
    bring_down()


def test_nothing_is_found_where_nothing_is_up() -> None:
    assert find_guest() is None
    assert bring_down() is None


def test_a_guest_is_brought_up_found_and_brought_down(runtime: Path) -> None:
    state = bring_up(SETUP, "linux-client")
    assert find_guest() == state
    assert (state.target, state.release, state.setup.stays) == ("linux-client", "6.1-test", True)
    assert bring_down() == state
    assert find_guest() is None
    assert not state.folder.exists()
    assert list(runtime.iterdir()) == []


def test_a_second_one_is_refused() -> None:
    bring_up(SETUP, "linux-client")
    with pytest.raises(
        LabError,
        match=r"a guest is up already, with linux-client on Linux 6\.1-test; `rpcrdma lab down`",
    ):
        bring_up(SETUP, "linux-server")


def test_one_that_was_quicker_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    quicker = bring_up(SETUP, "linux-client")
    refuse = module._refuse_another
    looks: list[int] = []

    def look_later() -> None:
        looks.append(1)
        if len(looks) > 1:
            refuse()

    monkeypatch.setattr(module, "_refuse_another", look_later)
    started: list[StandingGuest] = []
    start = StandingGuest.start

    def note(*arguments: object) -> StandingGuest:
        started.append(start(*arguments))  # type: ignore[arg-type]  # handed on
        return started[-1]

    monkeypatch.setattr(StandingGuest, "start", note)
    with pytest.raises(LabError, match="a guest is up already, with linux-client"):
        bring_up(SETUP, "linux-server")
    assert find_guest() == quicker
    assert not started[0].files.folder.exists()


def test_what_is_left_of_one_that_has_ended_is_removed(runtime: Path) -> None:
    folder = runtime.parent / "left"
    folder.mkdir()
    (folder / "pid").write_text(f"{os.getpid()}")  # somebody else's by now
    (runtime / "rpcrdma-lab").symlink_to(folder)
    assert find_guest() is None
    assert not folder.exists()
    assert list(runtime.iterdir()) == []


def test_one_that_ends_by_itself_is_no_longer_up() -> None:
    state = bring_up(SETUP, "linux-client")
    os.kill(int(MachineFiles(state.folder).process.read_text()), signal.SIGKILL)
    while find_guest() is not None:
        os.sched_yield()
    assert not state.folder.exists()


def test_one_tester_at_a_time_has_it() -> None:
    state = bring_up(SETUP, "linux-client")
    with attach(state) as guest:
        assert guest.alive() is death_of(state) is None
        with pytest.raises(GuestTaken, match="a tester has it"):
            attach(state)
    with attach(state) as again:
        assert again.release == "6.1-test"
    assert find_guest() == state


def test_whoever_takes_it_gets_a_fresh_server(monkeypatch: pytest.MonkeyPatch) -> None:
    renewed: list[str] = []
    monkeypatch.setattr(
        "targets.standing.guest_agent.GuestAgent.renew", lambda _agent: renewed.append("yes")
    )
    state = bring_up(StandingSetup(), "linux-server")
    attach(state).close()
    assert renewed == ["yes"]


def test_one_that_cannot_be_renewed_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_agent: object) -> None:
        raise LabError("starting nfsd", "no")

    monkeypatch.setattr("targets.standing.guest_agent.GuestAgent.renew", fail)
    state = bring_up(StandingSetup(), "linux-server")
    for _ in range(2):
        with pytest.raises(LabError, match="starting nfsd: no"):
            attach(state)


def test_a_tester_takes_the_one_that_is_up_and_alike() -> None:
    state = bring_up(SETUP, "linux-client")
    with guest_for(SETUP) as guest:
        assert guest.files.folder == state.folder
        assert guest.is_kept
        with guest_for(SETUP) as other:  # it is taken
            assert other.files.folder != state.folder


def test_one_that_is_dead_is_told_and_left_alone() -> None:
    state = bring_up(SETUP, "linux-client")
    MachineFiles(state.folder).console.write_text("Kernel panic - not syncing: Attempted\n")
    told: list[str] = []
    with pytest.raises(GuestDead, match="Kernel panic - not syncing: Attempted; `rpcrdma lab"):
        attach(state)
    with guest_for(SETUP, told=told.append) as guest:
        assert guest.files.folder != state.folder
        assert not guest.is_kept
    assert death_of(state) == "panic in the kernel: Kernel panic - not syncing: Attempted"
    (line,) = told
    assert line == (
        "taking the guest that is up: panic in the kernel: Kernel panic - not syncing: Attempted;"
        " `rpcrdma lab down` ends it; going on in a new one, which ends with this run"
    )
    assert find_guest() == state


@pytest.mark.parametrize(
    ("setup", "kernel"),
    [
        (StandingSetup(), None),
        (StandingSetup(SETUP.server, (Network("", mtu=1500),)), None),
        (StandingSetup(SETUP.server, (*SETUP.networks, Network("", "10.9.1.1"))), None),
        (SETUP, "6.12-test"),
    ],
    ids=["server", "network", "links", "kernel"],
)
def test_one_that_is_not_alike_is_left_alone(setup: StandingSetup, kernel: str | None) -> None:
    state = bring_up(SETUP, "linux-client")
    with guest_for(setup, kernel) as guest:
        assert guest.files.folder != state.folder
    assert find_guest() == state


def test_a_kernel_that_was_built_again_is_another_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its release is the same, before and after a patch."""
    builds = iter(("before", "before", "after"))
    monkeypatch.setattr(
        module, "select_kernel", lambda _name: Kernel(tmp_path, "6.1-test", None, next(builds))
    )
    state = bring_up(SETUP, "linux-client")
    for expected in (True, False):
        with guest_for(SETUP) as guest:
            assert (guest.files.folder == state.folder) is expected


def test_one_with_more_links_than_are_wanted_will_do() -> None:
    more = replace(SETUP, networks=(*SETUP.networks, Network("", "10.9.1.1")))
    state = bring_up(more, "linux-client")
    with guest_for(SETUP) as guest:
        assert guest.files.folder == state.folder


def test_where_nothing_is_up_a_guest_of_its_own_is_started() -> None:
    with guest_for(SETUP) as guest:
        guest.await_ready()
        assert find_guest() is None
    assert not guest.files.folder.exists()


def test_without_a_runtime_folder_it_is_in_one_of_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(module, "_TEMPORARY", tmp_path)
    state = bring_up(SETUP, "linux-client")
    folder = tmp_path / f"rpcrdma-lab-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "standing").readlink() == state.folder
    bring_down()

    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(LabError, match="is somebody else's; set XDG_RUNTIME_DIR"):
        find_guest()
    folder.unlink()


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    state = GuestState(tmp_path, "6.1", "linux-server", StandingSetup(stays=True))
    state.write()
    assert GuestState.read(tmp_path) == state
