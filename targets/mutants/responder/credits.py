"""Mutants: credits, Receives and how many calls are served at once (rfc8166 section 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import PostReceive, Send
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords

NEVER_ZERO = "rfc8166.3.3.1.grant-is-never-zero"
TRANSACTIONS = "rfc8166.3.3.1.credit-is-one-transaction"
SURVIVES = "rfc8166.4.5.5.rpc-survives-connection-loss"
UNBACKED = dict.fromkeys(
    (
        "bidir.2.2.2.",
        "rfc8166.2.2.2.reply-xid-is-the-calls",
        "rfc8166.3.3.1.credit-is-one-transaction",
        "rfc8166.3.3.1.receives-before-larger-grant",
    ),
    because.TOO_FEW_RECEIVES,
)
"""What breaks where all credits of such a grant are used."""


@mutant(
    breaks=NEVER_ZERO,
)
class GrantsZero(ReplyRules):
    """Grants no credit in any reply."""

    def grant(self, requested: int, posted: int) -> int:
        return 0


@mutant(breaks=NEVER_ZERO)
class GrantsZeroWhenAskedForZero(ReplyRules):
    """Grants as many credits as are requested, and so none if none are."""

    def grant(self, requested: int, posted: int) -> int:
        return min(requested, posted)


@mutant(breaks=NEVER_ZERO)
class GrantsNothingForTheLargestRequest(ReplyRules):
    """Adds one to the request in 32 bits, so that the largest one gets nothing."""

    def grant(self, requested: int, posted: int) -> int:
        return min((requested + 1) & 0xFFFFFFFF, posted)


@mutant(breaks="rfc8166.3.3.1.every-reply-grants-credits")
class ErrorsGrantNothing(ReplyRules):
    """Grants no credit in error messages."""

    def error_credit(self, words: FixedWords, posted: int) -> int:
        return 0


@mutant(
    breaks=TRANSACTIONS,
    also_trips=dict.fromkeys(
        (
            "bidir.2.1.receives-posted-before-sends",
            "bidir.2.2.2.server-posts-receives-for-its-forward-grant",
            SURVIVES,
            "rfc8166.3.5.receives-posted-and-large-enough",
            "rfc8166.4.5.bad-call-header-answered",
            "rfc8166.8.1.no-new-vulnerabilities",
        ),
        "no message after the first thirty-two is received, whatever its length",
    ),
)
class DoesNotPostReceivesAgain(Responder):
    """Never posts a Receive again once it was used."""

    def repost(self) -> list[Action]:
        return []


@mutant(breaks="rfc8166.3.3.3.receives-1024-octets")
class PostsShortReceives(Responder):
    """Posts Receives of 512 octets at first."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return (512,) * self.options.receives


@mutant(breaks="rfc8166.3.3.3.receives-1024-octets", versions=(1,))
class PostsShortReceivesLater(Responder):
    """Posts Receives of 512 octets in place of those that were used."""

    def repost(self) -> list[Action]:
        return [PostReceive.of(512)]


@mutant(breaks=TRANSACTIONS)
class TakesFourCallsAtOnce(Responder):
    """Closes the connection over the fifth call at a time, however many it has granted."""

    def judge_load(self, in_progress: int) -> None:
        if in_progress >= 4:
            raise FaultFound(Fault.TOO_MANY_CALLS)


@mutant(breaks=SURVIVES)
class DiesOfOverruns(Responder):
    """Dies when more calls are in progress than it has granted."""

    def judge_load(self, in_progress: int) -> None:
        if in_progress >= self.options.receives:
            raise RuntimeError("no slot for the call")


@mutant(
    breaks="rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.reply-xid-is-the-calls",
            "bidir.2.2.3.not-before-the-peer-is-prepared",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.3.1.",
            "rfc8166.4.2.4.responder-discards-error",
            "rfc8166.4.5.",
            "rfc8166.4.6.2.done-is-discarded",
        ),
        because.SECOND_COPY,
    ),
)
class AnswersTwice(Responder):
    """Sends every reply twice."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return [*super().transmit(writes, send), Send(send.key, send.data)]


@mutant(
    breaks=NEVER_ZERO,
    also_trips={
        "rfc8166.3.3.1.credit-value-is-not-a-countdown": "a count is what its grants are",
        "bidir.2.1.2": "the grants of forward calls change with each message",
    },
)
class CreditUnderflow(Responder):
    """Takes each answer off a count that nothing adds to, and grants the word that it wraps to."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        left = (self.options.receives - send.key) & 0xFFFFFFFF
        data = send.data[:8] + left.to_bytes(4) + send.data[12:]
        return super().transmit(writes, Send(send.key, data))


# -- what a grant says


@mutant(
    breaks="rfc8166.3.3.1.credits-travel-in-rdma-credit",
    also_trips=UNBACKED,
)
class SwapsOctetsOfGrants(ReplyRules):
    """Puts its largest grant into rdma_credit with the lowest octet first."""

    def grant(self, requested: int, posted: int) -> int:
        granted = super().grant(requested, posted)
        return granted if granted < posted else int.from_bytes(granted.to_bytes(4, "little"))


@mutant(
    breaks="rfc8166.4.2.3.reply-carries-granted-credits",
    also_trips=UNBACKED,
)
class GrantsWhatIsRequested(ReplyRules):
    """Grants whatever is requested, however few Receives there are."""

    def grant(self, requested: int, posted: int) -> int:
        return max(requested, 1)


@mutant(breaks="rfc8166.3.3.1.credit-value-is-not-a-countdown")
class CountsCreditsDown(ReplyRules):
    """Takes one off the grant with each reply."""

    def grant(self, requested: int, posted: int) -> int:
        left: int = vars(self).setdefault("left", posted)
        vars(self)["left"] = max(left - 1, 1)
        return min(left, super().grant(requested, posted))


@mutant(
    breaks="rfc8166.3.3.1.credit-values-may-change",
    also_trips=dict.fromkeys(
        (
            "bidir.2.2.2.server-posts-receives-for-its-forward-grant",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.3.1.",
            "rfc8166.4.2.4.responder-discards-error",
            "rfc8166.4.5.",
        ),
        "it closes before it grants anything, and over a request that is smaller than another",
    ),
)
class InsistsOnTheLargestRequest(ReplyRules):
    """Closes the connection on which fewer credits are requested than before."""

    def grant(self, requested: int, posted: int) -> int:
        largest: int = vars(self).setdefault("largest", requested)
        if requested < largest:
            raise FaultFound(Fault.TOO_MANY_CALLS)
        vars(self)["largest"] = requested
        return super().grant(requested, posted)


# -- the Receives after it


@mutant(
    breaks="rfc8166.3.3.1.receives-before-larger-grant",
    also_trips=dict.fromkeys(
        (
            "bidir.2.2.2",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.3.1.credit-is-one-transaction",
        ),
        "the Receives that it granted beyond eight are not there",
    ),
)
class PostsReceivesForEightCalls(Responder):
    """Posts eight Receives and grants as if there were more."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return super().initial_receives[:8]


@mutant(
    breaks="rfc8166.2.3.2.receives-posted-before-sends",
    also_trips={"bidir.2.2": "there are no Receives for backward replies either"},
)
class PostsReceivesOneByOne(Responder):
    """Posts a Receive when the one before it has been used, and no further ones."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return super().initial_receives[:1]


@mutant(
    breaks="rfc8166.3.5.receives-posted-and-large-enough",
    also_trips=dict.fromkeys(
        (
            "bidir.2.1.receives-posted-before-sends",
            "bidir.2.2.2.server-posts-receives-for-its-forward-grant",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.3.1.credit-is-one-transaction",
            "rfc8166.3.3.1.credit-value-is-not-a-countdown",
            SURVIVES,
        ),
        "after some sixty messages none is received any more",
    ),
)
class PostsEverySecondReceive(Responder):
    """Posts a Receive again for every second message only."""

    def repost(self) -> list[Action]:
        return super().repost() if self._last_key % 2 else []


@mutant(
    breaks="rfc8166.3.3.sender-respects-receive-resources",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.",
            "bidir.2.1.",
            "bidir.2.2.3.no-callback-to-legacy-clients",
            "bidir.2.3.no-retransmission-without-a-connection",
            "bidir.2.4.",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.3.1.",
            SURVIVES,
        ),
        because.SECOND_COPY,
    ),
)
class RepeatsEveryFourthMessage(Responder):
    """Sends every fourth reply twice, for which no Receive has to be there."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        again = [] if send.key % 4 else [Send(send.key, send.data)]
        return [*super().transmit(writes, send), *again]


@mutant(breaks="rfc8166.3.3.1.replies-in-any-order")
class AnswersTheOldestCall(Responder):
    """Takes every reply of its program for that of the oldest call in progress."""

    def _take_executing(self, xid: int, *, newest: bool = False) -> tuple[IncomingCall, bytes]:
        oldest = self._executing.oldest_xid
        return super()._take_executing(xid if oldest is None else oldest)
