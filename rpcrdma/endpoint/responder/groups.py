"""The requests of a connection that come as transmission groups, and the responses to them.

rtrext section 5    Using Protocol Additions
rtrext section 9.2  Transmit Request Operation
rtrext section 9.3  Transmit Response Operation
rtrext section 9.5  Error Reporting Operation
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_sends import option_message
from rpcrdma.endpoint.responder.group_reply import GroupReplies, PlaceableResult
from rpcrdma.endpoint.responder.group_rules import GroupRules, IncomingGroup
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.operations import ROPT_XMTREQ
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.group_bodies import GroupedMsg
    from rpcrdma.endpoint.core.group_placement import PlacementFound
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.group_reply import PlannedGroup
    from rpcrdma.endpoint.responder.reply_rules import ReplyRules
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire.transmission import Transmission

__all__ = ["RequestGroups"]


class RequestGroups:
    """What a Responder knows of groups.

    Args:
        reductions: what this end does of the extension.
        replies: the rules of replies.
        rules: how requests are judged.
        responses: how they are answered.

    Attributes:
        peer: the layout of the Requester's buffers.
    """

    def __init__(
        self,
        reductions: Reductions,
        replies: ReplyRules,
        rules: type[GroupRules] = GroupRules,
        responses: type[GroupReplies] = GroupReplies,
    ) -> None:
        self._is_supported = ROPT_XMTREQ in reductions.operations
        self._longest = reductions.longest_send
        own = BufferLayout.of(reductions.structure, reductions.receive_octets)
        self._rules = rules(own, reductions.request_limit)
        longest = reductions.response_limit if reductions.can_continue else 1
        self._responses = responses(replies, longest)
        self.peer = BufferLayout.of(None, TWO.threshold)

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        """Keep responses within what the Requester has announced (rtrext 8.3)."""
        if self._is_supported:
            longest = min(send_limit, self._longest)
            self.peer = BufferLayout.of(peer.buffer_structure, longest)

    def take(self, body: GroupedMsg, arrived: Transmission, stream: int) -> IncomingGroup:
        """Judge a request.

        Args:
            body: its header.
            arrived: its Sends.
            stream: octets of its Payload stream.

        Raises:
            FaultFound: it breaks a rule, or this end does not support it.
        """
        if not self._is_supported:
            raise FaultFound(Fault.UNDECODABLE_HEADER, "a group")
        return self._rules.take(body, arrived, stream)

    def is_answered_by_group(self, group: IncomingGroup, reply: bytes) -> bool:
        """Whether the response must be a group itself (D-116)."""
        return bool(group.directions) or TWO.header + len(reply) > self.peer.length

    def plan(
        self,
        call: IncomingCall,
        request: bytes,
        reply: bytes,
        credit: int,
        upper_layer: UpperLayer,
    ) -> PlannedGroup:
        """Turn an RPC reply into a response.

        Args:
            call: what is answered.
            request: the unreduced Call; nothing, if it was none.
            reply: unreduced.
            credit: to be granted.
            upper_layer: knows which results may be placed.

        Raises:
            FaultFound: what the Requester provided does not take the reply.
        """
        results: list[PlaceableResult] = []
        group = call.group or IncomingGroup()
        if group.directions and request:
            items = upper_layer.results(request, reply)
            # An error reply has none, and may be about arguments that cannot be decoded.
            origins = upper_layer.origins(request) if items else ()
            for slot, item in enumerate(items):
                if item is not None:
                    origin = origins[slot] if slot < len(origins) else 0
                    results.append(PlaceableResult(origin, item))
        return self._responses.plan(call.xid, credit, group, reply, results, self.peer)

    def report(self, xid: int, credit: int, found: PlacementFound) -> bytes:
        """The message that tells a Requester what is wrong with its request (rtrext 9.5)."""
        report = found.report(xid, MessageType.CALL)
        return option_message(xid, credit, MessageType.REPLY, report)
