"""A profile's own server is started, waited for and stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.server import StartedServer, is_listening, is_running, listener_of, running_server
from targets.lab.setup import LabServer, ServerKind
from targets.usage import Usage

if TYPE_CHECKING:
    from tests.targets.lab.conftest import Calls, FakeProgram

LISTING = (
    "link rxe0/1 cm-idn 3 state LISTEN ps TCP pid 99 comm server src-addr 10.9.0.1:20049"
    " dst-addr 0.0.0.0:0\n"
    "link rxe0/1 cm-idn 4 state CONNECT ps TCP pid 99 comm server src-addr 10.9.0.1:777"
    " dst-addr 10.9.0.1:20049\n"
)


def command(script: str, ready_s: float = 5.0) -> LabServer:
    return LabServer(ServerKind.COMMAND, ("/bin/sh", "-c", script), 20049, ready_s=ready_s)


def test_a_listener_is_known_by_state_and_port() -> None:
    assert is_listening(LISTING, 20049)
    assert not is_listening(LISTING, 2004)
    assert not is_listening(LISTING, 777)
    assert (listener_of(LISTING, 20049), listener_of(LISTING, 777)) == (99, 0)
    assert listener_of(LISTING.replace("pid 99 ", ""), 20049) == 0


def test_the_server_runs_meanwhile_and_is_stopped(
    tmp_path: Path, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, _ = programs
    fake("rdma", f'while read -r line; do echo "$line"; done <{tmp_path}/listing')
    (tmp_path / "listing").write_text(LISTING)
    wait = "while :; do read x </dev/null; done"
    script = f"trap 'echo stopped; exit' TERM; echo $$ >{tmp_path}/pid; {wait}"
    with running_server(command(script), tmp_path / "log"):
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            pass
        pid = int((tmp_path / "pid").read_text())
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()
    assert (tmp_path / "log").read_text() == "stopped\n"


def test_a_server_that_ends_at_once_is_told_with_its_status(
    tmp_path: Path, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, _ = programs
    fake("rdma")
    with (
        pytest.raises(
            LabError,
            match="ended with status 9 before it listened; it said last: oh; its output is in log",
        ),
        running_server(command("echo oh; exit 9"), tmp_path / "log"),
    ):
        pass
    assert (tmp_path / "log").read_text() == "oh\n"


def test_a_server_that_never_listens_is_told_with_the_seconds(
    tmp_path: Path, programs: tuple[FakeProgram, Calls]
) -> None:
    fake, _ = programs
    fake("rdma")
    server = command("while :; do read x </dev/null; done", ready_s=0.5)
    with (
        pytest.raises(LabError, match="nothing listens on RDMA port 20049 after 0 s"),
        running_server(server, tmp_path / "log"),
    ):
        pass


def test_a_command_that_does_not_exist_points_to_the_profile(tmp_path: Path) -> None:
    server = LabServer(ServerKind.COMMAND, (str(tmp_path / "none"),))
    with (
        pytest.raises(LabError, match="none: No such file or directory; look at the profile"),
        running_server(server, tmp_path / "log"),
    ):
        pass


def test_the_kernels_server_needs_nothing_here(tmp_path: Path) -> None:
    with running_server(LabServer(), tmp_path / "log"):
        assert not (tmp_path / "log").exists()


WAITS = "while :; do read x </dev/null; done"


@pytest.fixture
def listing(tmp_path: Path, programs: tuple[FakeProgram, Calls]) -> Path:
    """What `rdma resource` shows; at first a listener of the kernel's own."""
    file = tmp_path / "listing"
    file.write_text(LISTING.replace("pid 99 ", ""))
    fake, _ = programs
    fake("rdma", f'while read -r line; do echo "$line"; done <{file}')
    return file


def test_a_server_that_was_killed_is_told_with_its_signal_and_last_words(
    tmp_path: Path, listing: Path
) -> None:
    assert listing.exists()
    script = f"echo one; echo two $$ >&2; echo $$ >{tmp_path}/pid; {WAITS}"
    with running_server(command(script), tmp_path / "log") as server:
        assert server is not None
        for _ in range(2):
            while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
                pass
            pid = int((tmp_path / "pid").read_text())
            assert server.alive() == ""
            os.kill(pid, signal.SIGKILL)
            while not (told := server.alive()):
                pass
            assert told == f"the server was ended by SIGKILL; it said last: one / two {pid}"
            (tmp_path / "pid").unlink()
            server.restart()
            assert server.alive() == ""


def test_a_script_that_outlives_its_server_is_as_dead_as_that(
    tmp_path: Path, listing: Path
) -> None:
    child = subprocess.Popen(["/bin/sh", "-c", WAITS])
    listing.write_text(LISTING.replace("pid 99 ", f"pid {child.pid} "))
    with running_server(command(WAITS), tmp_path / "log") as server:
        assert server is not None
        assert server.alive() == ""
        child.kill()
        child.wait()
        assert server.alive() == "the process that listened is gone"


MANY_THREADS = """
import ctypes, os, pathlib, signal, sys, threading

listing, listening, go = map(pathlib.Path, sys.argv[1:])

def outlive():
    while ") Z" not in pathlib.Path(f"/proc/{os.getpid()}/stat").read_text():
        pass
    listing.write_text(listening.read_text().replace("pid 99 ", f"pid {os.getpid()} "))
    while not go.exists():
        pass
    os.kill(os.getpid(), signal.SIGKILL)

threading.Thread(target=outlive).start()
ctypes.CDLL(None).pthread_exit(None)
"""
"""Its first thread has ended, which looks like the process's end, and the last one has not."""


def test_a_server_of_many_threads_is_told_with_its_signal(tmp_path: Path, listing: Path) -> None:
    listening, go = tmp_path / "listening", tmp_path / "go"
    listening.write_text(LISTING)
    listing.write_text("")
    words = (sys.executable, "-c", MANY_THREADS, str(listing), str(listening), str(go))
    with running_server(replace(command(""), command=words), tmp_path / "log") as server:
        assert server is not None
        go.touch()
        assert server.alive() == "the server was ended by SIGKILL"


def test_what_the_kernel_says_of_a_death_is_told(
    tmp_path: Path, listing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert listing.exists()
    line = "Out of memory: Killed process 99 (server)"
    monkeypatch.setattr("targets.lab.server.KernelLog.killed", lambda _: line)
    with running_server(command("exit 3"), tmp_path / "log") as server:
        assert server is not None
        while not (told := server.alive()):
            pass
        assert told == f"the server ended with status 3; the kernel says: {line}"


def test_a_server_that_does_not_start_is_dead_until_it_does(tmp_path: Path, listing: Path) -> None:
    listing.write_text("")
    server = StartedServer(command("echo oh; exit 9"), tmp_path / "log")
    with pytest.raises(LabError):
        server.start()
    assert "ended with status 9 before it listened; it said last: oh" in server.alive()
    server.stop()


def test_what_the_process_holds_that_listens_is_told(
    tmp_path: Path, listing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []

    def held(process: int) -> Usage:
        looked.append(process)
        return Usage()

    monkeypatch.setattr("targets.lab.server.held", held)
    script = f"echo $$ >{tmp_path}/pid; {WAITS}"
    with running_server(command(script), tmp_path / "log") as server:
        assert server is not None
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            pass
        first = int((tmp_path / "pid").read_text())
        server.usage()  # the listener is the kernel's: what was started is looked at
        listing.write_text(LISTING)
        server.restart()
        server.usage()
    server.usage()
    assert looked == [first, 99, 0]


@pytest.mark.parametrize(
    ("state", "flags", "runs"),
    [
        ("S", 4194304, True),
        ("R", 4194308, False),  # PF_EXITING: it was killed, and lets go of what it has
        ("D", 1028, False),
        ("Z", 4194308, False),
    ],
)
def test_a_process_that_ends_runs_no_more(
    tmp_path: Path, state: str, flags: int, runs: bool
) -> None:
    (tmp_path / "99").mkdir()
    (tmp_path / "99" / "stat").write_text(f"99 (a ) b) {state} 1 99 99 0 -1 {flags} 5 0 0\n")

    assert is_running(99, tmp_path) is runs
    assert not is_running(98, tmp_path)
    assert is_running(os.getpid())
