"""Lives in forks of one process: ended by themselves, by force, and with the process."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from targets.reference.lives import END_OF_LIFE, Ended

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = """
import os, sys
from targets.reference.lives import live

def begins(line):
    word = line.decode().strip()
    if word not in ("echo", "fail", "stay", "leave"):
        return None
    def life():
        print(f"{word} {os.getpid()} {os.getppid()}", flush=True)
        if word == "fail":
            raise ValueError("no life")
        if word == "echo":
            os.set_blocking(0, False)
            os.set_blocking(0, True)
            print(sys.stdin.readline().strip(), flush=True)
        if word == "stay":
            os.set_blocking(0, False)
            os.read(os.pipe()[0], 1)
        return 4
    return life

print("ready", flush=True)
live(begins, 0, sys.stdout.buffer)
"""


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert said(running) == "ready"
        yield running
        running.kill()


def tell(process: subprocess.Popen[bytes], *lines: str) -> None:
    assert process.stdin is not None
    process.stdin.write("".join(f"{line}\n" for line in lines).encode())


def said(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def end(process: subprocess.Popen[bytes]) -> int:
    return msgspec.json.decode(said(process), type=Ended).status


def test_each_life_is_a_fork_that_takes_the_lines_behind_its_first(
    process: subprocess.Popen[bytes],
) -> None:
    tell(process, "nonsense", "echo", "hello", "leave")

    word, _, parent = said(process).split()
    assert (word, int(parent)) == ("echo", process.pid)
    assert said(process) == "hello"
    assert end(process) == 4


def test_one_life_follows_another(process: subprocess.Popen[bytes]) -> None:
    found = []
    for _ in range(2):
        tell(process, "leave")
        found.append(said(process).split()[1])
        assert end(process) == 4
    assert len({*found, str(process.pid)}) == 3


def test_a_life_is_ended_by_force_and_another_begins(process: subprocess.Popen[bytes]) -> None:
    tell(process, "stay")
    said(process)
    process.send_signal(END_OF_LIFE)
    assert end(process) == -signal.SIGKILL

    tell(process, "leave")  # though the fork has left its input such that reading does not wait
    said(process)
    assert end(process) == 4


def test_between_two_lives_there_is_nothing_to_end(process: subprocess.Popen[bytes]) -> None:
    for _ in range(2):
        tell(process, "leave")
        said(process)
        assert end(process) == 4
        process.send_signal(END_OF_LIFE)


def test_what_goes_wrong_in_a_life_is_told_and_ends_it_alone(
    process: subprocess.Popen[bytes],
) -> None:
    tell(process, "fail")
    said(process)
    assert end(process) == 1

    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) == 0
    assert process.stderr is not None
    assert process.stderr.read().endswith(b"ValueError: no life\n")


def test_a_process_that_is_terminated_takes_its_life_along(
    process: subprocess.Popen[bytes],
) -> None:
    tell(process, "stay")
    said(process)

    process.terminate()

    assert process.wait(20) == 128 + signal.SIGTERM
    assert said(process) == ""  # its end of the pipe is closed, too
