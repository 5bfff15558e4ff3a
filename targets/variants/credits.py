"""Ends with other credits: few Receives, slow starts, and no patience with who sends too much."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.backward.responder import BackwardReplyRules
from rpcrdma.endpoint.core.actions import Disconnect, Send
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from targets.variants.base import variant
from targets.variants.pace import MOMENT, TimedDriver
from targets.variants.servers import GROUPS, SEVERAL_CALLS, ChoosesOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.endpoint.core.connection import Endpoint
    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.responder.responder import ResponderOptions
    from rpcrdma.fabric.base import Connection


class TakesTime(TimedDriver):
    """Sends each message a moment after it could, so that what comes meanwhile is an overrun."""

    def __init__(self, connection: Connection, endpoint: Endpoint) -> None:
        super().__init__(connection, endpoint)
        role = getattr(endpoint.role, "forward", None)
        if isinstance(role, TakesOneCallAtATime):
            role.unsent = self.waiting

    def lateness(self, message: bytes) -> float:
        """A moment."""
        return MOMENT


@variant(
    "rfc8166.3.3.1.overrun-may-cost-the-connection",
    leaves_open={**SEVERAL_CALLS, **GROUPS},
    also=(TakesTime,),
)
class TakesOneCallAtATime(ChoosesOptions):
    """Has one Receive, and ends the connection over a Call that comes before its last Reply."""

    unsent: Iterable[tuple[float, Send | Disconnect]] = ()

    def choose(self, options: ResponderOptions) -> ResponderOptions:
        """With one of each."""
        return replace(options, receives=1, most_calls=1)

    def judge_load(self, in_progress: int) -> None:
        """Not one more than is under way, or whose Reply is."""
        # No key of what is optional, or of a backward Call, is above 0.
        unsent = sum(isinstance(send, Send) and send.key > 0 for _, send in self.unsent)
        super().judge_load(in_progress + unsent)


@variant(
    "rfc8166.3.3.1.credit-values-may-change",
    leaves_open={
        "bidir/2.1.2/server-grants-forward-credits-as-before": "its grant changes by itself",
    },
)
class StartsSlowly(ReplyRules):
    """Grants one credit more by each Reply."""

    def __init__(self, *dialects: Iterable[Dialect]) -> None:
        super().__init__(*dialects)
        self._turns = count(1)

    def grant(self, requested: int, posted: int) -> int:
        """One more than before."""
        return min(next(self._turns), super().grant(requested, posted))


@variant(
    "bidir.2.1.2.values-may-differ",
    leaves_open=dict.fromkeys(
        (
            "bidir/1.3.4/server-gives-each-call-in-flight-an-xid-of-its-own",
            "bidir/2.1.2/server-holds-back-when-the-grant-shrinks",
        ),
        "it has one backward Call in flight at a time",
    ),
    documents="bidir",
)
class MakesOneBackwardCallAtATime(BackwardRequester):
    """Makes no backward Call before the last one was answered, whatever is granted."""

    def may_send(self, sends: int) -> bool:
        """If nothing is in flight."""
        return not self.in_flight and super().may_send(sends)


@variant("bidir.2.1.2.values-may-differ", documents="bidir")
class StartsSlowlyBackwards(BackwardReplyRules):
    """Grants one backward credit more by each Reply."""

    def __init__(self, *dialects: Iterable[Dialect]) -> None:
        super().__init__(*dialects)
        self._turns = count(1)

    def grant(self, requested: int, posted: int) -> int:
        """One more than before."""
        return min(next(self._turns), super().grant(requested, posted))
