"""The order of a server's RDMA operations and its Replies, whatever a case is about.

    rfc8166 section 3.4.5.1  Decoding Read Chunks (a Reply ends the use of Read chunks)
    rfc8166 section 3.5.2    Chunked Messages (what is written is there before the Reply)

Of RDMA operations of the peer a trace tells on fabrics that carry them out themselves: loopback,
switch and RoCEv2.  A device does them unseen.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import decode_header
from conformance.oracle.outcome import Answered, as_called, read_outcome
from conformance.oracle.verdict import broken_rule
from rpcrdma.errors import DecodeError
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.wire import RdmaMsg, RdmaNomsg, chunks_for_results

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.fabric.trace import TraceEvent

__all__ = ["operations_after_replies"]

READ_BEFORE: Final = "rfc8166.3.4.5.1.reply-ends-use-of-read-chunks"
WRITTEN_BEFORE: Final = "rfc8166.3.5.2.writes-precede-the-reply"

_RULES: Final = {EventKind.RDMA_READ: READ_BEFORE, EventKind.RDMA_WRITE: WRITTEN_BEFORE}


@dataclass(slots=True)
class _Line:
    """One connection: whose memory a handle names, and the Calls that have their Reply."""

    owners: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    versions: dict[int, int] = field(default_factory=dict)
    answered: set[int] = field(default_factory=set)


def operations_after_replies(events: Iterable[TraceEvent]) -> Iterator[BrokenRule]:
    """The operations that came after the Reply to the Call whose memory they touch.

    Args:
        events: of the tester's trace, in order.
    """
    lines: dict[int, _Line] = defaultdict(_Line)
    for event in events:
        line = lines[event.connection]
        if event.kind is EventKind.SEND and event.side is Side.LOCAL:
            _called(line, event.data)
        elif event.kind is EventKind.SEND:
            outcome = as_called(read_outcome(event.data))
            if isinstance(outcome, Answered):
                line.answered.add(outcome.xid)
        elif event.kind in _RULES and event.side is Side.PEER:
            yield from _touched(line, event)


def _called(line: _Line, message: bytes) -> None:
    try:
        header = decode_header(message).header
    except DecodeError:
        return
    body = header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        return
    line.answered.discard(header.rdma_xid)  # sent once more
    line.versions[header.rdma_xid] = header.rdma_vers
    segments = [read.target for read in body.rdma_reads]
    segments += [segment for target in chunks_for_results(body) for segment in target.target]
    for segment in segments:
        line.owners[segment.handle].add(header.rdma_xid)


def _touched(line: _Line, event: TraceEvent) -> Iterator[BrokenRule]:
    owners = line.owners.get(event.handle or 0)
    if owners and owners <= line.answered:
        xid = min(owners)
        detail = f"{event.kind.value} of {event.length} octets after the Reply to {xid:#010x}"
        yield broken_rule(_RULES[event.kind], detail, line.versions[xid])
