"""What a case leaves behind: its trace as JSON lines, a capture, and its exchanges for people.

The last two are made of the first, here and now or, for a run in the lab's guest, where decoding a
case's messages takes as long as the case does, on the host afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from conformance.suite.marking import by_message, marked_fields
from reports.record import Exchange, Verdict
from reports.stream import RunWriter
from rpcrdma.fabric.segments import Placement
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from rpcrdma.wire import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from reports.record import CaseRecord, Mark, RunRecord

__all__ = [
    "annotated",
    "complete",
    "exchanges",
    "read_trace",
    "shown_exchanges",
    "trace_of",
    "write_console",
    "write_evidence",
]

_UNSHOWN: Final = frozenset({Verdict.PASS, Verdict.NA})
"""Verdicts of the cases whose exchanges are in the evidence alone: most cases pass, and what was
sent in them, which hardly anybody reads, made a record of fifty megabytes."""

_SHOWN: Final = 8192
"""Octets of a message that go into its record; the trace has them all."""


_CONSOLE: Final = ".console.log"

_UNTOLD: Final = (EventKind.POST_RECEIVE, EventKind.REGISTER)


def annotated(trace: Trace, mutations: Mapping[bytes, str]) -> Trace:
    """The trace with what was changed in the tester's messages as their detail."""
    if not mutations:
        return trace
    events = [
        msgspec.structs.replace(event, detail=mutations.get(event.data, ""))
        if event.kind is EventKind.SEND and event.side is Side.LOCAL
        else event
        for event in trace.events
    ]
    return replace(trace, events=events)


def exchanges(trace: Trace, marks: Iterable[Mark] = ()) -> tuple[Exchange, ...]:
    """The steps of a case; `marks` are the fields of the device's messages that were wrong."""
    start = trace.events[0].time if trace.events else 0.0
    marked = by_message(trace.events, marks)
    return tuple(
        _exchange(event, start, marked.get(place, ()))
        for place, event in enumerate(trace.events)
        if event.kind not in _UNTOLD
    )


def shown_exchanges(
    trace: Trace, verdict: Verdict, marks: Iterable[Mark] = ()
) -> tuple[Exchange, ...]:
    """The steps that the record of a case has: none of one that passed, or was not run."""
    # Decoding costs as much as the case does.
    return () if verdict in _UNSHOWN else exchanges(trace, marks)


def write_evidence(
    trace: Trace, folder: Path, stem: str, *, capture: bool = True
) -> tuple[str, ...]:
    """Write `STEM.jsonl` and `STEM.pcapng` into `folder/evidence`; return their relative names.

    Without `capture` the second is named but left to `complete`.
    """
    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    lines, captured = f"evidence/{stem}.jsonl", f"evidence/{stem}.pcapng"
    (folder / lines).write_bytes(b"".join(_line(event, trace.epoch) for event in trace.events))
    if capture:
        _write_capture(trace, folder / captured)
    return lines, captured


def write_console(text: str, folder: Path, stem: str) -> tuple[str, ...]:
    """Write `STEM.console.log` into `folder/evidence`, what a dead machine had printed.

    Returns:
        Its relative name; nothing where there is no text.
    """
    if not text:
        return ()
    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    name = f"evidence/{stem}{_CONSOLE}"
    (folder / name).write_text(text, encoding="utf-8")
    return (name,)


def complete(record: RunRecord, folder: Path, file: Path) -> RunRecord:
    """Add what was left out of a run whose traces are there: captures, and the cases' exchanges.

    Args:
        record: as it was read.
        folder: where the evidence is.
        file: of the records, which is written anew.
    """
    cases = tuple(_completed(case, folder) for case in record.cases)
    partial = file.with_suffix(".partial")
    with RunWriter(partial, record.header) as writer:
        for case in cases:
            writer.add(case)
        if record.footer is not None:
            end = record.footer
            writer.finish(end.duration, reason=end.reason, signal=end.signal, notes=end.notes)
    partial.replace(file)
    return msgspec.structs.replace(record, cases=cases)


def _completed(case: CaseRecord, folder: Path) -> CaseRecord:
    trace = trace_of(case, folder)
    if trace is None:
        return case
    _lines, captured = _traced(case)
    _write_capture(trace, folder / captured)
    steps = shown_exchanges(trace, case.verdict, case.marks)
    return msgspec.structs.replace(case, exchanges=steps)


def _traced(case: CaseRecord) -> list[str]:
    return [name for name in case.evidence if not name.endswith(_CONSOLE)]


def trace_of(case: CaseRecord, folder: Path) -> Trace | None:
    """The trace of a case; None if it has none.

    Args:
        case: of a run.
        folder: of the run.

    Raises:
        OSError: the evidence is not there any more.
    """
    traced = _traced(case)
    return read_trace(folder / traced[0]) if traced else None


def read_trace(file: Path) -> Trace:
    """The trace that `write_evidence` wrote as JSON lines."""
    found = [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]
    events = [_event(one) for one in found]
    connections = max((event.connection for event in events), default=0)
    first = found[0] if found else {"wall": None}
    epoch = None if first["wall"] is None else first["wall"] - first["time"]
    return Trace(events, connections, epoch=epoch)


def _write_capture(trace: Trace, file: Path) -> None:
    # Importing what it needs takes a second in the lab's guest, which makes no captures.
    from reports.capture.pcapng import write_pcapng

    write_pcapng(trace, file, describe.capture_comment)


def _event(found: dict[str, Any]) -> TraceEvent:
    return TraceEvent(
        found["time"],
        found["connection"],
        Side(found["side"]),
        EventKind(found["kind"]),
        bytes.fromhex(found["data"]),
        found["handle"],
        found["offset"],
        found["length"],
        found["detail"],
        tuple(Placement(address, length) for address, length in found["placed"]),
    )


def _line(event: TraceEvent, epoch: float | None) -> bytes:
    return (
        msgspec.json.encode(
            {
                "time": event.time,
                "wall": None if epoch is None else round(epoch + event.time, 6),
                "connection": event.connection,
                "side": event.side.value,
                "kind": event.kind.value,
                "data": event.data.hex(),
                "handle": event.handle,
                "offset": event.offset,
                "length": event.length,
                "detail": event.detail,
                "placed": [(one.address, one.length) for one in event.placed],
            }
        )
        + b"\n"
    )


def _exchange(event: TraceEvent, start: float, marks: Sequence[Mark]) -> Exchange:
    local = event.side is Side.LOCAL
    who = "tester" if local else "device"
    if event.kind is EventKind.SEND:
        summary = describe.one_line(event.data) + (f" [{event.detail}]" if event.detail else "")
        if event.placed:
            summary += f" [into {', '.join(map(str, event.placed))}]"
        direction, detail = "sent" if local else "received", describe.indented(event.data)
        fields = marked_fields(event.data, marks)
    else:
        where = "" if event.handle is None else f" at handle {event.handle:#010x}"
        size = f" of {event.length} octets" if event.length else ""
        told = f" ({event.detail})" if event.detail else ""
        summary = f"{event.kind.value} by {who}{size}{where}{told}"
        direction, detail, fields = "event", "", ()
    return Exchange(
        event.time - start,
        event.connection,
        direction,
        summary,
        detail,
        event.data[:_SHOWN].hex(),
        len(event.data),
        event.kind.value,
        who,
        describe.credits_of(event.data) if event.kind is EventKind.SEND else None,
        fields,
    )
