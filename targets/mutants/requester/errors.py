"""Mutants of the client: errors, nonsense and lost connections (rfc8166 section 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Disconnect, Failure, PostReceive, Send
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.faults import FaultFound
from rpcrdma.endpoint.requester.outgoing import Phase
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import Procedure
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.reply_parsing import Offer
    from rpcrdma.wire import RdmaError, RdmaMsg, RdmaNomsg, TransportHeader

_RDMA_MSGP: Final = int(Procedure.RDMA_MSGP).to_bytes(4, "big")
_RDMA_DONE: Final = int(Procedure.RDMA_DONE).to_bytes(4, "big")
_RDMA_ERROR: Final = int(Procedure.RDMA_ERROR).to_bytes(4, "big")


@mutant(
    breaks="rfc8166.4.5.error-is-permanent",
    also_trips={
        "rfc8166.3.3.1.no-call-beyond-the-grant": (
            "a call that waits for a credit is sent when it is refused before that"
        )
    },
)
class RepeatsRefusedCalls(Requester):
    """Sends a call again that was answered by an error."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        call = self._calls.get(xid)
        if call is None or self.options.dialect is not ONE:
            return super()._refused(xid, body)
        return [Send(next(self._keys), call.message)]


@mutant(
    breaks="rfc8166.4.5.error-completes-the-rpc",
    also_trips={
        "rfc8166.3.3.1.new-calls-within-lower-value": "a call that is not over keeps its credit",
        "rfc8166.8.1.3.": "a call that is not over keeps its memory",
    },
)
class WaitsBehindErrors(Requester):
    """Ignores errors, and goes on waiting for a reply."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        return [] if self.options.dialect is ONE else super()._refused(xid, body)


@mutant(
    breaks="rfc8166.4.5.bad-reply-header-discarded",
    also_trips={
        "rfc8166.2.2.2.": "so does a reply to no call, or one that has another XID inside",
        **dict.fromkeys(
            (
                "rfc8166.4.5.",
                "rfc8166.4.6.1.requester-discards-msgp",
                "rfc8166.4.6.2.done-is-discarded",
            ),
            "whatever is to be dropped costs the connection",
        ),
    },
)
class HangsUpOverNonsense(Requester):
    """Ends the connection when a message cannot be a reply."""

    def _receive(self, event: events.MessageReceived, _now: float) -> list[Action]:
        again = PostReceive.of(self.options.thresholds.reply)
        try:
            return [again, *self._judge(event.data)]
        except FaultFound as found:
            return [Disconnect(str(found))]


@mutant(breaks="rfc8166.4.5.undecodable-error-discarded")
class HangsUpOverUnknownErrors(Requester):
    """Ends the connection when an error has a code that it does not know."""

    def _judge(self, message: bytes) -> list[Action]:
        try:
            return super()._judge(message)
        except FaultFound:
            if message[12:16] == _RDMA_ERROR:
                return [Disconnect("an unknown error")]
            raise


@mutant(
    breaks="rfc8166.4.5.short-message-discarded",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.receives-for-expected-replies",
            "rfc8166.4.5.error-completes-the-rpc",
        ),
        "the call that it begins with is over, and is waited for in flight",
    ),
)
class LooksIntoShortMessages(Requester):
    """Ends the call whose XID a message of fewer than 28 octets begins with."""

    def _judge(self, message: bytes) -> list[Action]:
        call = self._calls.get(int.from_bytes(message[:4], "big"))
        if call is None or len(message) >= ONE.header or call.phase is not Phase.SENT:
            return super()._judge(message)
        self.allowance.give_back(call.sends)
        return self._fail(call, Failure.BAD_REPLY, "too short")


@mutant(
    breaks="rfc8166.4.5.bad-reply-header-discarded",
    also_trips={
        "rfc8166.4.5.5.rpc-survives-connection-loss": "where the cases change their version, the"
        " first call on a connection does not end"
    },
)
class TakesRepliesOfAnyVersion(Requester):
    """Does not look at the version of a reply."""

    def _judge(self, message: bytes) -> list[Action]:
        return super()._judge(message[:4] + (1).to_bytes(4, "big") + message[8:])


@mutant(breaks="rfc8166.4.6.1.requester-discards-msgp")
class TakesMsgp(Requester):
    """Takes an RDMA_MSGP for the reply that is in it."""

    def _judge(self, message: bytes) -> list[Action]:
        if message[12:16] == _RDMA_MSGP:
            message = message[:12] + bytes(4) + message[24:]
        return super()._judge(message)


@mutant(breaks="rfc8166.4.6.2.done-is-discarded")
class EndsCallsByDone(Requester):
    """Takes an RDMA_DONE for the end of the call whose XID it has."""

    def _judge(self, message: bytes) -> list[Action]:
        call = self._calls.get(int.from_bytes(message[:4], "big"))
        if message[12:16] != _RDMA_DONE or call is None or call.phase is not Phase.SENT:
            return super()._judge(message)
        self.allowance.give_back(call.sends)
        return self._fail(call, Failure.BAD_REPLY, "done")


@mutant(
    breaks="rfc8166.4.5.bad-reply-header-discarded",
    also_trips={"rfc8166.3.3.3.first-reply-before-second-call": "such a reply grants, too"},
)
class IgnoresReadListsOfReplies(Requester):
    """Does not mind a Read list in a reply."""

    def _judge_lists(self, offer: Offer, body: RdmaMsg | RdmaNomsg) -> None:
        super()._judge_lists(offer, msgspec.structs.replace(body, rdma_reads=()))


@mutant(breaks="rfc8166.4.5.bad-reply-header-discarded")
class DiesOfWrongRepliesToCancelledCalls(Requester):
    """Dies of a Reply with wrong lists if the application has given up the Call that it is to."""

    def _answered(
        self,
        header: TransportHeader,
        body: RdmaMsg | RdmaNomsg,
        payload: bytes,
        fault: FaultFound | None,
    ) -> list[Action]:
        if fault is not None and header.rdma_xid in self._abandoned:
            raise RuntimeError("there is no such call")
        return super()._answered(header, body, payload, fault)
