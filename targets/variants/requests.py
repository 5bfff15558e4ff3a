"""Clients that make their calls otherwise: fewer at a time, with other chunks and handles."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.fabric.memory import HandleAllocator
from targets.variants.base import variant
from targets.variants.clients import ONE_AT_A_TIME

if TYPE_CHECKING:
    from rpcrdma.endpoint.requester.outgoing import Memory

PAGE: Final = 4096

SHORT: Final = 512

HANDLES: Final = 250
"""Handles that there are, more than calls have in use at one time."""


@variant(
    "rfc8166.3.3.1.no-call-beyond-the-grant",
    leaves_open=ONE_AT_A_TIME,
    documents="rfc8166",
)
class MakesOneCallAtATime(Allowance):
    """Has one call in flight, whatever is granted."""

    def try_take(self, sends: int) -> bool:
        """If nothing is."""
        return not self.outstanding and super().try_take(sends)


@variant(
    "rfc8166.3.3.1.no-call-beyond-the-grant",
    leaves_open={
        "rfc8166/3.3.1/requester-has-its-receives-after-what-completes-no-call": "it uses one"
    },
    documents="rfc8166",
)
class UsesHalfItsCredits(Allowance):
    """Has no more calls in flight than half the grant, and one at least."""

    def try_take(self, sends: int) -> bool:
        """If as many are left."""
        half = max(1, self.limit // 2)
        return self.outstanding + sends <= max(half, sends) and super().try_take(sends)


@variant("rfc8166.3.4.6.write-chunk-holds-the-largest-result", documents="rfc8166")
class OffersWholePages(CallPlanner):
    """Offers memory for results in whole pages."""

    def write_room(self, length: int) -> Memory:
        """Rounded up."""
        return super().write_room(length + -length % PAGE)

    def reply_room(self, length: int) -> Memory:
        """Rounded up."""
        return super().reply_room(length + -length % PAGE)


@variant("rfc8166.4.4.1.memory-protected-before-upper-layer-access", documents="rfc8166")
class UsesHandlesAgain(HandleAllocator):
    """Has a few handles only, so that those of memory taken back come again soon."""

    def handle(self) -> int:
        """The next of them in turn."""
        handles: list[int] = vars(self).setdefault("handles", [])
        if len(handles) < HANDLES:
            handles.append(super().handle())
            return handles[-1]
        handles.append(handles.pop(0))
        return handles[-1]


@variant("rfc8166.3.3.1.every-call-requests-credits", documents="rfc8166,v2")
class RequestsAnotherNumberEachTime(RequestRules):
    """Asks for another number of credits in each call, up to what it has Receives for."""

    def requested(self, credits: int) -> int:  # noqa: A002  # the word of the documents
        """Half of them, and all, in turn."""
        turns: count[int] = vars(self).setdefault("turns", count())
        return max(1, credits // (1 + next(turns) % 2))


@variant("rfc8166.3.5.3.long-call-at-any-time", documents="rfc8166")
class SendsShortCallsAlone(CallPlanner):
    """Sends Calls of up to 512 octets inline, and longer ones by chunks."""

    @property
    def threshold(self) -> int:
        """At most that."""
        return min(SHORT, super().threshold)


@variant("rfc8166.3.4.3.memory-used-by-responder", documents="rfc8166,v2")
class NumbersItsMemoryFromZero(HandleAllocator):
    """Has memory that begins at offset 0 of each handle."""

    def address(self, length: int, align: int = PAGE) -> int:
        """None of anybody else has the handle."""
        return 0
