"""A client's programs and files in a guest, by an agent in this process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from targets.acts import Acts
from targets.base import Act, ActKind, TargetError
from targets.lab.errors import LabError
from targets.standing import place as module
from targets.standing.guest_agent import GuestAgent
from targets.standing.place import GuestFile, GuestPlace, GuestProgram
from targets.upper_tester.commands import CommandActs
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from targets.standing.agent_client import AgentClient
    from targets.upper_tester.place import ClientPlace

STOP = 10.0


class Guest:
    """As much of a standing guest as a place uses."""

    def __init__(self, client: AgentClient) -> None:
        self.agent = GuestAgent(client)

    def alive(self) -> str | None:
        return "panic in the kernel"


@pytest.fixture
def place(client: AgentClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GuestPlace:
    monkeypatch.setattr(module, "ACTS_FOLDER", str(tmp_path / "acts"))
    return GuestPlace(Guest(client), "10.9.0.1")  # type: ignore[arg-type]  # as much as is used


def fetched(file: GuestFile) -> bytes | None:
    while not file.done:
        os.sched_yield()
    return file.content()


def ended(program: GuestProgram) -> int:
    while (status := program.status) is None:
        os.sched_yield()
    return status


def shell(place: GuestPlace, script: str, *, speaks: bool = False) -> GuestProgram:
    return place.start("small", ("sh", "-c", script), {"MINE": "x"}, speaks=speaks)


def test_it_is_a_place_as_the_upper_tester_has_it(place: GuestPlace) -> None:
    as_declared: ClientPlace = place
    assert (as_declared.address, as_declared.alive()) == ("10.9.0.1", "panic in the kernel")
    as_declared.close()


def test_files_go_there_and_come_back(place: GuestPlace) -> None:
    stored = place.store("content-3", b"a\0c")
    assert place.store("content-3", b"not again") == stored
    new = place.new_file()
    assert shell(place, f"cat {stored} {stored} >{new}").await_end(STOP)
    assert fetched(place.fetch(new)) == b"a\0ca\0c"
    assert fetched(place.fetch(new)) is None


def test_a_file_that_cannot_be_read_is_said_so(place: GuestPlace) -> None:
    with pytest.raises(TargetError, match=r"what was fetched cannot be read: .*directory"):
        fetched(place.fetch(place.make_folder()))


def test_each_folder_is_a_new_empty_one(place: GuestPlace) -> None:
    first, second = place.make_folder(), place.make_folder()
    assert first != second
    assert shell(place, f"rmdir {first} {second}").await_end(STOP)
    assert not Path(first).exists()


def test_a_program_has_output_and_status(place: GuestPlace) -> None:
    program = shell(place, r"printf 'a\0b'; echo why >&2; exit 3")
    assert program.output() == b""
    assert program.await_end(STOP)
    assert (program.status, program.complaints(), program.output()) == (3, "why\n", b"a\0b")
    program.kill()
    program.close()


def test_one_that_speaks_answers(place: GuestPlace) -> None:
    program = shell(place, 'while read -r line; do echo "$MINE $line"; done', speaks=True)
    assert program.answer() is None
    program.tell("one")
    while (answer := program.answer()) is None:
        assert program.status is None
    assert answer == "x one"
    program.kill()
    assert program.await_end(STOP)
    assert (program.status, program.complaints()) == (-9, "")


def test_a_program_that_is_not_there_is_said_so(place: GuestPlace) -> None:
    program = place.start("small", ("no-such-program",), {}, speaks=False)
    with pytest.raises(TargetError, match=r"`no-such-program` of \[acts\] small cannot be started"):
        ended(program)


def test_a_guest_that_has_ended_is_said_so(place: GuestPlace, client: AgentClient) -> None:
    program = shell(place, "sleep 1000")
    client.close()
    with pytest.raises(TargetError, match=r"\[acts\] small: the guest was let go of"):
        ended(program)
    assert program.await_end(STOP)


ACTS = """
prepare = "true"
resident = ["sh", "-c", 'while read -r word file; do printf abc >"$file"; echo done; done']
read = { tell = "read {output}", prints = "data" }
small = ["sh", "-c", "printf {length} >&2; exit 1"]
"""


def test_the_upper_tester_does_not_know_the_difference(place: GuestPlace) -> None:
    upper = CommandActs(msgspec.toml.decode(ACTS, type=Acts), place, {})
    for _ in range(2):
        values = {"output": place.new_file()}
        act = upper.begin("read", upper.command(Act(ActKind.READ)), values)
        while (result := act.poll()) is None:
            os.sched_yield()
        assert result.data == b"abc"
    failing = upper.begin("small", upper.command(Act(ActKind.SMALL)), {"length": "7"})
    while (result := failing.poll()) is None:
        os.sched_yield()
    assert result.detail == "7"
    assert upper.stop(STOP)


def test_what_a_program_and_the_kernel_hold_is_told(
    place: GuestPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "targets.lab.held.held", lambda process=0: Usage(((Resource.THREADS, process),))
    )
    program = shell(place, "echo $$; read x", speaks=True)
    while (answer := program.answer()) is None:
        os.sched_yield()

    assert program.usage() == Usage(((Resource.THREADS, int(answer)),))
    assert place.usage() == Usage(((Resource.THREADS, 0),))
    program.kill()
    assert program.await_end(STOP)


def test_a_guest_that_does_not_answer_tells_nothing(
    place: GuestPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: GuestAgent, _program: int) -> Usage:
        raise LabError("asking the guest", "it has ended")

    monkeypatch.setattr(GuestAgent, "usage", fail)
    assert place.usage() is None
