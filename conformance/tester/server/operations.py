"""RDMA operations of a client, which has no use for any in Version One.

    bidir section 1.5.3  Memory Security (no RDMA for transactions of the backward direction)

A server moves what is in the chunks of forward Calls.  Of operations of the peer a trace tells on
fabrics that carry them out themselves: loopback, switch and RoCEv2.  A device does them unseen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.verdict import broken_rule
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.wire.versions import FIXED_WORDS, fixed_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.fabric.trace import TraceEvent

__all__ = ["operations_of_clients"]

NONE_OF_ITS_OWN: Final = "bidir.1.5.3.no-rdma-for-backward-transactions"

_OPERATIONS: Final = (EventKind.RDMA_READ, EventKind.RDMA_WRITE)
_VERSION_ONE: Final = 1


def operations_of_clients(events: Iterable[TraceEvent]) -> Iterator[BrokenRule]:
    """The operations of clients on connections on which the tester speaks Version One.

    In Version Two a client may take chunks in backward Calls (xcharext 3.3).

    Args:
        events: of the tester's trace, in order.
    """
    later: set[int] = set()
    for event in events:
        if event.kind is EventKind.SEND and event.side is Side.LOCAL:
            if len(event.data) >= FIXED_WORDS and fixed_words(event.data).version != _VERSION_ONE:
                later.add(event.connection)
        elif (
            event.kind in _OPERATIONS and event.side is Side.PEER and event.connection not in later
        ):
            detail = f"{event.kind.value} of {event.length} octets by the client"
            yield broken_rule(NONE_OF_ITS_OWN, detail, _VERSION_ONE, ("D-41",))
