"""The Calls of a Requester that go as transmission groups, and their responses.

    rtrext section 4.3  Message Continuation and Credits
    rtrext section 5.4  Error Reporting
    rtrext section 9    New Operations

The Requester has phases, credits and memory of all its Calls alike; what is different about a group
is here: the plan, its Sends, the Receives for its response, and how the response is judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Disconnect, Send
from rpcrdma.endpoint.core.faults import RULES, Fault, FaultFound
from rpcrdma.endpoint.core.group_bodies import GroupError, OptionRefused
from rpcrdma.endpoint.core.group_placement import PlacementFound
from rpcrdma.endpoint.core.group_sends import option_message
from rpcrdma.endpoint.requester.call_message import frame_group
from rpcrdma.endpoint.requester.group_reply import take_group
from rpcrdma.endpoint.requester.outgoing import NOTHING_OFFERED
from rpcrdma.endpoint.requester.reserve import Reserve
from rpcrdma.wire.rpc import MessageType, xid_of

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.events import CallRequested
    from rpcrdma.endpoint.requester.call_planning import CallPlanner, RequesterOptions
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.reply_parsing import Offer
    from rpcrdma.wire import RdmaError
    from rpcrdma.wire.operations import XmtResp
    from rpcrdma.wire.transmission import Transmission

__all__ = ["CallGroups"]


class CallGroups:
    """What a Requester knows of groups.

    Args:
        options: of the Requester.
        planner: of its Calls.
    """

    def __init__(self, options: RequesterOptions, planner: CallPlanner) -> None:
        self._reductions = options.reductions
        self._credits = options.credits
        self._planner = planner
        self._reserve = Reserve(options.reductions.reserve)

    @property
    def is_possible(self) -> bool:
        """Whether a Call may be a group at all."""
        return self._planner.groups.is_possible

    def plan(self, event: CallRequested, xid: int, limit: int) -> OutgoingCall | None:
        """A Call as a group; None if it is to go as any other.

        Args:
            event: what is wanted.
            xid: of the Call.
            limit: Sends that may be in flight.

        Raises:
            DecodeError: the upper layer cannot read it.
        """
        return self._planner.plan_group(event, xid, limit, self._reserve.left)

    def begun(self, call: OutgoingCall) -> int:
        """A Call is under way: keep Receives for it; returns how many must be posted for that."""
        return self._reserve.take(call.reserved)

    def ended(self, call: OutgoingCall) -> None:
        """A Call is over."""
        self._reserve.give_back(call.reserved)

    def is_framed(self, call: OutgoingCall) -> bool:
        """Make the Sends of a Call whose memory is ready; False if that takes too many."""
        if call.group is None:
            return False
        sends = frame_group(call, call.group, self._reductions, self._credits)
        if sends is None:
            return False
        call.message, *call.later = sends
        return True

    def refused(self) -> None:
        """The peer does not support requests of this kind: no Call is one any more."""
        self._planner.groups.is_refused = True

    def meant(self, xid: int, body: RdmaError) -> int:
        """The XID of the Call that an error is about; `xid` is that of the error's own header.

        A continuation may be faulty by its XID alone: what began the group has the right one.
        """
        lead = body.report.optre_lead if isinstance(body, GroupError) else None
        return xid if lead is None else lead.xmsi_xid

    def is_about(self, call: OutgoingCall | None, body: RdmaError) -> bool:
        """Whether an error can be about the Call of its XID as that is now.

        A group may get one for each of its Sends: the first ends it, the others are about what it
        was before it was made again.
        """
        if call is None:
            return True
        if isinstance(body, GroupError):
            return call.group is not None and body.report.optre_bad.xmsi_dir is MessageType.CALL
        return not (isinstance(body, OptionRefused) and call.made_again)

    def offer_to_plain_reply(self, call: OutgoingCall | None) -> Offer:
        """What a Reply that is no group returns: nothing of what a group offers.

        Raises:
            FaultFound: directions need a response that is one (D-116).  But whoever was told that
                it is faulty may resend the Reply by the base protocol (rtrext 5.4).
        """
        if call is None:
            return NOTHING_OFFERED
        if call.group is None:
            return call.offer
        if call.group.response.directions and not call.is_reported:
            raise FaultFound(Fault.RESPONSE_ITEMS, "no answer to directions")
        return NOTHING_OFFERED

    def fault_of(
        self, call: OutgoingCall, contents: XmtResp, arrived: Transmission
    ) -> FaultFound | None:
        """Judge the response to a Call, and take what its Sends hold.

        Returns:
            What ends the Call; None if nothing does.

        Raises:
            PlacementFound: bulk data are not where they are said to be; the Responder is to be
                told, and may reply again.
        """
        if call.group is None:
            return FaultFound(Fault.RESPONSE_GROUP, "a group answers what was none")  # D-116
        response, own = call.group.response, self._planner.groups.own
        try:
            call.placed = take_group(response, call.offer.writes, contents, arrived, own)
        except PlacementFound:
            call.is_reported = True
            raise
        except FaultFound as found:
            return found
        return None

    def report(self, key: int, message: bytes, found: PlacementFound) -> Send | Disconnect:
        """Tell the Responder what is wrong with its response: it may reply otherwise (5.4).

        Args:
            key: of what is sent.
            message: the response.
            found: what is wrong.
        """
        xid, way = xid_of(message), MessageType.REPLY
        report = option_message(xid, self._credits, way, found.report(xid, way))
        if len(report) > self._planner.send_limit:  # D-142
            return Disconnect(RULES[found.fault].requirement)
        return Send(key, report)
