"""A child process that ends, hangs, or leaves children of its own."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from targets.lab.process import run_streaming


def is_gone(pid: int, within_s: float = 5.0) -> bool:
    """Whether the process ended, or is a zombie whose new parent has not looked yet."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        threading.Event().wait(0.01)
    return False


def test_lines_come_as_they_are_written_and_the_status_at_the_end(tmp_path: Path) -> None:
    lines: list[str] = []
    run = run_streaming(
        ["sh", "-c", "echo one; echo two; printf rest; echo bad >&2; exit 7"],
        10,
        lines.append,
        tmp_path / "errors",
    )
    assert run.status == 7
    assert lines == ["one", "two", "rest"]
    assert (tmp_path / "errors").read_text() == "bad\n"


def test_the_deadline_kills_the_program_and_its_children(tmp_path: Path) -> None:
    lines: list[str] = []
    script = "sleep 1000 & echo $!; echo $$; wait"
    begin = time.monotonic()
    run = run_streaming(["sh", "-c", script], 0.5, lines.append, tmp_path / "errors")
    assert run.status is None
    assert time.monotonic() - begin < 5
    assert all(is_gone(int(pid)) for pid in lines)


def test_a_nearer_deadline_holds_for_the_first_line_only(tmp_path: Path) -> None:
    lines: list[str] = []
    silent = run_streaming(
        ["sleep", "1000"], 100, lines.append, tmp_path / "errors", first_line_s=0.3
    )
    assert silent.status is None
    assert silent.seconds < 10
    talking = run_streaming(
        ["sh", "-c", "echo here; sleep 0.6"],
        100,
        lines.append,
        tmp_path / "errors",
        first_line_s=0.3,
    )
    assert (talking.status, lines) == (0, ["here"])


def test_a_program_that_falls_silent_is_killed_and_one_that_talks_is_not(tmp_path: Path) -> None:
    lines: list[str] = []
    silent = run_streaming(
        ["sh", "-c", "echo here; sleep 1000"], 100, lines.append, tmp_path / "errors", silence_s=0.3
    )
    assert (silent.status, lines) == (None, ["here"])
    assert silent.seconds < 10
    talking = run_streaming(
        ["sh", "-c", "for i in 1 2 3; do echo $i; sleep 0.9; done"],
        100,
        lines.append,
        tmp_path / "errors",
        silence_s=2.5,  # less than all of it takes, more than a line on a busy machine
    )
    assert (talking.status, lines[-1]) == (0, "3")


def test_children_that_outlive_the_program_are_killed(tmp_path: Path) -> None:
    lines: list[str] = []
    script = "sleep 1000 >/dev/null & echo $!"
    run = run_streaming(["sh", "-c", script], 10, lines.append, tmp_path / "errors")
    assert run.status == 0
    assert is_gone(int(lines[0]))


def test_a_child_that_keeps_the_output_open_does_not_keep_us(tmp_path: Path) -> None:
    lines: list[str] = []
    script = "sleep 1000 & echo $!"
    run = run_streaming(["sh", "-c", script], 30, lines.append, tmp_path / "errors")
    assert run.status == 0
    assert run.seconds < 10
    assert is_gone(int(lines[0]))


def test_an_exception_of_the_caller_leaves_nothing_behind(tmp_path: Path) -> None:
    pids: list[int] = []

    def fail(line: str) -> None:
        pids.append(int(line))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_streaming(["sh", "-c", "echo $$; sleep 1000"], 10, fail, tmp_path / "errors")
    assert is_gone(pids[0])


def test_sigterm_leaves_nothing_behind_and_the_old_handler_in_place(tmp_path: Path) -> None:
    pids: list[int] = []

    def terminate(line: str) -> None:
        pids.append(int(line))
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as raised:
        run_streaming(["sh", "-c", "echo $$; sleep 1000"], 10, terminate, tmp_path / "errors")
    assert raised.value.code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before
    assert is_gone(pids[0])


def test_what_the_caller_does_about_sigterm_is_done_here_too(tmp_path: Path) -> None:
    pids: list[int] = []

    def terminate(line: str) -> None:
        pids.append(int(line))
        os.kill(os.getpid(), signal.SIGTERM)

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_streaming(["sh", "-c", "echo $$; sleep 1000"], 10, terminate, tmp_path / "errors")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert is_gone(pids[0])


def test_octets_that_are_not_utf_8_do_not_stop_the_stream(tmp_path: Path) -> None:
    lines: list[str] = []
    run_streaming(["printf", r"\377a\r\nb\n"], 10, lines.append, tmp_path / "errors")
    assert lines == ["�a", "b"]


def test_it_works_outside_the_main_thread(tmp_path: Path) -> None:
    lines: list[str] = []
    errors = tmp_path / "errors"
    thread = threading.Thread(
        target=run_streaming, args=(["echo", "hello"], 10, lines.append, errors)
    )
    thread.start()
    thread.join(10)
    assert lines == ["hello"]
