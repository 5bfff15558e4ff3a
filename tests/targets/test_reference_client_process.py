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

from rpcrdma.endpoint.responder import Responder
from rpcrdma.endpoint.serving import Server
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp.testprog import TestProgram
from targets.base import Act, ActKind, ActResult, ActState, TargetError
from targets.reference_client import ClientParts
from targets.reference_client_process import (
    Lines,
    Order,
    ProcessClientSession,
    Report,
    main,
    serve,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from targets.base import RunningAct


@pytest.fixture
def pipe() -> Iterator[tuple[int, Lines]]:
    """The writing end of a pipe, and its lines."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream:
        yield writing, Lines(stream)


def test_lines_come_when_they_are_complete(pipe: tuple[int, Lines]) -> None:
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


class Scripted(Lines):
    """Orders that end once there are so many reports."""

    def __init__(self, orders: list[Order], output: io.BytesIO, reports: int) -> None:
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


def told(*orders: Order, reports: int) -> dict[int, Report]:
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
    found = told(Order(1, "read", 3000), Order(2, "many", count=3), reports=3)

    assert {number: report.state for number, report in found.items()} == {
        0: ActState.DONE,
        1: ActState.DONE,
        2: ActState.DONE,
    }
    assert len(found[1].digest) == 64


def test_what_is_abandoned_is_reported_as_failed() -> None:
    found = told(Order(1, "null"), Order(1, abandon=True), Order(9, abandon=True), reports=2)

    assert found[1].state is ActState.FAILED


def test_an_order_is_a_short_line() -> None:
    assert msgspec.json.encode(Order(1, "null")) == b'{"id":1,"act":"null"}'


OBEDIENT = """
import json, sys
print(json.dumps({"id": 0, "state": "done"}), flush=True)
for line in sys.stdin:
    order = json.loads(line)
    failed = order.get("abandon", False)
    if order.get("act") != "many":
        state = "failed" if failed else "done"
        report = {"id": order["id"], "state": state, "detail": "", "digest": "abc"}
        print(json.dumps(report), flush=True)
"""
"""A process that says of everything but `many` that it is done, unless it is abandoned."""

MORTAL = "import sys; sys.exit(3)"


class Faked(ProcessClientSession):
    """A session with another process."""

    script = OBEDIENT

    def command(self, address: Address) -> list[str]:
        return [sys.executable, "-c", self.script]


class Dying(Faked):
    script = MORTAL


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
    session.order(Order(1, "null"))
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
    session = ProcessClientSession(fabric, SOMEWHERE, "odd", versions=(1, 2))

    words = session.command(SOMEWHERE)

    assert words[1:] == [
        *("-m", "targets.reference_client", "--connect", "tester:1"),
        *("--versions", "1", "2"),
        *("--mutant", "odd"),
    ]


def test_the_process_is_told_to_take_no_calls() -> None:
    fabric = LoopbackNetwork().fabric("tester")
    session = ProcessClientSession(fabric, SOMEWHERE, is_called=False)

    assert session.command(SOMEWHERE)[-3:] == ["--versions", "1", "--forward-only"]


def test_the_command_needs_an_address(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--connect", "nowhere"])
    assert "--connect: invalid" in capsys.readouterr().err
