"""Mutants: clients that do not get on with all servers (rtrext 2, 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import CallFailed, Deliver, Disconnect, Failure
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.requester.group_plan import GroupPlan, GroupPlanner
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire._generated_rtrext import RTRS_XCONT
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import CallRequested
    from rpcrdma.ulp.bindings import DataItem, ReplyExpectation
    from rpcrdma.wire import RdmaError, RdmaMsg, RdmaNomsg, TransportHeader
    from rpcrdma.wire.transmission import Transmission

LONG: Final = 8900
"""Octets of Calls that are so long."""

NOT_MADE: Final = "the Call that is looked at is long, and is not made"


@mutant(
    breaks="rtrext.2.version-one-peers-are-served",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.2.message-within-inline-threshold",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.4.5.",
            "rfc8166.3.5.3.",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.3.1.",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.8.1.1.memory-belongs-to-one-connection",
            "rfc8166.3.4.4.4.one-item-in-a-chunk",
        ),
        NOT_MADE,
    ),
)
class MakesLongCallsByGroupsAlone(Requester):
    """Fails a Call in Version One that it would have made as a group."""

    def _begin(self, event: CallRequested, *, again: bool = False) -> list[Action]:
        if self.options.dialect is ONE and len(event.payload) > LONG:
            return [Deliver(CallFailed(event.token, Failure.CANNOT_SEND, "no groups"))]
        return super()._begin(event, again=again)


@mutant(
    breaks="rtrext.5.peers-without-the-extension-are-served",
    also_trips={
        **dict.fromkeys(
            (
                "v2.1.",
                "v2.2.1.large-call-goes-by-rdma",
                "v2.2.2.memory-is-fenced-when-complete",
                "v2.4.2.header-layout",
            ),
            NOT_MADE,
        ),
        "xcharext.2.1.": because.SEEN_BY_LONG_CALLS,
        "xcharext.3.": because.SEEN_BY_LONG_CALLS,
        "xcharext.4.": because.SEEN_BY_LONG_CALLS,
    },
)
class MakesLongCallsOfTwoByGroupsAlone(Requester):
    """Fails a long Call in Version Two where the server does not take groups."""

    def _begin(self, event: CallRequested, *, again: bool = False) -> list[Action]:
        alone = self.options.dialect is not ONE and not self.groups.is_possible
        if alone and len(event.payload) > LONG:
            return [Deliver(CallFailed(event.token, Failure.CANNOT_SEND, "no groups"))]
        return super()._begin(event, again=again)


@mutant(breaks="rtrext.5.1.headers-without-the-features")
class InsistsOnContinuation(GroupPlanner):
    """Makes no Call where XMTREQ is supported and XMTCONT is not."""

    def plan(
        self,
        payload: bytes,
        items: tuple[DataItem, ...],
        expectation: ReplyExpectation,
        credits_left: int,
        receives_left: int,
    ) -> GroupPlan | None:
        if not self._peer.rtr_support & RTRS_XCONT:
            raise LocalProtocolError("the peer does not continue")
        return super().plan(payload, items, expectation, credits_left, receives_left)


@mutant(
    breaks="rtrext.5.3.sending-and-receiving-are-separate",
    also_trips=dict.fromkeys(
        (
            "rtrext.5.1.headers-without-the-features",
            "rtrext.7.3.exrw-of-a-request-names-its-memory",
            "rtrext.8.1.default-of-the-buffer-structure",
        ),
        "no Call that could go as a group is made to a peer without targets",
    ),
)
class InsistsOnTargets(GroupPlanner):
    """Makes no Call where the peer has no target segments, since it has some itself."""

    def plan(
        self,
        payload: bytes,
        items: tuple[DataItem, ...],
        expectation: ReplyExpectation,
        credits_left: int,
        receives_left: int,
    ) -> GroupPlan | None:
        plan = super().plan(payload, items, expectation, credits_left, receives_left)
        if plan is not None and self.own.targets and not plan.layout.targets:
            raise LocalProtocolError("the peer takes no bulk data")
        return plan


@mutant(breaks="v2.4.2.3.error-ends-the-rpc")
class WaitsAfterTheSecondRefusal(Requester):
    """Ignores errors about a Call that it makes again without a group."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        call = self._calls.get(xid)
        return [] if call is not None and call.made_again else super()._refused(xid, body)


@mutant(breaks="rtrext.5.1.told-operations-are-understood")
class HangsUpOverResponsesToNobody(Requester):
    """Ends the connection when a response comes to a request that is over or given up."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        if int.from_bytes(arrived.octets[:4]) in self._calls:
            return super()._take_group(arrived)
        return [Disconnect("a response to nobody")]


@mutant(breaks="rtrext.5.4.reply-may-be-sent-otherwise")
class WantsItsDirectionsAnswered(Requester):
    """Takes no Reply that answers no directions, though it has reported the response."""

    def _take_reply(
        self, header: TransportHeader, body: RdmaMsg | RdmaNomsg, payload: bytes
    ) -> list[Action]:
        call = self._calls.get(header.rdma_xid)
        if call is not None:
            call.is_reported = False
        return super()._take_reply(header, body, payload)
