"""The reference client in a process of its own: the lines in which it is told what to do.

That it runs over verbs is tested in the lab.
"""

from __future__ import annotations

import io
import os
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp.testprog import TestProgram
from targets.base import Act, ActKind, ActResult, ActState, TargetError
from targets.reference import client_process, device_process
from targets.reference.client_parts import ClientParts
from targets.reference.client_process import (
    ClientOrder,
    InputLines,
    ProcessClientSession,
    Report,
    main,
    serve,
)
from targets.usage import Resource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from targets.base import RunningAct


@pytest.fixture
def pipe() -> Iterator[tuple[int, InputLines]]:
    """The writing end of a pipe, and its lines."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream:
        yield writing, InputLines(stream)


def test_lines_come_when_they_are_complete(pipe: tuple[int, InputLines]) -> None:
    writing, lines = pipe
    assert lines.take() == []

    os.write(writing, b"one\ntw")
    assert lines.take() == [b"one"]
    os.write(writing, b"o\n\nthree\n")
    lines.wait(1.0)
    assert lines.take() == [b"two", b"three"]
    assert not lines.ended

    os.close(writing)
    assert lines.take() == []
    assert lines.ended


class Scripted(InputLines):
    """Orders that end once there are so many reports."""

    def __init__(self, orders: list[ClientOrder], output: io.BytesIO, reports: int) -> None:
        self._orders = [msgspec.json.encode(order) for order in orders]
        self._output = output
        self._reports = reports

    @property
    def ended(self) -> bool:  # type: ignore[override]
        return self._output.getvalue().count(b"\n") >= self._reports

    def take(self) -> list[bytes]:
        taken, self._orders = self._orders, []
        return taken

    def wait(self, timeout: float) -> None:
        """Time passes by itself."""


def told(*orders: ClientOrder, reports: int) -> dict[int, Report]:
    network = LoopbackNetwork()
    fabric, peer = network.fabric("dut"), network.fabric("tester")
    server = Server(peer, Address("tester", 0), lambda: Responder(TestProgram()))
    peer.attach(server.step)
    output = io.BytesIO()
    script = Scripted(list(orders), output, reports)
    serve(fabric, server.address, ClientParts(), script, output)
    lines = output.getvalue().splitlines()
    found = [msgspec.json.decode(line, type=Report) for line in lines]
    return {report.id: report for report in found}


def test_connecting_is_reported_first() -> None:
    assert told(reports=1) == {0: Report(0, ActState.DONE)}


def test_acts_are_done_and_reported_by_their_numbers() -> None:
    found = told(
        ClientOrder(1, act="read", length=3000), ClientOrder(2, act="many", count=3), reports=3
    )

    assert {number: report.state for number, report in found.items()} == {
        0: ActState.DONE,
        1: ActState.DONE,
        2: ActState.DONE,
    }
    assert len(found[1].digest) == 64


def test_what_is_abandoned_is_reported_as_failed() -> None:
    found = told(
        ClientOrder(1, act="null"),
        ClientOrder(1, abandon=True),
        ClientOrder(9, abandon=True),
        reports=2,
    )

    assert found[1].state is ActState.FAILED


def test_an_order_is_a_short_line() -> None:
    assert msgspec.json.encode(ClientOrder(1, act="null")) == b'{"id":1,"act":"null"}'


OBEDIENT = """
import json, os, sys
from targets.reference.lives import live

def say(number, failed=False):
    state = "failed" if failed else "done"
    report = {"type": "report", "id": number, "state": state, "detail": "", "digest": "abc"}
    print(json.dumps(report), flush=True)

def be():
    say(0)
    for line in sys.stdin:
        order = json.loads(line)
        if order.get("act") == "long-reply":
            return 3
        if order.get("act") != "many":
            say(order["id"], order.get("abandon", False))

live(lambda line: be if "connect" in json.loads(line) else None, 0, sys.stdout.buffer)
"""
"""A process that says of everything but `many` that it is done, unless it is abandoned; a client
ends with status 3 that is told to call for a long reply."""

MORTAL = "import sys; sys.exit(3)"
STUBBORN = OBEDIENT.replace("def be():", "def be():\n    os.kill(os.getppid(), 19)")
"""One that cannot end its clients, since it is stopped."""


class Faked(ProcessClientSession):
    """A session with another process."""

    script = OBEDIENT

    def command(self) -> list[str]:
        return [sys.executable, "-c", self.script]


class Dying(Faked):
    script = MORTAL


class Stopped(Faked):
    script = STUBBORN


SOMEWHERE = Address("tester", 1)
PATIENCE = 20.0


@pytest.fixture
def session() -> Iterator[Faked]:
    made = Faked(LoopbackNetwork().fabric("tester"), SOMEWHERE)
    yield made
    made.close()


def end_of(act: RunningAct, session: Faked) -> ActResult:
    """How an act ends; waits for the process to say so."""
    end = time.monotonic() + PATIENCE
    while (result := act.poll()) is None and time.monotonic() < end:
        if session._lines is not None:
            session._lines.wait(PATIENCE)
    assert result is not None
    return result


def test_a_process_is_told_and_reports(session: Faked) -> None:
    assert end_of(session.prepare(SOMEWHERE), session).done
    act = session.begin(Act(ActKind.READ, 10))

    assert end_of(act, session) == ActResult(ActState.DONE, digest="abc")
    assert act.poll() == ActResult(ActState.DONE, digest="abc")
    assert session.alive() is None


def test_a_process_is_told_what_to_abandon(session: Faked) -> None:
    session.prepare(SOMEWHERE)
    act = session.begin(Act(ActKind.MANY, count=3))
    act.abandon()

    assert end_of(act, session).state is ActState.FAILED


def test_that_the_process_ended_is_the_end_of_every_act() -> None:
    session = Dying(LoopbackNetwork().fabric("tester"), SOMEWHERE)
    act = session.prepare(SOMEWHERE)

    result = end_of(act, session)

    assert result == ActResult(ActState.FAILED, "the process ended with status 3")
    session.order(ClientOrder(1, act="null"))
    session.close()


def test_that_a_client_ended_is_the_end_of_every_act(session: Faked) -> None:
    session.prepare(SOMEWHERE)
    act = session.begin(Act(ActKind.LONG_REPLY))

    assert end_of(act, session) == ActResult(ActState.FAILED, "the process ended with status 3")
    assert session.alive() == "the process ended with status 3"


def test_each_client_is_a_new_one_of_the_same_process(session: Faked) -> None:
    end_of(session.prepare(SOMEWHERE), session)
    session.begin(Act(ActKind.MANY))
    process = session._process
    again = session.prepare(SOMEWHERE)

    assert end_of(again, session).done
    assert session._process is process
    assert session.alive() is None
    assert session.begin(Act(ActKind.NULL))._number == 1  # type: ignore[attr-defined]


def test_what_the_fork_holds_is_told_that_is_the_client(session: Faked) -> None:
    assert session.usage() is None
    end_of(session.prepare(SOMEWHERE), session)

    usage = session.usage()

    assert usage is not None
    assert usage.of(Resource.THREADS) == 1
    end_of(session.begin(Act(ActKind.LONG_REPLY)), session)
    assert session.usage() is None
    session.restart()
    assert session.usage() is None


def test_a_client_is_made_after_one_that_ended_by_itself(session: Faked) -> None:
    session.prepare(SOMEWHERE)
    end_of(session.begin(Act(ActKind.LONG_REPLY)), session)

    assert end_of(session.prepare(SOMEWHERE), session).done
    assert session.alive() is None


def test_a_process_that_cannot_end_its_client_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (client_process, device_process):
        monkeypatch.setattr(module, "STOP_DEADLINE", 0.2)
    session = Stopped(LoopbackNetwork().fabric("tester"), SOMEWHERE)
    end_of(session.prepare(SOMEWHERE), session)
    process = session._process

    assert end_of(session.prepare(SOMEWHERE), session).done
    assert session._process is not process
    session.close()


def test_a_process_can_be_started_again(session: Faked) -> None:
    session.prepare(SOMEWHERE)
    session.restart()
    assert session.alive() is None
    with pytest.raises(TargetError, match="prepare it first"):
        session.begin(Act(ActKind.NULL))

    assert end_of(session.prepare(SOMEWHERE), session).done


def test_the_process_is_this_program() -> None:
    fabric = LoopbackNetwork().fabric("tester")
    session = ProcessClientSession(fabric, SOMEWHERE, "mutant:odd", versions=(1, 2))

    assert session.command()[1:] == [
        *("-m", "targets.mutants.process", "client", "odd"),
        *("--versions", "1", "2"),
    ]


def test_the_process_is_told_to_take_no_calls() -> None:
    fabric = LoopbackNetwork().fabric("tester")
    session = ProcessClientSession(fabric, SOMEWHERE, is_called=False)

    assert session.command()[-3:] == ["--versions", "1", "--forward-only"]


def test_a_client_without_a_device_says_so_and_ends() -> None:
    """This machine has no RDMA device, or the address is on none."""
    session = ProcessClientSession(LoopbackNetwork().fabric("tester"), SOMEWHERE)
    act = session.prepare(Address("192.0.2.1", 1))

    result = end_of(act, session)
    session.close()

    assert result.state is ActState.FAILED


def test_the_command_refuses_a_version_that_is_no_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--versions", "two"])
    assert "--versions: invalid" in capsys.readouterr().err
