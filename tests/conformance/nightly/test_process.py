"""A stage's process ends when its time is over, with all that it has started."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from conformance.nightly.process import ProcessEnd, run_process

FOREVER = "import threading; threading.Event().wait()"


def run(tmp_path: Path, program: str, deadline: float = 60.0, patience: float = 60.0) -> ProcessEnd:
    command = [sys.executable, "-c", program]
    return run_process(command, tmp_path / "log", deadline, {"SAID": "good"}, patience)


def test_status_and_words_are_kept(tmp_path: Path) -> None:
    program = "import os, sys; print(os.environ['SAID']); sys.stdout.flush(); sys.exit(3)"
    ended = run(tmp_path, program)
    assert (ended.status, ended.overran) == (3, False)
    assert (tmp_path / "log").read_text() == "good\n"


def test_one_that_lasts_too_long_is_interrupted_and_may_finish(tmp_path: Path) -> None:
    program = f"""
try:
    {FOREVER}
except KeyboardInterrupt:
    print("reports written", flush=True)
    raise SystemExit(4)
"""
    ended = run(tmp_path, program, deadline=0.5)
    assert (ended.status, ended.overran, ended.killed) == (4, True, False)
    assert (tmp_path / "log").read_text() == "reports written\n"


def test_one_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    program = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {FOREVER}"
    ended = run(tmp_path, program, deadline=0.5, patience=0.1)
    assert (ended.status, ended.overran, ended.killed) == (-9, True, True)


def test_what_it_leaves_behind_is_killed(tmp_path: Path) -> None:
    """Also what is in a group of its own, as fuzzers and guests are; and nothing else is."""
    bystander = subprocess.Popen([sys.executable, "-c", FOREVER])
    program = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {FOREVER!r}], start_new_session=True)
print(child.pid)
"""
    try:
        run(tmp_path, program)
        child = int((tmp_path / "log").read_text())
        deadline = time.monotonic() + 10
        while lives(child):
            assert time.monotonic() < deadline
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_what_a_night_left_that_was_killed_is_ended_when_it_goes_on(tmp_path: Path) -> None:
    child = f"import os; print(os.getpid(), flush=True); {FOREVER}"
    night = f"""
import sys
from pathlib import Path
from conformance.nightly.process import run_process
run_process([sys.executable, "-c", {child!r}], Path({str(tmp_path / "log")!r}), 60.0, {{}})
"""
    killed = subprocess.Popen([sys.executable, "-c", night])
    deadline = time.monotonic() + 30
    log = tmp_path / "log"
    while not (log.is_file() and log.read_text().endswith("\n")):
        assert time.monotonic() < deadline
    left = int(log.read_text())
    killed.kill()
    killed.wait()
    assert lives(left)

    run(tmp_path, "")
    while lives(left):
        assert time.monotonic() < deadline


def lives(process: int) -> bool:
    """Whether it runs; one that has ended and nobody has asked about does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    ended = run_process(["no-such-program"], tmp_path / "log", 1.0, {})
    assert (ended.status, ended.problem) == (None, "no-such-program: No such file or directory")


def test_the_environment_of_this_process_stays(tmp_path: Path) -> None:
    run(tmp_path, "")
    assert "SAID" not in os.environ
