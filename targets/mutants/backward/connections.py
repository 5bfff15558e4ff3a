"""Mutants: backward Calls, and connections that come and go (bidir sections 2.2.3 and 2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.responder.call_rules import MINIMUM_HEADER
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import backprog, testprog_calls
from rpcrdma.wire import RdmaDone, RdmaMsg, TransportHeader, encode_header
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.backchannel import BackwardCall, Carrier


def probe(xid: int) -> Send:
    """A backward NULL Call."""
    header = TransportHeader(xid, 1, 1, RdmaMsg((), (), None))
    return Send(-xid, encode_header(header) + testprog_calls.null(xid))


@mutant(
    breaks="bidir.2.2.3.not-before-the-peer-is-prepared",
    also_trips=dict.fromkeys(
        (
            "bidir.2.1.2.backward-calls-within-the-grant",
            "bidir.2.2.3.no-callback-to-legacy-clients",
            "bidir.2.3.",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
        ),
        because.NO_CALL_EXPECTED,
    ),
)
class ProbesEveryConnection(BackwardRequester):
    """Makes a backward NULL Call on each new connection, to see whether somebody answers."""

    def connected(self) -> list[Action]:
        return [probe(0x7FFF0001)]


@mutant(
    breaks="bidir.2.2.3.no-callback-before-the-session-operations",
    also_trips=dict.fromkeys(
        ("bidir.2.1.2.", "bidir.2.2.3.not-before-the-peer-is-prepared", "bidir.2.3."),
        "a Call comes that nobody asked for",
    ),
)
class ProbesWhoeverMakesItselfKnown(Responder):
    """Makes a backward NULL Call after each Reply to a client that names itself."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        actions = super().transmit(writes, send)
        if _is_about_a_client(send.data[MINIMUM_HEADER:]):
            actions.append(probe(0x7FFF0005))
        return actions


def _is_about_a_client(reply: bytes) -> bool:
    try:
        return len(reply) == _STATE_REPLY and backprog.decode_state(reply) is not None
    except DecodeError:
        return False


_STATE_REPLY = 40
"""Octets of a Reply that tells what has become of the Calls to a client."""


@mutant(
    breaks="bidir.2.2.3.server-does-not-go-on-sending",
    also_trips=dict.fromkeys(
        (
            "bidir.2.1.2.backward-calls-within-the-grant",
            "bidir.2.2.3.",
            "bidir.2.3.",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
        ),
        because.NO_CALL_EXPECTED,
    ),
)
class ProbesAgainAndAgain(BackwardRequester):
    """Makes a backward NULL Call on each connection but the first of its life."""

    lives: ClassVar[list[int]] = []

    def connected(self) -> list[Action]:
        self.lives.append(1)
        return [probe(0x7FFF0002)] if len(self.lives) > 1 else []


@mutant(
    breaks="bidir.2.3.retransmission-keeps-the-xid",
    also_trips={"bidir.2.2.2": "the Reply to what it repeats ends no Call, so that no other comes"},
)
class RepeatsUnderFreshXids(BackwardRequester):
    """Repeats a Call under another XID."""

    def frame(self, call: BackwardCall) -> bytes:
        carriers = vars(self._channel).setdefault("first_carriers", {})
        if carriers.setdefault(call.token, self) is self:
            return super().frame(call)
        xid = call.xid ^ 0x10000
        header = msgspec.structs.replace(self.header(call), rdma_xid=xid)
        return encode_header(header) + xid.to_bytes(4) + call.payload[4:]


@mutant(breaks="bidir.2.3.waits-indefinitely")
class ForgetsWhatWasLost(Backchannel):
    """Forgets the Calls that a lost connection carried."""

    def take_back(self, carrier: Carrier) -> None:
        pass


@mutant(
    breaks="bidir.2.3.no-retransmission-without-a-connection",
    also_trips=dict.fromkeys(
        (
            "bidir.2.1.2.backward-calls-within-the-grant",
            "bidir.2.2.2.server-posts-receives-for-its-forward-grant",
            "bidir.2.3.retransmission-keeps-the-xid",
        ),
        "a Call comes that nobody has a credit or a use for",
    ),
)
class RepeatsAtOnce(BackwardRequester):
    """Sends every backward Call twice."""

    def behind(self, message: bytes) -> list[Action]:
        return [Send(-1, message)]


@mutant(
    breaks="bidir.2.2.2.server-posts-receives-again-after-reconnecting",
    also_trips=dict.fromkeys(
        ("bidir.2.2.2.server-posts-receives-for-its-forward-grant", "rfc8166.3.3.1."),
        "fewer forward Calls are received than were granted",
    ),
)
class PostsFewReceivesOnLaterConnections(Responder):
    """Posts two Receives on each connection but the first of its life."""

    lives: ClassVar[list[int]] = []

    @property
    def initial_receives(self) -> tuple[int, ...]:
        self.lives.append(1)
        receives = self.options.receives if len(self.lives) < 3 else 2
        return (self.options.thresholds.call,) * receives


@mutant(
    breaks="bidir.1.5.1.interoperates-without-support",
    also_trips={
        "rfc8166.4.6.2.done-is-not-sent": (
            "nobody expects such a message as the first of a connection"
        )
    },
)
class GreetsEveryConnection(BackwardRequester):
    """Sends an RDMA_DONE on each new connection, to see whether anybody objects."""

    def connected(self) -> list[Action]:
        return [Send(-1, encode_header(TransportHeader(0x7FFF0003, 1, 1, RdmaDone())))]


@mutant(
    breaks="bidir.2.2.3.no-callback-to-legacy-clients",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.reply-xid-is-the-calls",
            "bidir.2.1.2.backward-calls-within-the-grant",
            "bidir.2.2.3.not-before-the-peer-is-prepared",
            "bidir.2.3.",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.3.1.",
            "rfc8166.4.2.4.responder-discards-error",
            "rfc8166.4.5.",
            "rfc8166.4.6.2.done-is-discarded",
        ),
        "a Call comes among the Replies",
    ),
)
class CallsBackBehindEachReply(Responder):
    """Makes a backward NULL Call after each forward Reply."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return [*super().transmit(writes, send), probe(0x7FFF0004)]
