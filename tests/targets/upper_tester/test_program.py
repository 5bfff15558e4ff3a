"""A program of the upper tester: how it is started, stopped, and what it says of its end."""

from __future__ import annotations

import os

import pytest

from targets.base import TargetError
from targets.upper_tester.program import UpperTesterProgram

STOP = 5.0


def program(
    script: str, environment: dict[str, str] | None = None, *, speaks: bool = False
) -> UpperTesterProgram:
    words = ("sh", "-c", script)
    return UpperTesterProgram("small", words, environment or {}, speaks=speaks)


def test_it_has_a_status_when_it_has_ended() -> None:
    running = program("sleep 60")
    assert running.status is None
    assert not running.await_end(0.0)

    running.kill()

    assert running.await_end(STOP)
    assert running.status == -9
    running.close()


@pytest.mark.parametrize(
    ("script", "status", "complaints"),
    [
        ("echo one >&2; echo two >&2; exit 3", 3, "one\ntwo\n"),
        ("echo out; exit 0", 0, ""),
        ("kill -15 $$", -15, ""),
    ],
)
def test_what_it_complained_of_is_kept_beside_its_status(
    script: str, status: int, complaints: str
) -> None:
    ended = program(script)
    assert ended.await_end(STOP)

    assert (ended.status, ended.complaints()) == (status, complaints)
    ended.close()


def test_variables_are_added_to_ours() -> None:
    ended = program('test "$MINE" = x && test -n "$PATH"', {"MINE": "x"})

    assert ended.await_end(STOP)
    assert ended.status == 0
    ended.close()


def test_killing_what_has_ended_is_nothing() -> None:
    ended = program("exit 0")
    assert ended.await_end(STOP)

    ended.kill()

    ended.close()


def test_it_is_the_head_of_its_own_group() -> None:
    running = program("sleep 60")

    assert os.getpgid(running.process.pid) == running.process.pid

    running.kill()
    assert running.await_end(STOP)
    running.close()


def test_a_program_that_is_not_there_is_said_so() -> None:
    with pytest.raises(
        TargetError, match=r"`no-such-program` of \[acts\] small cannot be started: No such file"
    ):
        UpperTesterProgram("small", ("no-such-program",), {}, speaks=True)


def test_what_it_prints_is_kept() -> None:
    ended = program(r"printf 'a\0b'")
    assert ended.await_end(STOP)

    assert ended.output() == b"a\0b"
    assert ended.answer() is None
    ended.close()


def test_one_that_speaks_is_told_and_answers_line_by_line() -> None:
    running = program('while read -r line; do echo "heard $line"; done', speaks=True)
    assert running.answer() is None

    for line in ("one", "two"):
        running.tell(line)
        while (answer := running.answer()) is None:
            os.sched_yield()
        assert answer == f"heard {line}"

    assert running.output() == b""
    running.close()
    assert running.await_end(STOP)


def test_telling_what_has_ended_is_nothing() -> None:
    ended = program("exit 0", speaks=True)
    assert ended.await_end(STOP)

    ended.tell("nobody")

    ended.close()
