"""What the tester knows of a Requester on one connection, and what it holds against a message.

    rfc8166 section 3.3.1  RPC-over-RDMA Credits
    rfc8166 section 3.3.3  Initial Connection State
    v2 section 5           Protocol Version Negotiation
    rtrext section 8       Transport Properties

A `RequesterState` is a value: the oracles (`conformance.oracle.requester.calls`,
`conformance.oracle.requester.reaction`) read it, `conformance.oracle.requester.tracker` makes it
from what came and went.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.announced import NOTHING_TOLD, Announced
from conformance.oracle.sizes import FIRST_MESSAGE_TWO, THRESHOLD_ONE
from rpcrdma.wire.properties import BASIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.oracle.requester.request_group import RequestGroup
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import TransportHeader
    from rpcrdma.wire.properties import PropertyNumbers

__all__ = [
    "FIRST_VIEW",
    "CreditView",
    "OutstandingCall",
    "RequesterState",
]


@dataclass(frozen=True, slots=True)
class OutstandingCall:
    """A Call that arrived and was not answered yet.

    Attributes:
        xid: rdma_xid.
        header: as it came, in Version One's objects; None if it could not be decoded.
        unreduced: the whole RPC message; None if the tester could not put it together.
        doubtful: something was sent that allows the Requester, but does not oblige it, to be done
            with the Call.
        sends: that it came by, each of which takes a credit (rtrext 4.3).
        group: what it said if it came as a transmission group; None otherwise.
    """

    xid: int
    header: TransportHeader | None = None
    unreduced: bytes | None = None
    doubtful: bool = False
    sends: int = 1
    group: RequestGroup | None = None


@dataclass(frozen=True, slots=True)
class CreditView:
    """What a Requester may believe: Sends of Calls in flight, and the grant.

    None has been granted before the first Reply.
    """

    in_flight: int
    granted: int | None = None

    @property
    def headroom(self) -> int:
        """How many more Sends of Calls it may send; negative if there are too many already."""
        # rfc8166 3.3.3: one until a valid Reply tells the number.
        return (1 if self.granted is None else self.granted) - self.in_flight


FIRST_VIEW: Final = CreditView(0)
"""Of a new connection."""


@dataclass(frozen=True, slots=True)
class RequesterState:
    """What is known when a message of a Requester arrives, or one is sent to it.

    Attributes:
        outstanding: Calls without an answer, oldest first.
        views: what the Requester may have believed when it sent the next message, oldest first.
            Replies that are on their way to it make more than one: a Call that crosses a Reply with
            a smaller grant was sent under the larger one.
        requested: credit value of the Call before; None if there was none.
        call_threshold: inline threshold of Calls, in octets.  reply_threshold: of Replies.
        upper_layer: the binding; None if it is not known, in which case nothing is said of what may
            be reduced and how long Replies get.
        refused: unreduced Calls that were answered by RDMA_ERROR, on whichever connection.
        chosen: readings chosen by the profile, by interpretation id.
        properties: the transport properties that the Requester knows (D-91).
        serves_two: whether the tester speaks Version Two on this connection.
        versions: those in which the Requester may send its next message, if it does.
        was_settled: whether a version has been settled on, be it refused afterwards or not.
        lengths: octets of the longest message of Version Two that the Requester may believe to be
            allowed, what it was told last at the end.
        option_xids: of the tester's own optional messages; errors may come about them.
        asked_xids: of the Requester's optional messages.
        announced: of the tester, what the Requester may believe, oldest first (rtrext 8).
        told: of the Requester, by its own word.
        faulty: XIDs of messages that are faulty as groups, so that reports may come about them.
    """

    outstanding: tuple[OutstandingCall, ...] = ()
    views: tuple[CreditView, ...] = (FIRST_VIEW,)
    requested: int | None = None
    call_threshold: int = THRESHOLD_ONE
    reply_threshold: int = THRESHOLD_ONE
    upper_layer: UpperLayer | None = None
    refused: frozenset[bytes] = frozenset()
    chosen: Mapping[str, str] = field(default_factory=dict)
    properties: PropertyNumbers = BASIC
    serves_two: bool = False
    versions: frozenset[int] = frozenset({1})
    was_settled: bool = False
    lengths: tuple[int, ...] = (FIRST_MESSAGE_TWO,)
    option_xids: frozenset[int] = frozenset()
    asked_xids: frozenset[int] = frozenset()
    announced: tuple[Announced, ...] = (NOTHING_TOLD,)
    told: Announced = NOTHING_TOLD
    faulty: frozenset[int] = frozenset()

    def call(self, xid: int) -> OutstandingCall | None:
        """The outstanding Call with this XID."""
        return next((item for item in self.outstanding if item.xid == xid), None)

    def with_call(self, call: OutstandingCall, requested: int) -> RequesterState:
        """The state after one more Call arrived."""
        views = self.views
        # It was sent under the oldest view that allowed it, and what a Requester has seen it does
        # not forget: older views are over.  An overrun leaves the last one.
        while len(views) > 1 and views[0].headroom < call.sends:
            views = views[1:]
        return replace(
            self,
            outstanding=(*self.outstanding, call),
            views=tuple(replace(view, in_flight=view.in_flight + call.sends) for view in views),
            requested=requested,
        )

    def with_view(self, view: CreditView) -> RequesterState:
        """The state after a message that leads to this view is on its way to the Requester."""
        views = list(self.views)
        # Whoever may believe the new view loses nothing by it that an older one with no more
        # headroom would have allowed, now or later.
        while views and views[-1].headroom <= view.headroom:
            views.pop()
        return replace(self, views=(*views, view))
