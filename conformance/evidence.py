"""What a case leaves behind: its trace as JSON lines, a capture, and its exchanges for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from reports.record import Exchange
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from rpcrdma.wire import describe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reports.record import RunRecord

__all__ = ["capture_traces", "exchanges", "read_trace", "write_evidence"]

_SHOWN: Final = 512
"""Octets of a message that go into its record; the trace has them all."""

_UNTOLD: Final = (EventKind.POST_RECEIVE, EventKind.REGISTER)


def exchanges(trace: Trace, mutations: Mapping[bytes, str]) -> tuple[Exchange, ...]:
    """The steps of a case; `mutations` tells what was changed in octets that were sent."""
    start = trace.events[0].time if trace.events else 0.0
    return tuple(
        _exchange(event, start, mutations) for event in trace.events if event.kind not in _UNTOLD
    )


def write_evidence(
    trace: Trace, folder: Path, stem: str, *, capture: bool = True
) -> tuple[str, ...]:
    """Write `STEM.jsonl` and `STEM.pcapng` into `folder/evidence`; return their relative names.

    Without `capture` the second is named but left to `capture_traces`.
    """
    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    lines, captured = f"evidence/{stem}.jsonl", f"evidence/{stem}.pcapng"
    (folder / lines).write_bytes(b"".join(_line(event) for event in trace.events))
    if capture:
        _write_capture(trace, folder / captured)
    return lines, captured


def capture_traces(record: RunRecord, folder: Path) -> None:
    """Write the captures of a run whose traces are there already."""
    for case in record.cases:
        for lines, captured in zip(case.evidence[::2], case.evidence[1::2], strict=True):
            _write_capture(read_trace(folder / lines), folder / captured)


def read_trace(file: Path) -> Trace:
    """The trace that `write_evidence` wrote as JSON lines."""
    events = [_event(line) for line in file.read_bytes().splitlines()]
    return Trace(events, max((event.connection for event in events), default=0))


def _write_capture(trace: Trace, file: Path) -> None:
    # Importing what it needs takes a second in the lab's guest, which makes no captures.
    from reports.pcapng import write_pcapng

    write_pcapng(trace, file, describe.capture_comment)


def _event(line: bytes) -> TraceEvent:
    found = msgspec.json.decode(line)
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
    )


def _line(event: TraceEvent) -> bytes:
    return (
        msgspec.json.encode(
            {
                "time": event.time,
                "connection": event.connection,
                "side": event.side.value,
                "kind": event.kind.value,
                "data": event.data.hex(),
                "handle": event.handle,
                "offset": event.offset,
                "length": event.length,
                "detail": event.detail,
            }
        )
        + b"\n"
    )


def _exchange(event: TraceEvent, start: float, mutations: Mapping[bytes, str]) -> Exchange:
    local = event.side is Side.LOCAL
    who = "tester" if local else "device"
    if event.kind is EventKind.SEND:
        change = mutations.get(event.data, "") if local else ""
        summary = describe.one_line(event.data) + (f" [{change}]" if change else "")
        direction, detail = "sent" if local else "received", describe.indented(event.data)
    else:
        where = "" if event.handle is None else f" at handle {event.handle:#010x}"
        size = f" of {event.length} octets" if event.length else ""
        told = f" ({event.detail})" if event.detail else ""
        summary = f"{event.kind.value} by {who}{size}{where}{told}"
        direction, detail = "event", ""
    return Exchange(
        event.time - start,
        event.connection,
        direction,
        summary,
        detail,
        event.data[:_SHOWN].hex(),
        len(event.data),
    )
