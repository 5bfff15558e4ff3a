"""Commands that make a client act: how they run, end, are stopped, and what is made of it."""

from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from targets.acts import Acts, Command, Prints
from targets.base import Act, ActKind, ActResult, ActState, TargetError, Unsupported
from targets.upper_tester.commands import CommandActs, CommandRun, InTurn
from targets.upper_tester.local_place import LocalPlace
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from targets.base import RunningAct

STOP = 5.0


class Here(LocalPlace):
    """This machine, without a folder for files: nothing here has any."""

    def __init__(self) -> None: ...


HERE = Here()


def upper_tester(text: str = "prepare = 'true'") -> CommandActs:
    acts = msgspec.toml.decode(text, type=Acts)
    return CommandActs(acts, HERE, {"FROM": "suite", "BOTH": "suite"})


@pytest.fixture
def upper() -> Iterator[CommandActs]:
    made = upper_tester()
    yield made
    assert made.stop(STOP)


def shell(script: str, prints: Prints = Prints.NOTHING, deadline: float = 0.0) -> Command:
    return Command(run=("sh", "-c", script), prints=prints, deadline=deadline)


def result(act: RunningAct) -> ActResult:
    """Poll until the end; bounded by the command's own deadline."""
    while (ended := act.poll()) is None:
        os.sched_yield()
    return ended


def process_is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_status_zero_is_done(upper: CommandActs) -> None:
    assert result(upper.run("small", shell("exit 0"), {})) == ActResult(ActState.DONE)


def test_a_failure_is_told_by_the_last_line_of_standard_error(upper: CommandActs) -> None:
    ended = result(upper.run("small", shell("echo one >&2; echo 'no such file' >&2; exit 3"), {}))

    assert (ended.state, ended.detail) == (ActState.FAILED, "no such file")


@pytest.mark.parametrize(
    ("script", "detail"), [("exit 3", "exit status 3"), ("kill -9 $$", "ended by signal 9")]
)
def test_a_silent_failure_is_told_by_how_it_ended(
    upper: CommandActs, script: str, detail: str
) -> None:
    assert result(upper.run("small", shell(script), {})).detail == detail


def test_polling_does_not_wait_and_answers_the_same_ever_after(upper: CommandActs) -> None:
    run = upper.run("small", shell("sleep 60"), {})

    assert run.poll() is None
    run.abandon()
    assert run.poll() == run.poll() == ActResult(ActState.FAILED, "abandoned")


def test_what_is_fetched_is_data_with_its_digest(upper: CommandActs) -> None:
    ended = result(upper.run("read", shell(r"printf 'a\0b'", Prints.DATA), {}))

    assert ended.done
    assert ended.data == b"a\0b"
    assert ended.digest == hashlib.sha256(b"a\0b").hexdigest()


def test_a_mebibyte_needs_nobody_to_read_along(upper: CommandActs) -> None:
    ended = result(upper.run("read", shell("head -c 1048576 /dev/zero", Prints.DATA), {}))

    assert ended.data == bytes(1048576)


def test_a_digest_may_be_printed_instead(upper: CommandActs) -> None:
    digest = hashlib.sha256(b"abc").hexdigest()

    ended = result(upper.run("read", shell("printf abc | sha256sum", Prints.SHA256), {}))

    assert (ended.data, ended.digest) == (None, digest)


def test_a_digest_that_is_none_is_the_profiles_fault(upper: CommandActs) -> None:
    run = upper.run("read", shell("echo abc", Prints.SHA256), {})

    with pytest.raises(TargetError, match=r"\[acts\] read did not print a SHA-256.*mend"):
        result(run)


def test_a_command_that_takes_too_long_is_stopped() -> None:
    now = 0.0
    program = HERE.start("small", ("sleep", "60"), {}, speaks=False)
    run = CommandRun("small", program, Prints.NOTHING, 2.0, lambda: now)
    assert run.poll() is None

    now = 2.0

    ended = run.poll()
    assert ended == ActResult(ActState.FAILED, "not ended within 2 s, and stopped")
    assert run.await_end(STOP)


def test_deadlines_are_those_of_the_command_then_of_the_table_and_scaled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RPCRDMA_TIMEOUT_FACTOR", "0.001")
    upper = upper_tester("prepare = 'true'\ndeadline = 30.0")

    told = [
        result(upper.run("small", shell("sleep 60", deadline=own), {})).detail for own in (0, 20)
    ]

    assert told == [f"not ended within {seconds} s, and stopped" for seconds in ("0.03", "0.02")]
    assert upper.stop(STOP)


def test_what_a_command_started_is_stopped_with_it(upper: CommandActs, tmp_path: Path) -> None:
    number = tmp_path / "number"
    run = upper.run(
        "many", shell(f"sleep 60 & echo $! > {number}.new; mv {number}.new {number}; wait"), {}
    )
    while not number.exists():
        assert run.poll() is None

    run.abandon()

    child = int(number.read_text())
    assert run.await_end(STOP)
    end = time.monotonic() + STOP
    while process_is_there(child) and time.monotonic() < end:
        os.sched_yield()
    assert not process_is_there(child)


def test_a_program_that_is_not_there_is_said_so(upper: CommandActs) -> None:
    with pytest.raises(
        TargetError, match=r"`no-such-program` of \[acts\] small cannot be started: No such file"
    ):
        upper.run("small", Command(run="no-such-program"), {})


def test_a_placeholder_that_means_nothing_here_is_said_so(upper: CommandActs) -> None:
    with pytest.raises(TargetError, match=r"\{length\} means nothing in \[acts\] prepare"):
        upper.run("prepare", Command(run="mount {length}"), {"port": "7"})


def test_placeholders_and_environment_reach_the_command() -> None:
    upper = upper_tester("prepare = 'true'\nenvironment = { BOTH = 't{port}', TABLE = 'table' }")
    command = Command(
        run=("sh", "-c", "echo {port} $FROM $BOTH $TABLE $OWN"),
        environment={"TABLE": "own", "OWN": "own"},
        prints=Prints.DATA,
    )

    assert result(upper.run("read", command, {"port": "7"})).data == b"7 suite t7 own own\n"
    assert upper.stop(STOP)


def test_kinds_are_those_that_have_a_command() -> None:
    upper = upper_tester("prepare = 'x'\nsmall = 'x'\nnull = { unsupported = 'why' }")

    assert upper.kinds == {ActKind.SMALL}


def test_an_act_without_a_command_is_unsupported_and_says_why() -> None:
    upper = upper_tester("prepare = 'x'\nnull = { unsupported = 'only while mounting' }")

    with pytest.raises(Unsupported, match=r"no command for `small` in its table \[acts\]"):
        upper.command(Act(ActKind.SMALL))
    with pytest.raises(Unsupported, match="cannot be brought to `null`: only while mounting"):
        upper.command(Act(ActKind.NULL))


def test_stopping_ends_whatever_runs() -> None:
    upper = upper_tester()
    runs = [upper.run("many", shell("sleep 60"), {}) for _ in range(3)]

    assert upper.stop(STOP)

    assert all(run.gone for run in runs)


def test_commands_in_turn_begin_one_after_the_other(upper: CommandActs, tmp_path: Path) -> None:
    file = tmp_path / "file"
    first = shell(f"echo one >> {file}; exit 1")
    second = shell(f"echo two >> {file}; cat {file}", Prints.DATA)
    act = InTurn(lambda: upper.run("release", first, {}), lambda: upper.run("read", second, {}))

    assert result(act).data == b"one\ntwo\n"
    assert act.poll() is result(act)


def test_commands_in_turn_are_abandoned_together(upper: CommandActs, tmp_path: Path) -> None:
    file = tmp_path / "file"
    act = InTurn(
        lambda: upper.run("release", shell("sleep 60"), {}),
        lambda: upper.run("prepare", shell(f"touch {file}"), {}),
    )
    assert act.poll() is None

    act.abandon()

    assert act.poll() == ActResult(ActState.FAILED, "abandoned")
    assert not file.exists()


RESIDENT = """
prepare = "true"
environment = { PORT = "t{port}" }
resident = ["sh", "-c", 'echo $$ >> {folder}/started; while read -r a b; do eval "$a $b"; done']
"""


def staying(folder: Path) -> tuple[CommandActs, dict[str, str]]:
    return upper_tester(RESIDENT), {"port": "7", "folder": str(folder)}


def starts(folder: Path) -> int:
    """How many programs have said that they have started; the file is there a moment before."""
    file = folder / "started"
    return len(file.read_text().splitlines()) if file.exists() else 0


def tell(line: str, deadline: float = 0.0) -> Command:
    return Command(tell=line, deadline=deadline)


def test_a_resident_program_is_started_once_and_told_each_act(tmp_path: Path) -> None:
    upper, values = staying(tmp_path)

    ended = [
        result(upper.begin("small", tell("echo failed $PORT {port} {{port}}"), values)).detail
        for _ in range(3)
    ]

    assert ended == ["t7 7 {port}"] * 3
    assert starts(tmp_path) == 1
    assert upper.stop(STOP)


def test_another_is_started_beside_one_that_is_busy(tmp_path: Path) -> None:
    upper, values = staying(tmp_path)
    busy = upper.begin("read", tell("sleep 60"), values)
    while not starts(tmp_path):
        assert busy.poll() is None

    assert result(upper.begin("small", tell("echo done"), values)).done
    assert result(upper.begin("small", tell("echo done"), values)).done

    assert busy.poll() is None
    assert starts(tmp_path) == 2
    assert upper.stop(STOP)
    assert result(busy).detail == "abandoned"


def test_one_that_was_given_up_is_started_anew(tmp_path: Path) -> None:
    upper, values = staying(tmp_path)
    run = upper.begin("read", tell("sleep 60"), values)
    while not starts(tmp_path):
        assert run.poll() is None
    run.abandon()

    assert result(upper.begin("small", tell("echo done"), values)).done

    assert starts(tmp_path) == 2
    assert upper.stop(STOP)


def test_what_is_told_has_a_deadline_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RPCRDMA_TIMEOUT_FACTOR", "0.001")
    upper, values = staying(tmp_path)

    ended = result(upper.begin("small", tell("sleep 60", deadline=20), values))

    assert ended.detail == "not ended within 0.02 s, and stopped"
    assert upper.stop(STOP)


def test_a_death_is_told_until_everything_is_stopped_though_another_was_started(
    tmp_path: Path,
) -> None:
    upper, values = staying(tmp_path)
    assert upper.death() == ""
    failed = result(upper.begin("small", tell("kill -SEGV $$"), values))
    assert failed == ActResult(ActState.FAILED, "ended by signal 11")

    assert result(upper.begin("small", tell("echo done"), values)).done

    assert starts(tmp_path) == 2
    assert upper.death() == "the resident program was ended by SIGSEGV"
    upper.abandon()
    assert upper.death() == "the resident program was ended by SIGSEGV"
    assert upper.stop(STOP)
    assert upper.death() == ""


def test_abandoning_everything_stops_an_idle_program_too(tmp_path: Path) -> None:
    upper, values = staying(tmp_path)
    assert result(upper.begin("small", tell("echo done"), values)).done

    upper.abandon()

    assert result(upper.begin("small", tell("echo done"), values)).done
    assert starts(tmp_path) == 2
    assert upper.stop(STOP)
    assert upper.stop(0.0)


def test_a_placeholder_in_a_line_that_means_nothing_here_is_said_so(tmp_path: Path) -> None:
    upper, values = staying(tmp_path)

    with pytest.raises(TargetError, match=r"\{length\} means nothing in \[acts\] small"):
        upper.begin("small", tell("read {length}"), values)
    with pytest.raises(TargetError, match=r"\{folder\} means nothing in \[acts\] resident"):
        upper.begin("small", tell("read"), {"port": "7"})


def test_what_is_no_line_is_a_command(upper: CommandActs) -> None:
    assert isinstance(upper.begin("small", shell("exit 0"), {}), CommandRun)


def test_what_the_program_holds_that_stays_is_told_or_else_the_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = "resident = ['cat']\nprepare = 'true'\nsmall = {tell = 'done'}"
    upper = upper_tester(told)
    of_kernel = Usage(((Resource.KERNEL, 1),))
    monkeypatch.setattr(HERE, "usage", lambda: of_kernel, raising=False)
    assert upper.usage() == of_kernel

    assert result(upper.begin("small", Command(tell="done"), {})).done
    held = upper.usage()
    assert held is not None
    assert held.of(Resource.RESIDENT)

    assert upper.stop(STOP)
    assert upper.usage() == of_kernel


def test_of_a_kernel_that_a_program_brings_to_act_the_kernel_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upper = upper_tester("kernel-log = true\nresident = ['cat']\nprepare = 'true'")
    of_kernel = Usage(((Resource.KERNEL, 1),))
    monkeypatch.setattr(HERE, "usage", lambda: of_kernel, raising=False)

    assert result(upper.begin("small", Command(tell="done"), {})).done
    assert upper.usage() == of_kernel
    assert upper.stop(STOP)
