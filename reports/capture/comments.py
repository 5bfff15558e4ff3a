"""What is said of an event of a trace in a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.trace import EventKind, Side, TraceEvent

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CONNECTION_EVENTS", "connection_comment", "event_comment"]

CONNECTION_EVENTS: Final = (EventKind.CONNECT, EventKind.REJECT, EventKind.DISCONNECT)
"""Events that are not of one packet: `connection_comment` makes their comments."""


def event_comment(event: TraceEvent, describe: Callable[[bytes], str]) -> str:
    """Who did what; of a Send with what `describe` says of its message."""
    text = f"{_who(event)}: {event.kind.value} of {event.length or len(event.data)} octets"
    if event.handle is not None:
        text += f", handle 0x{event.handle:08x}"
    if event.detail:
        text += f" ({event.detail})"
    if event.placed:
        text += f", into {', '.join(map(str, event.placed))}"
    described = describe(event.data) if event.kind is EventKind.SEND else ""
    return f"{text}\n{described}" if described else text


def connection_comment(event: TraceEvent) -> str:
    """What became of a connection, and by whom."""
    private = f", private data {event.data.hex()}" if event.data else ""
    detail = f" ({event.detail})" if event.detail else ""
    return f"connection {event.connection}: {event.kind.value} by {_who(event)}{private}{detail}"


def _who(event: TraceEvent) -> str:
    return "tester" if event.side is Side.LOCAL else "device"
