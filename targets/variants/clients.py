"""Clients that choose otherwise: credits, forms of Calls, XIDs, and the memory that they offer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.responder import BackwardReplyRules
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.core.xids import XidSource
from rpcrdma.endpoint.requester.call_planning import CallPlanner, RequesterOptions
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.requester_parts import REQUESTER, RequesterParts
from targets.variants.base import variant

if TYPE_CHECKING:
    from rpcrdma.endpoint.requester.outgoing import Memory

SPARE = 512
"""Octets of room that no result needs."""

ALONE = "it has one call in flight at a time"

ONE_AT_A_TIME = dict.fromkeys(
    (
        "rfc8166/3.3.1/requester-has-its-receives-after-what-completes-no-call",
        "rfc8166/3.3.1/requester-keeps-the-credit-of-a-call-that-was-given-up",
        "rfc8166/3.3.1/requester-obeys-a-shrinking-grant",
        "rfc8166/3.3.1/requester-takes-replies-in-any-order",
        "rfc8166/3.3.3/requester-takes-no-grant-from-a-bad-reply",
        "rfc8166/4.4.1/requester-takes-back-each-segment-beside-other-calls",
        "rfc8166/4.5.5/requester-ends-each-call-that-is-refused",
        "rfc8166/4.5.5/requester-ends-the-call-that-is-refused",
        "rfc8166/4.5.5/requester-repeats-each-lost-call-once",
        "v2/5/requester-has-its-receives-after-what-completes-no-call",
    ),
    ALONE,
)
"""Cases that take two calls in flight."""


class OtherOptions(Requester):
    """A Requester that changes the options it is given."""

    def __init__(
        self, options: RequesterOptions | None = None, parts: RequesterParts = REQUESTER
    ) -> None:
        super().__init__(self.choose(options or RequesterOptions()), parts)

    def choose(self, options: RequesterOptions) -> RequesterOptions:
        """The options that take the place of these."""
        raise NotImplementedError


@variant(
    "rfc8166.3.3.1.new-calls-within-lower-value",
    leaves_open={
        **ONE_AT_A_TIME,
        "rtrext/": "it has no credits for a request of several transmissions",
    },
)
class RequestsOneCredit(OtherOptions):
    """Asks for one credit."""

    def choose(self, options: RequesterOptions) -> RequesterOptions:
        return replace(options, credits=1)


@variant("rfc8166.3.3.1.every-call-requests-credits")
class RequestsManyCredits(OtherOptions):
    """Asks for 200 credits."""

    def choose(self, options: RequesterOptions) -> RequesterOptions:
        return replace(options, credits=200)


@variant("rfc8166.3.4.4.any-segment-boundaries")
class OffersSmallSegments(OtherOptions):
    """Cuts chunks into segments of an odd number of octets."""

    def choose(self, options: RequesterOptions) -> RequesterOptions:
        return replace(options, segment=100_001)


@variant(
    "rfc8166.3.5.3.long-call-at-any-time",
    leaves_open={
        "rfc8166/4.2.4/requester-takes-replies-with-any-lists": "it makes no call by RDMA_MSG",
        "rfc8166/4.3.1/requester-sends-no-read-list-without-arguments": "each call has one",
        "xcharext/3.1/requester-counts-the-chunk": "it makes no call by RDMA_MSG",
    },
)
class MakesEveryCallALongCall(OtherOptions):
    """Puts every Call into a Position-Zero Read chunk."""

    def choose(self, options: RequesterOptions) -> RequesterOptions:
        return replace(options, form=MessageForm.LONG)


@variant(
    "rfc8166.3.5.2.some-or-all-items-reduced",
    leaves_open={
        "xcharext/3.1/requester-counts-the-chunk": "no argument of it fills a Send",
    },
)
class ReducesWhateverItMay(OtherOptions):
    """Reduces eligible arguments of any length."""

    def choose(self, options: RequesterOptions) -> RequesterOptions:
        return replace(options, form=MessageForm.CHUNKED)


@variant("rfc8166.3.5.2.some-or-all-items-reduced")
class OffersAWriteChunkForEveryResult(OtherOptions):
    """Offers Write chunks for eligible results also where the Reply fits without them."""

    def choose(self, options: RequesterOptions) -> RequesterOptions:
        return replace(options, always_reduce_results=True)


@variant("rfc8166.3.5.2.some-or-all-items-reduced")
class LeavesSmallResultsInTheStream(OtherOptions):
    """Offers no Write chunk for results of up to 400 octets."""

    def choose(self, options: RequesterOptions) -> RequesterOptions:
        return replace(options, inline_results=400)


@variant("rfc8166.3.4.6.write-chunk-holds-the-largest-result")
class OffersMoreRoomThanIsNeeded(CallPlanner):
    """Offers Write and Reply chunks that are longer than any result."""

    def write_room(self, length: int) -> Memory:
        """More."""
        return super().write_room(length + SPARE)

    def reply_room(self, length: int) -> Memory:
        """More."""
        return super().reply_room(length + SPARE)


@variant("rfc8166.3.3.1.replies-in-any-order")
class CountsXidsDownwards(XidSource):
    """Gives each call a lower XID than the one before, through zero."""

    def __init__(self, first: int = 3) -> None:
        self._last = first

    def take(self) -> int:
        """One lower."""
        self._last = (self._last - 1) & 0xFFFFFFFF
        return self._last


@variant("rfc8166.3.3.1.replies-in-any-order")
class DrawsXids(XidSource):
    """Gives each call an XID that has nothing to do with the others."""

    def take(self) -> int:
        """One of them; the factor is odd, so that none comes twice."""
        return super().take() * 0x9E3779B1 & 0xFFFFFFFF


@variant(
    "bidir.2.1.2.values-may-differ",
    leaves_open={
        "bidir/2.2/client-has-its-receives-after-what-it-refuses": "two backward credits are needed"
    },
)
class GrantsOneBackwardCredit(BackwardReplyRules):
    """Grants one credit in the backward direction, however many are requested."""

    def grant(self, requested: int, posted: int) -> int:
        """One."""
        return 1


@variant("bidir.2.1.2.values-may-differ")
class GrantsManyBackwardCredits(BackwardReplyRules):
    """Grants a credit for every Receive that it has, however few are requested."""

    def grant(self, requested: int, posted: int) -> int:
        """All."""
        return posted
