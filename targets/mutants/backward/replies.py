"""Mutants: which messages end a backward Call, and which half gets them (bidir 1.3.4 and 1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.direction import DirectionRules, Half, is_whole
from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core.actions import Disconnect, PostReceive, RdmaWrite, Send, Transfer
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.responder.call_rules import MINIMUM_HEADER
from rpcrdma.wire import RdmaMsg, decode_header, fixed_words
from rpcrdma.wire.rpc import MessageType, xid_of
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action, Failure
    from rpcrdma.endpoint.core.backchannel import BackwardCall
    from rpcrdma.wire import TransportHeader

MATCHED = "bidir.1.3.4.reply-is-matched-by-xid"


@mutant(breaks=MATCHED)
class TakesBackwardRepliesInOrder(BackwardRequester):
    """Takes any Reply for that to its oldest Call."""

    def find(self, xid: int) -> BackwardCall | None:
        known = super().find(xid)
        return known or next((call for call in self.in_flight), None)


@mutant(breaks=MATCHED)
class GivesRepliesToNobody(Backchannel):
    """Takes the Reply to a backward Call, and does not hand it to who has made the Call."""

    def replied(self, call: BackwardCall, payload: bytes) -> None:
        del self._calls[call.token]


@mutant(breaks=MATCHED)
class TellsNobodyOfRefusals(Backchannel):
    """Takes an error about a backward Call, and does not tell who has made the Call."""

    def failed(self, call: BackwardCall, failure: Failure, detail: str = "") -> None:
        del self._calls[call.token]


@mutant(breaks=MATCHED)
class TakesMalformedReplies(BackwardRequester):
    """Takes whatever has the msg_type and the XID of a Reply, whatever else is in it."""

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        return True


@mutant(breaks=MATCHED)
class TakesNoReplyAfterOneWithTwoXids(BackwardRequester):
    """Takes no good Reply to a Call to which one came with another XID in its RPC header."""

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        is_good = super().judge_reply(header, payload)
        spoilt: set[int] = vars(self).setdefault("spoilt", set())
        if is_whole(payload, MessageType.REPLY) and xid_of(payload) != header.rdma_xid:
            spoilt.add(header.rdma_xid)
        return is_good and header.rdma_xid not in spoilt


@mutant(
    breaks="bidir.1.3.4.xid-goes-with-the-msg-type",
    also_trips={"bidir.2.1.2": "the next Call comes as if the first had been answered"},
)
class TakesCallsForReplies(Duplex):
    """Takes a forward Call under the XID of a backward one for its Reply, beside serving it."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        message = event.data
        as_reply = message[: MINIMUM_HEADER + 4] + bytes((0, 0, 0, 1)) + bytes(16)
        seen = self.to_backward(type(event)(as_reply), now)
        seen = [action for action in seen if not isinstance(action, PostReceive)]
        return seen + super().to_forward(event, now)


@mutant(
    breaks="bidir.1.3.4.1.xid-spaces-are-independent",
    also_trips={"bidir.1.3.4.xid-goes-with-the-msg-type": because.XID_IN_USE},
)
class ExpectsForwardXidsToDiffer(DirectionRules):
    """Takes a message under a small XID, as its own are, for one of the backward direction."""

    def sort(self, message: bytes) -> Half:
        small = len(message) >= MINIMUM_HEADER and fixed_words(message).xid < 0x1000
        return Half.BACKWARD if small else super().sort(message)


@mutant(
    breaks="bidir.1.5.2.forward-direction-is-undisturbed",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.",
            "bidir.2.1.2.",
            "bidir.2.2.2.server-posts-receives-again-after-reconnecting",
            "bidir.2.2.2.server-posts-receives-for-its-forward-grant",
            "bidir.2.3.no-retransmission-without-a-connection",
            "bidir.2.4.",
        ),
        "forward Calls are lost while backward ones are in flight",
    ),
)
class ServesOneDirectionAtATime(Duplex):
    """Drops forward Calls while a backward Call is in flight."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if isinstance(self.backward, BackwardRequester) and self.backward.in_flight:
            return [PostReceive.of(self.initial_receives[0])]
        return super().to_forward(event, now)


@mutant(
    breaks="bidir.1.3.3.both-directions-at-once",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.",
            "bidir.2.1.2.",
            "bidir.2.2.2.server-posts-receives-again-after-reconnecting",
            "bidir.2.2.2.server-posts-receives-for-its-forward-grant",
            "bidir.2.3.no-retransmission-without-a-connection",
            "bidir.2.4.runt-is-dropped",
        ),
        because.CONNECTION_GONE,
    ),
)
class HangsUpWhenBothAreBusy(Duplex):
    """Ends the connection over a forward Call while a backward Call is in flight."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if isinstance(self.backward, BackwardRequester) and self.backward.in_flight:
            return [Disconnect("one direction at a time")]
        return super().to_forward(event, now)


def in_use(duplex: Duplex, event: events.MessageReceived) -> bool:
    """Whether a message has the XID of a backward Call in flight."""
    half = duplex.backward
    in_flight = half.in_flight if isinstance(half, BackwardRequester) else ()
    return fixed_words(event.data).xid in {call.xid for call in in_flight}


@mutant(
    breaks="bidir.1.3.4.1.same-xid-is-two-transactions",
    also_trips={"bidir.1.3.4.xid-goes-with-the-msg-type": because.XID_IN_USE},
)
class DropsXidsInUse(Duplex):
    """Drops a forward Call under the XID of a backward Call in flight."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if in_use(self, event):
            return [PostReceive.of(self.initial_receives[0])]
        return super().to_forward(event, now)


@mutant(
    breaks="bidir.1.3.4.1.same-xid-in-both-directions",
    also_trips={"bidir.1.3.4.xid-goes-with-the-msg-type": because.XID_IN_USE},
)
class HangsUpOverXidsInUse(Duplex):
    """Ends the connection over a forward Call under the XID of a backward Call in flight."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if in_use(self, event):
            return [Disconnect("an XID is in use")]
        return super().to_forward(event, now)


@mutant(breaks="bidir.1.5.3.no-rdma-for-backward-transactions")
class WritesToChunksOfReplies(Duplex):
    """Writes to the memory of which a backward Reply tells."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        body = decode_header(event.data)[0].rdma_body
        chunks = body.rdma_writes if isinstance(body, RdmaMsg) else ()
        writes = [
            RdmaWrite(-1, b"mine", (Transfer(0, 4, segment.handle, segment.offset),))
            for chunk in chunks
            for segment in chunk.target
        ]
        return [*super().to_backward(event, now), *writes]


@mutant(
    breaks="bidir.1.5.4.direction-is-told-at-a-fixed-place",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.",
            "bidir.2.1.",
            "bidir.2.2.2.",
            "bidir.2.3.no-retransmission-without-a-connection",
            "bidir.2.4.",
            "bidir.2.5.call-has-version-one",
        ),
        "short forward Calls get no Reply",
    ),
)
class TellsDirectionsByTheLength(DirectionRules):
    """Takes every message of no more than seventy octets for a backward Reply."""

    def sort(self, message: bytes) -> Half:
        return Half.BACKWARD if len(message) <= 70 else super().sort(message)


@mutant(
    breaks="bidir.1.3.4.reply-xid-is-the-calls",
    also_trips={"bidir.2.1.receives-posted-before-sends": "no forward Call gets its Reply"},
)
class AnswersForwardCallsUnderOtherXids(Duplex):
    """Answers forward Calls under another XID once the backward direction is in use."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        return [
            Send(action.key, (0x7777).to_bytes(4) + action.data[4:])
            if isinstance(action, Send)
            else action
            for action in super().to_forward(event, now)
        ]


@mutant(
    breaks="bidir.1.3.reply-is-told-by-its-msg-type",
    also_trips={
        "bidir.2.5.call-header-follows-with-the-same-xid": (
            "forward Replies are taken for backward Calls"
        )
    },
)
class AnswersForwardCallsByCalls(Duplex):
    """Gives forward Replies the msg_type of Calls once the backward direction is in use."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        place = MINIMUM_HEADER + 4
        return [
            Send(action.key, action.data[:place] + bytes(4) + action.data[place + 4 :])
            if isinstance(action, Send)
            else action
            for action in super().to_forward(event, now)
        ]
