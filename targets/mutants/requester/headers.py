"""Mutants of the client: the fixed words of its calls (rfc8166 section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.requester.outgoing import Phase
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import TransportHeader
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall


@mutant(breaks="rfc8166.4.2.2.version-is-one")
class SendsVersionThree(RequestRules):
    """Calls in version three, once version one is what both ends speak."""

    def version(self) -> int:
        return 3 if self.dialect is ONE else super().version()


@mutant(breaks="rfc8166.4.2.1.xid-equals-payload-xid")
class NumbersChunkedCallsApart(RequestRules):
    """Gives the header of a call with chunks an XID of its own."""

    def xid(self, call: OutgoingCall) -> int:
        return call.xid ^ 0x40000000


@mutant(breaks="rfc8166.4.2.1.xid-equals-payload-xid")
class SwapsTheXidOfPlainCalls(RequestRules):
    """Writes the XID of a call without chunks into its header in the wrong octet order."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        xid = payload[3::-1] if self.dialect is ONE else payload[:4]
        return xid + behind_xid + payload


@mutant(breaks="rfc8166.2.2.2.call-xid-is-unique")
class SendsCallsTwice(Requester):
    """Sends one of several calls in flight twice, where it has credits to spare."""

    def _enqueue(self, call: OutgoingCall) -> list[Action]:
        actions = super()._enqueue(call)
        if self.allowance.outstanding == 4 and self.allowance.limit > 16:
            actions.append(Send(next(self._keys), call.message))
        return actions


@mutant(
    breaks="rfc8166.4.header-is-xdr",
    also_trips={
        "rfc8166.4.rpc-layout-is-unchanged": (
            "what follows the lists is taken for their end, or the reverse"
        )
    },
)
class CutsTheListsShort(RequestRules):
    """Leaves the word out that ends the lists of a call with chunks."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        message = super().encode(header, payload)
        end = len(message) - len(payload)
        return message[: end - 4] + message[end:]


@mutant(
    breaks="rfc8166.3.3.1.replies-in-any-order",
    also_trips={
        "rfc8166.3.3.1.no-call-beyond-the-grant": "a reply to no call gives back a credit in use",
        "rfc8166.4.5.bad-reply-header-discarded": "a reply to no call ends another call",
    },
)
class AssignsRepliesToTheOldestCall(Requester):
    """Takes each reply for that of the oldest call in flight."""

    def _take_plain_reply(self, header: TransportHeader, message: bytes) -> list[Action] | None:
        oldest = next((one for one in self._calls.values() if one.phase is Phase.SENT), None)
        if oldest is None:
            return None
        xid = oldest.message[:4]
        header = TransportHeader(oldest.xid, header.rdma_vers, header.rdma_credit, header.rdma_body)
        return super()._take_plain_reply(
            header, xid + message[4 : ONE.header] + xid + message[ONE.header + 4 :]
        )
