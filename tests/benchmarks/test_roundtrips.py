"""What the benchmark of round trips counts, and what it makes of what it is told."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
import pytest
import roundtrips
from roundtrip_counts import count_row
from roundtrip_ends import TimedClient, make_server
from roundtrip_lab import PingPong, Sample
from roundtrip_page import DRAWING, Measured, counted_lines
from roundtrip_plot import COLOURS
from roundtrip_rows import BULK, HEADER, NULL, READ, ROWS, SEND_BASED, WRITE

from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS
from rpcrdma.errors import ConnectionLost, ConnectionRejected, DeadlineExceeded
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.completion import Opcode
from rpcrdma.fabric.faults import SlowDown, VanishAfterSends
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.segments import one_segment
from rpcrdma.fabric.trace import EventKind, Trace
from rpcrdma.ulp.pattern import pattern
from targets.lab.accelerator import Accelerator
from targets.lab.errors import LabError
from targets.lab.lab import Ending, LabResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from roundtrip_rows import Operation, Row

    from rpcrdma.fabric.faults import Fault
    from rpcrdma.fabric.loopback_connection import LoopbackConnection
    from targets.lab.lab import LabRun

MESSAGES = {
    "inline": ("Send", "Send"),
    "continuation": ("Send", "Send", "Send", "Send"),
    "send-based DDP": ("Send", "Send"),
    "Long Call": ("Send", "RDMA Read", "Send"),
    "Reply chunk": ("Send", "RDMA Write", "Send"),
    "Read chunk": ("Send", "RDMA Read", "Send"),
    "Write chunk": ("Send", "RDMA Write", "Send"),
}
"""What crosses the link by each mechanism."""

EXPLICIT_RDMA = ("Long Call", "Reply chunk", "Read chunk", "Write chunk")

IN_PARTS = {"Call of 8 KiB, continuation": (1, 3), "Reply of 8 KiB, continuation": (3, 1)}
"""How many Sends the Requester and the Responder receive, where an RPC message is several."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_operation_takes_the_transits_that_are_predicted(row: Row) -> None:
    assert count_row(row).transits == row.transits


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_operation_travels_by_the_mechanism_of_its_row(row: Row) -> None:
    assert count_row(row).messages == MESSAGES[row.mechanism]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_explicit_rdma_takes_a_registration_at_either_end_and_nothing_else_does(row: Row) -> None:
    """A WRITE and a READ of 64 KiB by send-based DDP register no memory for their data."""
    found = count_row(row)
    expected = 1 if row.mechanism in EXPLICIT_RDMA else 0
    assert (found.requester.registrations, found.responder.registrations) == (expected, expected)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_send_is_completed_once_and_so_is_each_transfer(row: Row) -> None:
    found = count_row(row)
    expected = IN_PARTS.get(row.name, (1, 2 if row.mechanism in EXPLICIT_RDMA else 1))
    assert (found.requester.completions, found.responder.completions) == expected


def test_rows_differ_in_their_names() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("operation", [WRITE, READ], ids=lambda operation: operation.name)
def test_send_based_data_have_the_targets_of_one_receive(operation: Operation) -> None:
    """Were they inline, they would begin before these, and take no more than a Send, either."""
    network = LoopbackNetwork()
    with network.fabric("dut") as device, network.fabric("tester") as fabric:
        server = make_server(device, Address("dut", 0), SEND_BASED)
        device.attach(server.step)
        client = TimedClient(fabric, server.address, SEND_BASED)
        fabric.trace = Trace()
        client.time(operation)
        sends = [event.data for event in fabric.trace.events if event.kind is EventKind.SEND]
    assert max(sends, key=len)[HEADER:] == pattern(BULK)


@pytest.mark.parametrize(
    ("fault", "error"),
    [(SlowDown("dut", 20.0), DeadlineExceeded), (VanishAfterSends("dut"), ConnectionLost)],
)
def test_a_call_that_is_not_answered_once_has_no_time(fault: Fault, error: type[Exception]) -> None:
    network = LoopbackNetwork()
    with network.fabric("dut") as device, network.fabric("tester") as fabric:
        server = make_server(device, Address("dut", 0), NO_REDUCTIONS)
        device.attach(server.step)
        client = TimedClient(fabric, server.address, NO_REDUCTIONS)
        network.inject(fault)
        with pytest.raises(error, match="NULL: "):
            client.time(NULL)


def test_a_server_that_is_not_there_has_no_client() -> None:
    with (
        LoopbackNetwork().fabric("tester") as fabric,
        pytest.raises(ConnectionRejected, match="dut:20049: nobody listens"),
    ):
        TimedClient(fabric, Address("dut", 20049), NO_REDUCTIONS)


def test_a_bare_send_takes_a_round_trip() -> None:
    network = LoopbackNetwork(latency=1 / 1024)
    with network.fabric("dut") as device, network.fabric("tester") as fabric:
        listener = device.listen(Address("dut", 0))
        accepted: list[LoopbackConnection] = []

        def answer() -> None:
            while (request := listener.accept(0)) is not None:
                accepted.append(request.accept(ConnectionParameters(), 1.0))
                accepted[-1].post_receive(one_segment(64))
            for connection in accepted:
                for done in connection.poll(0):
                    if done.opcode is Opcode.RECEIVE:
                        connection.post_send(done.data)

        device.attach(answer)
        assert PingPong(fabric, listener.address).time() == 2 / 1024


def samples(delays: tuple[float, ...], seconds: Callable[[Row, float], float]) -> list[Sample]:
    """Three rounds in which a bare round trip takes a millisecond beside the delay.

    One round is disturbed, so that nothing but a median gives the figures.
    """
    return [
        Sample(row.name, delay, seconds(row, delay) * late, (2 * delay + 1) / 1000 * late)
        for late in (1.0, 7.0, 1.0)
        for delay in (0.0, *delays)
        for row in ROWS
    ]


def predicted(row: Row, delay: float) -> float:
    """Seconds of an operation that takes what is predicted, and 4 ms at both ends."""
    return (row.transits * delay + 4) / 1000


def test_what_both_ends_compute_is_no_part_of_the_round_trips() -> None:
    measured = Measured(samples((5.0, 20.0), predicted))
    assert measured.delays == (5.0, 20.0)
    for row in ROWS:
        for delay in measured.delays:
            assert measured.round_trips(row, delay) == pytest.approx(row.transits / 2)
            assert measured.elapsed(row, delay) == pytest.approx(predicted(row, delay))


def test_what_was_measured_is_drawn_in_milliseconds() -> None:
    line = Measured(samples((5.0,), predicted)).lines()[0]
    assert line.name == "NULL, inline"
    assert line.points == (pytest.approx((1.0, 4.0)), pytest.approx((11.0, 14.0)))


def test_what_was_counted_is_drawn_as_if_the_link_alone_took_time() -> None:
    counts = {row.name: count_row(row) for row in ROWS}
    lines = {line.name: line.points for line in counted_lines(counts, (5.0,))}
    assert lines["WRITE of 64 KiB, Read chunk"] == ((0, 0), (10.0, 20.0))


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["roundtrips.py", *words])
    return roundtrips.main()


def test_each_row_has_a_colour_of_its_own() -> None:
    assert len(ROWS) <= len(set(COLOURS))


def test_page_and_drawing_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "--output", str(tmp_path / "new")) == 0
    page = (tmp_path / "new" / "README.md").read_text()
    assert "| NULL | inline | Send, Send | 2 | 2 |" in page
    assert "| READ of 64 KiB | send-based DDP | Send, Send | 2 | 2 |" in page
    assert f"]({DRAWING})" in page
    assert "Soft-RoCE" not in page
    assert (tmp_path / "new" / DRAWING).read_text().startswith("<svg ")


def in_lab(monkeypatch: pytest.MonkeyPatch, lines: list[str], status: int = 0) -> list[LabRun]:
    """A lab in which the program prints these lines; the runs that it is asked for."""
    runs: list[LabRun] = []

    def run_in_lab(run: LabRun, on_line: Callable[[str], None]) -> LabResult:
        runs.append(run)
        for line in lines:
            on_line(line)
        return LabResult(Ending.EXITED, status, 1.0, release="6.1.0", accelerator=Accelerator.TCG)

    monkeypatch.setattr(roundtrips, "run_in_lab", run_in_lab)
    monkeypatch.delenv("RPCRDMA_LAB", raising=False)
    return runs


def test_what_the_guest_measured_is_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [msgspec.json.encode(one).decode() for one in samples((5.0,), predicted)]
    runs = in_lab(monkeypatch, ["round 1 of 3", *told])
    words = ("--fabric", "lab", "--delay", "5", "--rounds", "3", "--output", str(tmp_path))
    assert run(monkeypatch, *words) == 0
    page = (tmp_path / "README.md").read_text()
    assert "| WRITE of 64 KiB | Read chunk | 2 | 4.0 ms | 2.00 (24.0 ms) |" in page
    assert "Linux 6.1.0 under QEMU's tcg, in 3 rounds" in page
    assert runs[0].counted
    assert runs[0].setup.command[2:] == ("--rounds", "3", "--delay", "5.0")


def test_a_guest_that_could_not_measure_is_told_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    in_lab(monkeypatch, ["no such device"], status=1)
    assert run(monkeypatch, "--fabric", "lab") == 2
    assert "with status 1 after 1 s; it said: no such device; see" in capsys.readouterr().err


def test_a_machine_without_the_lab_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_in_lab(*_: object) -> LabResult:
        raise LabError("choosing a kernel", "no image in /boot", "install one")

    monkeypatch.setattr(roundtrips, "run_in_lab", run_in_lab)
    monkeypatch.delenv("RPCRDMA_LAB", raising=False)
    assert run(monkeypatch, "--fabric", "lab") == 2
    error = capsys.readouterr().err
    assert error == "roundtrips: choosing a kernel: no image in /boot; install one\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--delay", "5,x"), "'5,x' is not a list of milliseconds, each more than 0 and at most"),
        (("--delay", "0"), "'0' is not a list of milliseconds"),
        (("--delay", "500"), "at most 100, such as 5,10,20"),
        (("--rounds", "0"), "'0' is not a number of rounds, 1 or more"),
        (("--rounds", "-1"), "'-1' is not a number of rounds"),
    ],
)
def test_a_word_that_is_none_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, str],
    sentence: str,
) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, *words)
    assert sentence in capsys.readouterr().err
