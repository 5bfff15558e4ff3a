"""The fields of a case's messages as its record has them, with those marked that were wrong.

A mark names a message by its XID and length, since a judge has it decoded, and a field by its path,
or by a shorter name where versions call it differently (`conformance.oracle.marks`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from conformance.oracle.marks import ITEMS, LENGTH_OF_THE_PAYLOAD, WHAT_IT_IS
from reports.record import Field
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.wire.fields import fields_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reports.record import Mark
    from rpcrdma.fabric.trace import TraceEvent
    from rpcrdma.wire.fields import PlacedField

__all__ = ["by_message", "marked_fields"]

_PROCEDURE: Final = ("rdma_body.proc", "rdma_body.rdma_proc")
_CODE: Final = ("rdma_body.error.err", "rdma_body.error.rdma_err")
_OTHER_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "rdma_proc": _PROCEDURE,
    "rdma_err": (*_CODE, *_PROCEDURE),
    "rdma_direction": ("rdma_body.rdma_direction", "rdma_body.rdma_optdir"),
    "rpc_status": (
        "body.reply.reply_data.stat",
        "body.reply.reason.stat",
        "body.reply.stat",
        *_CODE,
    ),
    WHAT_IT_IS: (*_CODE, *_PROCEDURE),
    ITEMS: ("optxrs_ddp", "optxrq_ddp"),
    LENGTH_OF_THE_PAYLOAD: ("optxrs_pslen", "optxrq_pslen"),
}
"""Names in place of a path, and the paths that they stand for: the first that there is counts."""

_AFTER_THE_HEADERS: Final = frozenset({"payload", "arguments", "results"})


def by_message(events: Sequence[TraceEvent], marks: Iterable[Mark]) -> dict[int, list[Mark]]:
    """The marks of each Send, by its place among the events; of messages alike the last is meant.

    Args:
        events: of a case.
        marks: of its messages.
    """
    found: dict[int, list[Mark]] = defaultdict(list)
    for mark in marks:
        places = [place for place, event in enumerate(events) if _is_meant(event, mark)]
        if places:
            # Of the Sends of a group, which nobody has counted together, the first has the header.
            found[places[-1 if mark.length else 0]].append(mark)
    return found


def _is_meant(event: TraceEvent, mark: Mark) -> bool:
    return (
        event.kind is EventKind.SEND
        and event.side is Side.PEER
        and event.data[:4] == mark.xid.to_bytes(4)
        and mark.length in {0, len(event.data)}
    )


def marked_fields(message: bytes, marks: Sequence[Mark] = ()) -> tuple[Field, ...]:
    """The fields of a message.

    Args:
        message: any octets.
        marks: of the message; those of fields that it does not have are left out.
    """
    fields = fields_of(message)
    why: dict[int, list[str]] = defaultdict(list)
    for mark in marks:
        place = _place(fields, mark.path)
        if place is not None:
            why[place].append(mark.why)
    return tuple(
        Field(*one[1:], mark="; ".join(dict.fromkeys(why.get(place, ()))))
        for place, one in enumerate(fields)
    )


def _place(fields: Sequence[PlacedField], path: str) -> int | None:
    """Where the field of a path is; where a fault has cut it into several, the faulty piece."""
    for name in _OTHER_NAMES.get(path, (path,)):
        places = [place for place, one in enumerate(fields) if one.path == name]
        places = places or [
            place for place, one in enumerate(fields) if one.path.endswith(f".{name}")
        ]
        if places:
            faulty = (place for place in places if "not decoded" in fields[place].value)
            return next(faulty, places[0])
    if path in _AFTER_THE_HEADERS and fields and fields[-1].name in _AFTER_THE_HEADERS:
        return len(fields) - 1
    return None
