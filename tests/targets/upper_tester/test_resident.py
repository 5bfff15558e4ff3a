"""A program that stays: what it is told, what it answers, and when it is given up."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from targets.acts import Prints
from targets.base import ActResult, ActState, TargetError
from targets.upper_tester.local_place import LocalFile
from targets.upper_tester.program import UpperTesterProgram
from targets.upper_tester.resident import Resident, ToldRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from targets.upper_tester.place import Fetched

STOP = 5.0
ECHO = 'while read -r line; do echo "$line"; done'
"""Answers what it was told to answer."""


def resident(script: str, *, is_spare: bool = False) -> Resident:
    words = ("sh", "-c", script)
    program = UpperTesterProgram("resident", words, {"MINE": "x"}, speaks=True)
    return Resident(program, is_spare=is_spare)


@pytest.fixture
def echo() -> Iterator[Resident]:
    made = resident(ECHO)
    yield made
    made.kill()
    assert made.await_end(STOP)
    made.close()


def told(
    program: Resident,
    line: str,
    prints: Prints = Prints.NOTHING,
    fetch: Callable[[], Fetched] | None = None,
) -> ToldRun:
    return ToldRun("small", program, line, prints, fetch, STOP)


def result(run: ToldRun) -> ActResult:
    """Poll until the end; bounded by the deadline."""
    while (ended := run.poll()) is None:
        os.sched_yield()
    return ended


def test_one_program_does_one_thing_after_the_other(echo: Resident) -> None:
    ended = [result(told(echo, line)) for line in ("done", "failed no such file", "done")]

    assert ended == [
        ActResult(ActState.DONE),
        ActResult(ActState.FAILED, "no such file"),
        ActResult(ActState.DONE),
    ]
    assert echo.listens


def test_a_failure_without_a_reason_is_one(echo: Resident) -> None:
    assert result(told(echo, "failed")) == ActResult(ActState.FAILED, "failed")


def test_polling_does_not_wait_and_answers_the_same_ever_after() -> None:
    program = resident("read -r line; sleep 60")
    run = told(program, "done")

    assert run.poll() is None
    run.abandon()

    assert run.poll() == run.poll() == ActResult(ActState.FAILED, "abandoned")
    assert not program.listens
    assert program.await_end(STOP)
    program.close()


def test_abandoning_what_has_been_answered_leaves_the_program_alone(echo: Resident) -> None:
    run = told(echo, "done")
    assert result(run).done

    run.abandon()

    assert echo.listens
    assert result(run).done


class Slow:
    """A file that comes when it is looked for the third time."""

    def __init__(self, content: bytes | None) -> None:
        self._content = content
        self._looks = 0

    @property
    def done(self) -> bool:
        self._looks += 1
        return self._looks > 2

    def content(self) -> bytes | None:
        return self._content


def test_what_was_fetched_is_what_the_file_holds_when_it_has_come(echo: Resident) -> None:
    ended = result(told(echo, "done", Prints.DATA, lambda: Slow(b"a\0b")))

    assert (ended.data, ended.digest) == (b"a\0b", hashlib.sha256(b"a\0b").hexdigest())


def test_a_file_that_does_not_come_is_waited_for_no_longer_than_an_answer(echo: Resident) -> None:
    class Never(Slow):
        done = False  # type: ignore[assignment]  # instead of the property

    now = 0.0
    run = ToldRun("small", echo, "done", Prints.DATA, lambda: Never(b""), 2.0, lambda: now)
    while run._fetched is None:
        assert run.poll() is None

    now = 2.0

    assert result(run) == ActResult(ActState.FAILED, "not ended within 2 s, and stopped")


def test_a_file_that_is_not_there_is_the_programs_fault(echo: Resident) -> None:
    run = told(echo, "done", Prints.DATA, lambda: LocalFile(None))

    with pytest.raises(TargetError, match=r"left no file \{output\} for \[acts\] small.*mend"):
        result(run)


def test_a_digest_may_be_told_instead(echo: Resident) -> None:
    digest = hashlib.sha256(b"abc").hexdigest()

    ended = result(told(echo, f"done {digest}", Prints.SHA256))

    assert (ended.done, ended.data, ended.digest) == (True, None, digest)


@pytest.mark.parametrize(
    ("answer", "prints", "instead"),
    [
        ("perhaps", Prints.NOTHING, "`done` or `failed`"),
        ("done abc", Prints.SHA256, "`done` and a SHA-256"),
        ("done", Prints.SHA256, "`done` and a SHA-256"),
    ],
)
def test_an_answer_that_is_none_is_the_programs_fault(
    echo: Resident, answer: str, prints: Prints, instead: str
) -> None:
    run = told(echo, answer, prints)

    with pytest.raises(TargetError) as caught:
        result(run)

    assert f"answered `{answer}` for [acts] small, instead of {instead}" in str(caught.value)


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("read -r line; echo 'out of memory' >&2; exit 3", "out of memory"),
        ("read -r line; exit 0", "exit status 0"),
        ("read -r line; kill -9 $$", "ended by signal 9"),
    ],
)
def test_a_program_that_ends_has_failed(script: str, detail: str) -> None:
    program = resident(script)

    assert result(told(program, "x")) == ActResult(ActState.FAILED, detail)

    assert not program.listens
    program.close()


def test_a_program_that_has_ended_before_it_is_told_has_failed() -> None:
    program = resident("exit 4")
    assert program.await_end(STOP)

    assert result(told(program, "x")).detail == "exit status 4"

    program.close()


@pytest.mark.parametrize(
    ("script", "death"),
    [
        ("echo no memory >&2; exit 3", "ended with status 3; it said last: no memory"),
        ("exit 0", "ended with status 0"),
        ("kill -SEGV $$", "was ended by SIGSEGV"),
    ],
)
def test_one_that_ends_by_itself_has_died(script: str, death: str) -> None:
    program = resident(script)
    assert program.await_end(STOP)

    program.kill()  # as all are that are left

    assert program.death() == f"the resident program {death}"
    program.close()


def test_one_that_lives_or_was_stopped_has_not_died() -> None:
    program = resident(ECHO)
    assert program.death() == ""

    program.kill()

    assert program.await_end(STOP)
    assert program.death() == ""
    program.close()


@pytest.mark.parametrize(
    ("script", "has_died"),
    [("exit 1", False), ("kill -SEGV $$", True), ("read -r line; echo done; exit 1", True)],
)
def test_a_second_one_that_refuses_to_be_has_not_died(script: str, has_died: bool) -> None:
    program = resident(script, is_spare=True)
    result(told(program, "x"))
    assert program.await_end(STOP)

    assert bool(program.death()) is has_died
    program.close()


def test_one_that_never_ran_has_not_died() -> None:
    class Missing:
        @property
        def status(self) -> int | None:
            raise TargetError("it cannot be started")

    missing: UpperTesterProgram = Missing()  # type: ignore[assignment]
    assert Resident(missing).death() == ""


def test_what_it_answers_before_it_ends_counts() -> None:
    program = resident("read -r line; echo done")
    run = told(program, "x")
    assert program.await_end(STOP)

    assert result(run).done

    program.close()


def test_a_program_that_takes_too_long_is_stopped() -> None:
    now = 0.0
    program = resident("read -r line; sleep 60")
    run = ToldRun("small", program, "x", Prints.NOTHING, None, 2.0, lambda: now)
    assert run.poll() is None

    now = 2.0

    assert run.poll() == ActResult(ActState.FAILED, "not ended within 2 s, and stopped")
    assert program.await_end(STOP)
    program.close()


def test_what_it_started_is_stopped_with_it(tmp_path: Path) -> None:
    number = tmp_path / "number"
    program = resident(f"sleep 60 & echo $! > {number}.new; mv {number}.new {number}; wait")
    run = told(program, "x")
    while not number.exists():
        assert run.poll() is None

    run.abandon()

    child = Path("/proc") / number.read_text().strip()
    end = time.monotonic() + STOP
    while child.exists() and time.monotonic() < end:
        os.sched_yield()
    assert not child.exists()
    assert program.await_end(STOP)
    program.close()


def test_it_ends_when_nobody_will_tell_it_anything() -> None:
    program = resident(ECHO)

    program.close()

    assert program.await_end(STOP)


def test_an_answer_in_pieces_is_one(tmp_path: Path) -> None:
    rest = tmp_path / "rest"
    program = resident(
        f"read -r line; printf 'do'; while [ ! -e {rest} ]; do read -r _ </dev/null; done; echo ne"
    )
    run = told(program, "x")
    assert run.poll() is None

    rest.touch()

    assert result(run).done
    assert program.await_end(STOP)
    program.close()


def test_variables_are_added_to_ours() -> None:
    program = resident('read -r line; echo "failed $MINE ${PATH:+path}"')

    assert result(told(program, "x")).detail == "x path"

    assert program.await_end(STOP)
    program.close()
