"""What a case leaves behind: its trace, its capture, and the steps that a report shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from conformance.suite.evidence import (
    annotated,
    complete,
    exchanges,
    read_trace,
    shown_exchanges,
    trace_of,
    write_console,
    write_evidence,
)
from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from reports.record import (
    FORMAT_VERSION,
    CaseRecord,
    Field,
    Mark,
    RunFooter,
    RunHeader,
    RunRecord,
    Verdict,
)
from reports.stream import read_run
from rpcrdma.fabric.segments import Placement
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent, WireFrame
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

HEADER = bytes.fromhex("00000001" * 2 + "00000008" + "00000000" * 4)
SOME = Selection(document="rfc8166,xcharext,rtrext", section="4.3.1,4.2,9.5")
PLACED = (Placement(None, 88), Placement(0x2000, 512))
TRACE = Trace(
    [
        TraceEvent(2.0, 1, Side.LOCAL, EventKind.CONNECT, b"\x01", detail="there:1"),
        TraceEvent(2.0, 1, Side.LOCAL, EventKind.POST_RECEIVE, length=1024),
        TraceEvent(2.5, 1, Side.LOCAL, EventKind.SEND, HEADER, length=len(HEADER)),
        TraceEvent(3.0, 1, Side.PEER, EventKind.RDMA_WRITE, b"abcd", 7, 0x1000, 4),
        TraceEvent(3.5, 1, Side.PEER, EventKind.SEND, bytes(9000), length=9000, placed=PLACED),
    ],
    1,
)


def test_steps_tell_who_did_what_and_leave_out_what_nobody_asks() -> None:
    connected, sent, written, received = exchanges(
        annotated(TRACE, {HEADER: "rdma_vers 2 instead of 1", bytes(9000): "no message of ours"})
    )

    assert (connected.direction, connected.summary) == (
        "event",
        "connect by tester (there:1)",
    )
    assert (sent.direction, sent.time, sent.octets) == ("sent", 0.5, HEADER.hex())
    assert sent.summary.endswith("[rdma_vers 2 instead of 1]")
    assert "rdma_credit: 8" in sent.detail
    assert written.summary == "RDMA Write by device of 4 octets at handle 0x00000007"
    assert (received.direction, received.length) == ("received", 9000)
    assert len(received.octets) == 2 * 8192
    assert received.summary.endswith("[into 88 octets, 512 octets at 0x2000]")


def test_steps_say_what_kind_they_are_and_by_whom() -> None:
    told = [(step.kind, step.by, step.credits) for step in exchanges(TRACE)]

    assert told == [
        ("connect", "tester", None),
        ("Send", "tester", 8),
        ("RDMA Write", "device", None),
        ("Send", "device", 0),
    ]


def test_a_send_has_all_its_fields_and_nothing_else_has_any() -> None:
    connected, sent, written, received = exchanges(TRACE)

    assert connected.fields == written.fields == ()
    assert sent.fields[:4] == (
        Field(0, 0, 0, "transport header", ""),
        Field(0, 4, 1, "rdma_xid", "0x00000001"),
        Field(4, 4, 1, "rdma_vers", "1"),
        Field(8, 4, 1, "rdma_credit", "8"),
    )
    for step in (sent, received):
        assert sum(field.length for field in step.fields) == step.length


def test_the_field_that_was_wrong_is_marked() -> None:
    marks = (Mark(0, 9000, "rdma_credit", "it is 0"), Mark(1, 28, "rdma_credit", "of the tester"))

    found = [field for step in exchanges(TRACE, marks) for field in step.fields if field.mark]

    assert found == [Field(8, 4, 1, "rdma_credit", "0", "it is 0")]
    (step,) = (one for one in shown_exchanges(TRACE, Verdict.FAIL, marks) if one.credits == 0)
    assert found[0] in step.fields


@pytest.mark.parametrize("verdict", Verdict)
def test_exchanges_are_recorded_of_what_somebody_has_to_look_at(verdict: Verdict) -> None:
    shown = shown_exchanges(TRACE, verdict)

    assert shown == (() if verdict in {Verdict.PASS, Verdict.NA} else exchanges(TRACE))


@pytest.mark.long
def test_the_fields_of_every_message_of_the_reference_cover_it_and_say_what_it_holds(
    tmp_path: Path,
) -> None:
    run = certify(find_target("reference"), SOME, tmp_path)
    traces = [trace for case in run.cases if (trace := trace_of(case, tmp_path)) is not None]
    sends = [
        (event.data, step)
        for trace in traces
        for event, step in zip(shown_events(trace), exchanges(trace), strict=True)
        if event.kind is EventKind.SEND
    ]

    assert len(sends) > 100
    for message, step in sends:
        parts = [field for field in step.fields if field.length]
        assert b"".join(message[one.offset : one.offset + one.length] for one in parts) == message
        assert [one for one in parts if not says(one, message)] == []


def shown_events(trace: Trace) -> list[TraceEvent]:
    left_out = {EventKind.POST_RECEIVE, EventKind.REGISTER}
    return [event for event in trace.events if event.kind not in left_out]


def says(field: Field, message: bytes) -> bool:
    """Whether a field's words are those of its octets: its number, or its first octets."""
    octets = message[field.offset : field.offset + field.length]
    if (found := re.match(r"(\d+) octets ?([0-9a-f]*)", field.value)) is not None:
        held = bytes.fromhex(found[2])
        return octets.startswith(held) or octets[4:].startswith(held)
    number = re.search(r"\((-?\d+)\)$", field.value)
    return int(number[1] if number else field.value, 0) == int.from_bytes(octets)


def test_frames_stay_with_a_trace_whose_messages_are_explained() -> None:
    trace = Trace(TRACE.events, 1, frames=[WireFrame(2.5, b"frame")])

    changed = annotated(trace, {HEADER: "rdma_vers 2 instead of 1"})

    assert (changed.frames, changed.connections) == (trace.frames, 1)


def test_a_trace_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    lines, capture = write_evidence(TRACE, tmp_path, "case")

    assert (lines, capture) == ("evidence/case.jsonl", "evidence/case.pcapng")
    assert read_trace(tmp_path / lines) == TRACE
    assert (tmp_path / capture).stat().st_size > 0


def test_the_wall_clock_is_read_back_with_the_trace(tmp_path: Path) -> None:
    """To the microsecond: the guest's captures are made of it on the host."""
    timed = Trace(TRACE.events, 1, epoch=1_764_000_000.25)
    lines, _ = write_evidence(timed, tmp_path, "timed", capture=False)
    untimed, _ = write_evidence(TRACE, tmp_path, "untimed", capture=False)

    assert read_trace(tmp_path / lines).epoch == pytest.approx(1_764_000_000.25, abs=1e-5)
    assert read_trace(tmp_path / untimed).epoch is None


def test_the_capture_shows_every_field_of_a_version_two_message(tmp_path: Path) -> None:
    message = bytes.fromhex("00000001 00000002 00000008 00000004 00000002")
    trace = Trace([TraceEvent(0.0, 1, Side.PEER, EventKind.SEND, message, length=20)], 1)

    _, capture = write_evidence(trace, tmp_path, "case")

    assert (
        b"\n    16        rdma_err: RDMA2_ERR_BAD_HEADER (2)" in (tmp_path / capture).read_bytes()
    )


def test_a_capture_can_be_left_for_later(tmp_path: Path) -> None:
    _, capture = write_evidence(TRACE, tmp_path, "case", capture=False)

    assert not (tmp_path / capture).exists()


def test_what_was_left_for_later_is_made_of_the_traces(tmp_path: Path) -> None:
    changed = annotated(TRACE, {HEADER: "rdma_vers 2 instead of 1"})
    files = write_evidence(changed, tmp_path, "case", capture=False)
    header = RunHeader(FORMAT_VERSION, "mine", "mine", "loopback", ("a", "b"), (), "")
    marks = (Mark(0, 9000, "rdma_vers", "it is 0"),)
    case = CaseRecord("a", "", Verdict.FAIL, evidence=files, marks=marks)
    cases = (case, CaseRecord("b", "", Verdict.NA))
    records = tmp_path / "records.jsonl"

    found = complete(
        RunRecord(header, cases, RunFooter(2, 3.5, notes=("It leaks.",))), tmp_path, records
    )

    assert found.cases[0].exchanges == exchanges(changed, marks)
    assert found.cases[0].exchanges[1].summary.endswith("[rdma_vers 2 instead of 1]")
    assert found.cases[1] == cases[1]
    assert (tmp_path / files[1]).stat().st_size > 0
    assert read_run(records) == found


def test_what_is_made_later_of_a_case_that_passed_is_its_capture_alone(tmp_path: Path) -> None:
    files = write_evidence(TRACE, tmp_path, "case", capture=False)
    header = RunHeader(FORMAT_VERSION, "mine", "mine", "loopback", ("a",), (), "")
    run = RunRecord(header, (CaseRecord("a", "", Verdict.PASS, evidence=files),))

    assert complete(run, tmp_path, tmp_path / "records.jsonl").cases == run.cases
    assert (tmp_path / files[1]).stat().st_size > 0


def test_a_case_without_evidence_has_no_trace(tmp_path: Path) -> None:
    assert trace_of(CaseRecord("a", "", Verdict.NA), tmp_path) is None


def test_what_a_dead_machine_has_printed_is_kept_as_it_is(tmp_path: Path) -> None:
    assert write_console("", tmp_path, "case") == ()
    (name,) = write_console("Kernel panic\n", tmp_path, "case")
    assert name == "evidence/case.console.log"
    assert (tmp_path / name).read_text() == "Kernel panic\n"

    header = RunHeader(FORMAT_VERSION, "mine", "mine", "loopback", ("a",), (), "")
    case = CaseRecord("a", "", Verdict.INCONC, evidence=(name,))
    records = tmp_path / "records.jsonl"
    assert complete(RunRecord(header, (case,)), tmp_path, records).cases == (case,)


def test_a_run_that_was_cut_short_stays_so(tmp_path: Path) -> None:
    header = RunHeader(FORMAT_VERSION, "mine", "mine", "loopback", ("a", "b"), (), "")
    records = tmp_path / "records.jsonl"

    found = complete(RunRecord(header, (CaseRecord("a", "", Verdict.PASS),)), tmp_path, records)

    assert found.footer is None
    assert read_run(records).footer is None
