"""What a case leaves behind: its trace as JSON lines, a capture, and its exchanges for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from reports.pcapng import write_pcapng
from reports.record import Exchange
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from rpcrdma.wire import describe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["exchanges", "write_evidence"]

_SHOWN: Final = 512
"""Octets of a message that go into its record; the trace has them all."""

_UNTOLD: Final = (EventKind.POST_RECEIVE, EventKind.REGISTER)


def exchanges(trace: Trace, mutations: Mapping[bytes, str]) -> tuple[Exchange, ...]:
    """The steps of a case; `mutations` tells what was changed in octets that were sent."""
    start = trace.events[0].time if trace.events else 0.0
    return tuple(
        _exchange(event, start, mutations) for event in trace.events if event.kind not in _UNTOLD
    )


def write_evidence(trace: Trace, folder: Path, stem: str) -> tuple[str, ...]:
    """Write `STEM.jsonl` and `STEM.pcapng` into `folder/evidence`; return their relative names."""
    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    lines, capture = f"evidence/{stem}.jsonl", f"evidence/{stem}.pcapng"
    (folder / lines).write_bytes(b"".join(_line(event) for event in trace.events))
    write_pcapng(trace, folder / capture, describe.one_line)
    return lines, capture


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
