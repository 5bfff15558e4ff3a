"""Mutants: a client that makes and answers Calls at one time (bidir sections 1.3, 1.5 and 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rpcrdma.endpoint.backward.duplex import ClientDuplex
from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Disconnect, PostReceive, RdmaWrite, Send, Transfer
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.responder.call_rules import MINIMUM_HEADER
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.bindings import XDR_UNIT
from rpcrdma.wire import RdmaMsg, TransportHeader, decode_header, encode_header, fixed_words
from rpcrdma.wire.rpc import MessageType
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action

OWN_XIDS = 0x0C110000
"""Where the XIDs of the reference client begin."""


def as_reply(event: events.MessageReceived) -> events.MessageReceived:
    """A backward Call as it looks to somebody who does not look at its msg_type."""
    end = MINIMUM_HEADER + 2 * XDR_UNIT
    head, rest = event.data[: end - XDR_UNIT], event.data[end:]
    return events.MessageReceived(head + MessageType.REPLY.to_bytes(XDR_UNIT, "big") + rest)


@mutant(breaks="bidir.1.3.4.1.xid-spaces-are-independent")
class TakesItsOwnXidsForReplies(ClientDuplex):
    """Takes a backward Call under an XID of its own for the Reply to that Call."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if fixed_words(event.data).xid >= OWN_XIDS:
            return self.to_forward(as_reply(event), now)
        return super().to_backward(event, now)


@mutant(breaks="bidir.1.3.4.1.same-xid-is-two-transactions")
class DropsCallsUnderItsOwnXids(ClientDuplex):
    """Drops a backward Call under an XID of its own."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if fixed_words(event.data).xid >= OWN_XIDS:
            return [PostReceive.of(self.initial_receives[0])]
        return super().to_backward(event, now)


@mutant(breaks="bidir.1.3.4.xid-goes-with-the-msg-type")
class TakesEachCallForAReply(ClientDuplex):
    """Shows each backward Call to the half that awaits Replies, beside executing it."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        seen = self.to_forward(as_reply(event), now)
        seen = [action for action in seen if not isinstance(action, PostReceive)]
        return super().to_backward(event, now) + seen


@mutant(breaks="bidir.1.3.4.1.same-xid-in-both-directions")
class HangsUpOverItsOwnXids(ClientDuplex):
    """Ends the connection over a backward Call under an XID of its own."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if fixed_words(event.data).xid >= OWN_XIDS:
            return [Disconnect("an XID is in use")]
        return super().to_backward(event, now)


@mutant(
    breaks="bidir.1.3.3.both-directions-at-once",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.xid-goes-with-the-msg-type",
            "bidir.2.1.",
            "bidir.2.2.3.client-is-prepared-before-it-announces",
        ),
        because.CONNECTION_GONE,
    ),
)
class HangsUpWhenCalled(ClientDuplex):
    """Ends the connection over a backward Call while a forward one is in flight."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        forward = self.forward
        if isinstance(forward, Requester) and forward.allowance.outstanding:
            return [Disconnect("one direction at a time")]
        return super().to_backward(event, now)


@mutant(
    breaks="bidir.1.5.2.forward-direction-is-undisturbed",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.3.no-rdma-for-backward-transactions",
            "bidir.2.1.2.directions-are-accounted-separately",
            "bidir.2.2.1.each-forward-call-has-its-own-receive",
            "bidir.2.4.",
        ),
        "the client makes no forward Call any more",
    ),
)
class StopsCallingWhenCalled(ClientDuplex):
    """Takes all forward credits for a backward Call, and never gives them back."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if isinstance(self.forward, Requester):
            self.forward.allowance.outstanding += 10_000
        return super().to_backward(event, now)


@mutant(breaks="bidir.2.1.2.directions-are-accounted-separately")
class TakesBackwardRequestsForGrants(ClientDuplex):
    """Takes the credits that a backward Call requests for a grant of forward ones."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if isinstance(self.forward, Requester) and len(event.data) >= MINIMUM_HEADER:
            self.forward.allowance.granted_by_reply(fixed_words(event.data).credit)
        return super().to_backward(event, now)


@mutant(breaks="bidir.2.4.runt-credit-is-ignored")
class TakesTheCreditOfRunts(ClientDuplex):
    """Takes the credit value of a message that is too small for a grant."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        if isinstance(self.forward, Requester) and len(event.data) >= MINIMUM_HEADER:
            self.forward.allowance.granted_by_reply(fixed_words(event.data).credit)
        return super().drop(event)


@mutant(
    breaks="bidir.2.4.runt-has-no-effect",
    also_trips={
        "rfc8166.2.2.2": "it answers a cut Reply as if that had been a Call",
        "rfc8166.4.5.short": "what is shorter than four words is too small in any direction",
    },
)
class ExecutesRunts(ClientDuplex):
    """Takes a message that is too small for a backward NULL Call."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        message = event.data
        null = testprog_calls.null(fixed_words(message).xid)
        return self.to_backward(type(event)(message[:MINIMUM_HEADER] + null), 0.0)


@mutant(
    breaks="bidir.2.4.runt-is-dropped",
    also_trips={
        "rfc8166.4.5.bad-reply-header-discarded": (
            "a Reply that is cut before it tells its direction is no half's"
        ),
        "rfc8166.4.5.short": "what is shorter than four words is too small in any direction",
    },
)
class HangsUpOverSmallMessages(ClientDuplex):
    """Ends the connection over a message that is too small."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        return [Disconnect("a message is too small")]


@mutant(
    breaks="bidir.2.2.1.client-posts-receives-again-after-reconnecting",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.3.both-directions-at-once",
            "bidir.1.3.4.",
            "bidir.2.1.",
            "bidir.2.2.3.client-is-prepared-before-it-announces",
            "bidir.2.4.",
            "bidir.2.6.reply-has-the-calls-xid",
        ),
        "no backward Call is answered on a connection that is not the first",
    ),
)
class AnswersOnItsFirstConnectionOnly(BackwardResponder):
    """Executes no backward Call on any connection but the first on which one came."""

    first: ClassVar[list[int]] = []

    def execute(self, payload: bytes) -> list[bytes]:
        self.first.append(id(self))
        return super().execute(payload) if self.first[0] == id(self) else []


@mutant(
    breaks="bidir.1.3.2.service-may-make-calls",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.",
            "bidir.2.1.",
            "bidir.2.2.1.client-posts-receives-again-after-reconnecting",
            "bidir.2.2.3.client-is-prepared-before-it-announces",
            "bidir.2.4.",
            "bidir.2.6.reply-has-the-calls-xid",
        ),
        because.NO_BACKWARD_REPLY,
    ),
)
class AnswersNoBackwardCall(BackwardResponder):
    """Executes no backward Call."""

    def execute(self, payload: bytes) -> list[bytes]:
        return []


@mutant(breaks="bidir.1.5.4.direction-is-told-at-a-fixed-place")
class TellsTheDirectionByTheLength(ClientDuplex):
    """Takes every message of more than a hundred octets for a forward Reply."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if len(event.data) > 100:
            return self.to_forward(event, now)
        return super().to_backward(event, now)


@mutant(
    breaks="bidir.1.5.1.interoperates-without-support",
    also_trips={"rfc8166.2.2.2.call-msg-type": "a Reply comes where nobody made a backward Call"},
)
class SendsReplyBehindEachReply(ClientDuplex):
    """Sends a backward Reply after each forward one, though nobody called."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        header = encode_header(TransportHeader(_NOBODYS, 1, 1, RdmaMsg((), (), None)))
        reply = header + _NOBODYS.to_bytes(4) + (1).to_bytes(4) + bytes(16)
        return [*super().to_forward(event, now), Send(0, reply)]


_NOBODYS = 0x7777
"""An XID under which nobody called."""


@mutant(breaks="bidir.2.1.1.forward-calls-within-the-forward-grant")
class TakesACreditForEachBackwardCall(ClientDuplex):
    """Makes one forward Call more for each backward Call that it gets."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if isinstance(self.forward, Requester):
            allowance = self.forward.allowance
            allowance.granted_by_reply((allowance.granted or 0) + 1)
        return super().to_backward(event, now)


@mutant(
    breaks="bidir.2.2.1.client-posts-receives-for-its-grant",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.3.both-directions-at-once",
            "bidir.1.3.4.xid-goes-with-the-msg-type",
            "bidir.2.1.",
            "bidir.2.2.1.client-posts-receives-again-after-reconnecting",
            "bidir.2.4.",
            "bidir.2.6.reply-has-the-calls-xid",
        ),
        "a message that comes when no forward Call is in flight finds no Receive",
    ),
)
class PostsReceivesForRepliesOnly(ClientDuplex):
    """Posts one Receive, which the Reply to its next forward Call needs."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return super().initial_receives[:1]


@mutant(breaks="bidir.2.2.1.each-forward-call-has-its-own-receive")
class LetsBackwardCallsTakeReceivesOfReplies(ClientDuplex):
    """Does not post a Receive again that a backward Call took while forward ones are in flight."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super().to_backward(event, now)
        if isinstance(self.forward, Requester) and self.forward.allowance.outstanding:
            return [action for action in actions if not isinstance(action, PostReceive)]
        return actions


@mutant(breaks="bidir.2.2.3.client-is-prepared-before-it-announces")
class IsPreparedBehindItsFirstReply(ClientDuplex):
    """Loses the backward Calls that come before the first Reply on a connection."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if isinstance(self.forward, Requester) and self.forward.allowance.granted is None:
            return [PostReceive.of(self.initial_receives[0])]
        return super().to_backward(event, now)


@mutant(
    breaks="bidir.2.1.receives-posted-before-sends",
    also_trips={
        "bidir.2.1.2.as-many-calls-as-granted-are-handled": (
            "the Receives that earlier Calls took are not there"
        )
    },
)
class PostsBackwardReceivesOnce(BackwardResponder):
    """Does not post a Receive again that a backward Call took."""

    def repost(self) -> list[Action]:
        return []


@mutant(breaks="bidir.2.1.2.values-may-differ")
class HangsUpOverModestRequests(ClientDuplex):
    """Ends the connection over a backward Call that requests one credit."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if fixed_words(event.data).credit == 1:
            return [Disconnect("one credit is not enough")]
        return super().to_backward(event, now)


@mutant(breaks="bidir.1.5.3.no-rdma-for-backward-transactions")
class ClearsChunksOfCallsThatItDrops(BackwardResponder):
    """Drops a backward Call with a Write list, and writes zeros to its memory."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        body = (
            decode_header(event.data)[0].rdma_body if fixed_words(event.data).version == 1 else None
        )
        if not isinstance(body, RdmaMsg) or not body.rdma_writes:
            return actions
        there = body.rdma_writes[0].target[0]
        write = Transfer(0, there.length, there.handle, there.offset)
        kept: list[Action] = [one for one in actions if isinstance(one, PostReceive)]
        return [*kept, RdmaWrite(0, bytes(there.length), (write,))]
