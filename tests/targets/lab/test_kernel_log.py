"""A death of the kernel, told by its log."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from targets.lab.kernel_log import KernelLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OOPS = b"1,340,99,-;BUG: kernel NULL pointer dereference, address: 0000000000000008\n SUBSYSTEM=x\n"
WARNING = b"4,341,99,-;WARNING: CPU: 0 PID: 7 at net/sunrpc/clnt.c:1\n"


class Log:
    """A log as the kernel's: one record a read."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        # Opened for both, so that opening does not wait for the other side.
        self._file = os.open(path, os.O_RDWR)
        self.log = KernelLog(path)

    def write(self, record: bytes) -> None:
        os.write(self._file, record)

    def close(self) -> None:
        os.close(self._file)
        self.log.close()
        self.log.close()


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    monkeypatch.setattr(os, "lseek", lambda *_: 0)  # a pipe has no end to go to
    made = Log(tmp_path / "kmsg")
    yield made
    made.close()


def test_a_quiet_log_tells_nothing(log: Log) -> None:
    assert log.log.death() is None


def test_a_warning_is_no_death(log: Log) -> None:
    log.write(WARNING)

    assert log.log.death() is None


def test_an_oops_is_one_and_stays_one(log: Log) -> None:
    log.write(WARNING)
    assert log.log.death() is None
    log.write(OOPS)

    told = log.log.death()

    assert told is not None
    assert told.startswith("oops in the kernel: BUG: kernel NULL pointer dereference")
    assert log.log.death() == told


def test_records_that_were_overwritten_are_passed_over(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[bytes | OSError] = [BrokenPipeError(), OOPS, BlockingIOError()]

    def read(_file: int, _most: int) -> bytes:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr(os, "read", read)

    assert "oops in the kernel" in str(log.log.death())


def test_a_machine_that_shows_no_log_tells_nothing(tmp_path: Path) -> None:
    log = KernelLog(tmp_path / "none")

    assert log.death() is None
    log.close()


def test_who_was_ended_for_want_of_memory_is_told(log: Log) -> None:
    assert log.log.killed() == ""
    log.write(b"3,342,99,-;Out of memory: Killed process 99 (server) total-vm:1kB\n")
    assert log.log.killed() == "Out of memory: Killed process 99 (server) total-vm:1kB"
    log.write(OOPS)
    assert log.log.death() is not None
    assert log.log.killed()


@pytest.mark.parametrize(
    "line",
    [
        "server[99]: segfault at 8 ip 00007f0000000000 sp 00007f0000000008 error 4 in libserver.so",
        "traps: server[99] general protection fault ip:7f0000000000 sp:7f0000000008 error:0",
    ],
)
def test_who_was_ended_for_a_fault_is_told(log: Log, line: str) -> None:
    log.write(f"6,343,99,-;{line}\n".encode())

    assert log.log.killed() == line
