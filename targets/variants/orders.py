"""Ends that do things in another order, and number them otherwise."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.core.driver import Driver
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from targets.reference.replaced_parts import BOTH_ENDS
from targets.variants.base import variant
from targets.variants.pace import MOMENT, TimedDriver

if TYPE_CHECKING:
    from collections.abc import Collection

    from rpcrdma.endpoint.core.actions import Disconnect
    from rpcrdma.endpoint.core.backchannel import BackwardCall
    from rpcrdma.endpoint.core.connection import Endpoint
    from rpcrdma.fabric.base import Connection

WORD: Final = 2**32
ODD: Final = 0x9E3779B1


@variant("rfc8166.3.3.1.replies-in-any-order", roles=("responder",), documents="rfc8166,bidir")
class AnswersTheLastCallFirst(TimedDriver):
    """Answers what comes within a moment the other way round, in Version One."""

    def lateness(self, message: bytes) -> float:
        """A moment."""
        return MOMENT

    def _later(self, seconds: float, action: Send | Disconnect) -> None:
        super()._later(seconds, action)
        if not all(map(is_plain_reply, self.waiting)):
            return
        due = [moment for moment, _ in self.waiting]
        self.waiting.rotate(1)
        actions = [one for _, one in self.waiting]
        self.waiting.clear()
        self.waiting.extend(zip(due, actions, strict=True))


def is_plain_reply(waiting: tuple[float, Send | Disconnect]) -> bool:
    """Whether what waits to be sent answers a forward Call of Version One."""
    _, action = waiting
    return isinstance(action, Send) and action.key > 0 and action.data[4:8] == b"\0\0\0\1"


@variant("rfc8166.3.3.1.replies-in-any-order", roles=("responder",), documents="rfc8166,bidir")
class TakesTheLastMessageFirst(Driver):
    """Deals with the last of the messages first that have come together, in Version One."""

    def __init__(self, connection: Connection, endpoint: Endpoint) -> None:
        self.kept: list[events.MessageReceived] = []
        super().__init__(connection, endpoint)

    def inject(self, event: events.Event) -> None:
        """Keep what carries an RPC message."""
        if isinstance(event, events.MessageReceived) and event.data[4:8] + event.data[12:15] == ONE:
            self.kept.append(event)
        else:
            super().inject(event)

    def wait(self, timeout: float) -> bool:
        """Deal with what was kept of this turn."""
        busy = super().wait(timeout)
        while self.kept:
            super().inject(self.kept.pop())
        return busy


ONE: Final = b"\0\0\0\1" + bytes(3)
"""Of a message of Version One: rdma_vers, and of its rdma_proc all but the last octet."""


@variant("bidir.1.3.4.1.xid-spaces-are-independent", documents="bidir")
class DrawsBackwardXids(Backchannel):
    """Gives each backward Call an XID that has nothing to do with the others."""

    def choose_xid(self, taken: Collection[int]) -> int:
        """One that is free; the factor is odd, so that all are met."""
        xid = super().choose_xid(()) * ODD % WORD
        return xid if xid not in taken else self.choose_xid(taken)


@variant("bidir.2.3.waits-indefinitely", documents="bidir")
class CallsTheLastFirst(Backchannel):
    """Of several backward Calls that wait, makes the last one first."""

    def next_waiting(self) -> BackwardCall | None:
        """The youngest that no connection carries."""
        waiting = (call for call in reversed(self.pending) if call.carrier is None)
        return next(waiting, None)


@variant("bidir.2.1.2.values-may-differ", documents="bidir")
class RequestsAnotherNumberBackwards(BackwardRequester):
    """Asks for another number of backward credits in each Call."""

    def requested(self) -> int:
        """From one to seven."""
        turns: count[int] = vars(self).setdefault("turns", count())
        return 1 + next(turns) * 3 % 7


@variant(
    "xcharext.4.2.xid-may-be-in-use",
    leaves_open={
        "xcharext/3.3/server-gives-an-error-to-the-long-call-that-it-answers": (
            "an error for a Call is about an operation of that XID, too"
        )
    },
    roles=("responder",),
    documents="xcharext",
)
@variant("xcharext.4.2.xid-may-be-in-use", roles=("requester",), documents="xcharext")
class NumbersOptionsLikeCalls(PropertyRules):
    """Numbers its optional messages from 1, whatever Calls have these XIDs."""

    def next_xid(self, last: int, taken: Collection[int]) -> int:
        """The next after a small number."""
        return super().next_xid(last if last < FIRST_OF_OTHERS else 0, taken)


FIRST_OF_OTHERS: Final = 0x10000000
"""No number of its own is as large."""


@variant("D-54", roles=BOTH_ENDS, documents="xcharext")
class GrantsOneByOptions(OptionalHalf):
    """Has one credit in each optional message."""

    def credit(self) -> int:
        """One."""
        return 1
