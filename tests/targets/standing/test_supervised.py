"""A program ends with whoever started it, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from targets.standing.supervised import Supervised

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 20.0
STARTS_AND_WAITS = """
import sys, pathlib, time
from targets.standing.supervised import Supervised
folder = pathlib.Path(sys.argv[1])
command = ["sh", "-c", 'echo $$ >"$0"/pid; exec sleep 1000', str(folder)]
kept = Supervised(command, folder, folder / "err")
while not (folder / "pid").exists() or not (folder / "pid").read_text():
    time.sleep(0.01)
print((folder / "pid").read_text(), flush=True)
time.sleep(1000)
"""


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def await_true(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        os.sched_yield()


def test_closing_ends_the_program_and_removes_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    program = Supervised(["sleep", "1000"], folder, folder / "err")
    assert not program.has_ended()
    program.close()
    program.close()
    assert not folder.exists()


def test_a_program_that_ends_by_itself_is_seen_and_its_folder_stays_meanwhile(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    program = Supervised(["sh", "-c", "echo no such machine >&2"], folder, folder / "err")
    await_true(program.has_ended)
    assert (folder / "err").read_text() == "no such machine\n"
    program.close()
    assert not folder.exists()


def test_a_program_that_is_to_stay_is_let_go_of(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    script = 'echo $$ >"$0".new; mv "$0".new "$0"; exec sleep 1000'
    program = Supervised(["sh", "-c", script, str(tmp_path / "pid")], folder, folder / "err")
    await_true((tmp_path / "pid").exists)
    pid = int((tmp_path / "pid").read_text())

    program.let_stay(1000)
    program.close()

    assert not is_gone(pid)
    os.kill(pid, signal.SIGKILL)
    await_true(lambda: is_gone(pid))
    await_true(lambda: not folder.exists())


def test_a_program_that_is_forgotten_ends_in_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    program = Supervised(["sleep", "1000"], folder, folder / "err")
    program.let_stay(0)
    await_true(lambda: not folder.exists())


def test_the_program_goes_when_whoever_started_it_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    command = [sys.executable, "-c", STARTS_AND_WAITS, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        assert not is_gone(pid)
        starter.send_signal(signal.SIGKILL)
    await_true(lambda: is_gone(pid))
    await_true(lambda: not folder.exists())
