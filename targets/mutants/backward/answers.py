"""Mutants: a client's answers to backward Calls (bidir sections 2.1.2, 2.4 and 2.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.responder import (
    BackwardCallRules,
    BackwardReplyRules,
    BackwardResponder,
)
from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.responder.call_rules import MINIMUM_HEADER, CallRules
from rpcrdma.wire import RdmaSegment, ReadSegment, WriteChunk
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords, RdmaMsg, RdmaNomsg

LISTS = "bidir.2.6.reply-has-empty-lists"
SAME_XID = "bidir.2.6.reply-header-follows-with-the-same-xid"
SEGMENT = RdmaSegment(1, 64, 0)


@mutant(breaks="bidir.2.6.reply-has-version-one")
class AnswersBackwardCallsInVersionThree(BackwardReplyRules):
    """Answers backward Calls in version three."""

    def reply_version(self, call: IncomingCall) -> int:
        return 3


@mutant(
    breaks="bidir.2.6.reply-has-the-calls-xid",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.3.both-directions-at-once",
            "bidir.1.3.4.xid-goes-with-the-msg-type",
            "bidir.2.1.",
            "bidir.2.2.1.client-posts-receives-again-after-reconnecting",
            "bidir.2.2.3.client-is-prepared-before-it-announces",
            "bidir.2.4.",
        ),
        because.NO_BACKWARD_REPLY,
    ),
)
class AnswersBackwardCallsUnderAnotherXid(BackwardReplyRules):
    """Answers backward Calls under another XID in the transport header."""

    def reply_xid(self, call: IncomingCall) -> int:
        return call.xid ^ 0x100


@mutant(
    breaks="bidir.1.3.4.reply-xid-is-the-calls",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.",
            "bidir.2.1.",
            "bidir.2.2.",
            "bidir.2.4.",
            "bidir.2.6.reply-has-the-calls-xid",
        ),
        because.NO_BACKWARD_REPLY,
    ),
)
class AnswersBackwardCallsUnderTheNextXid(BackwardResponder):
    """Answers each backward Call under the XID that comes after its own, in both headers."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        xid = (int.from_bytes(send.data[:4]) + 1).to_bytes(4)
        message = send.data
        changed = xid + message[4:MINIMUM_HEADER] + xid + message[MINIMUM_HEADER + 4 :]
        return super().transmit(writes, Send(send.key, changed))


@mutant(breaks=SAME_XID)
class AnswersBackwardCallsWithTwoXids(BackwardResponder):
    """Puts another XID into the RPC header of a backward Reply."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        message = send.data
        changed = message[:MINIMUM_HEADER] + bytes(4) + message[MINIMUM_HEADER + 4 :]
        return super().transmit(writes, Send(send.key, changed))


@mutant(breaks="bidir.2.6.reply-msg-type")
class AnswersBackwardCallsByCalls(BackwardResponder):
    """Gives backward Replies the msg_type of Calls."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        place = MINIMUM_HEADER + 4
        changed = send.data[:place] + bytes(4) + send.data[place + 4 :]
        return super().transmit(writes, Send(send.key, changed))


@mutant(
    breaks="bidir.1.3.reply-is-told-by-its-msg-type",
    also_trips={"bidir.2.6.reply-msg-type": because.NO_BACKWARD_REPLY},
)
class AnswersBackwardCallsByAnUnknownType(BackwardResponder):
    """Gives backward Replies a msg_type that there is not."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        place = MINIMUM_HEADER + 4
        changed = send.data[:place] + (2).to_bytes(4) + send.data[place + 4 :]
        return super().transmit(writes, Send(send.key, changed))


@mutant(breaks="bidir.2.6.reply-is-rdma-msg")
class AnswersBackwardCallsByNomsg(BackwardResponder):
    """Answers backward Calls by Long Messages."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        changed = send.data[:12] + (1).to_bytes(4) + send.data[16:MINIMUM_HEADER]
        return super().transmit(writes, Send(send.key, changed))


@mutant(
    breaks=LISTS, also_trips={"bidir.2.4.no-larger": "with its list the largest Reply does not fit"}
)
class AnswersBackwardCallsWithReadList(BackwardReplyRules):
    """Answers backward Calls with a Read list."""

    def reply_reads(self, call: IncomingCall) -> tuple[ReadSegment, ...]:
        return (ReadSegment(24, SEGMENT),)


@mutant(
    breaks=LISTS, also_trips={"bidir.2.4.no-larger": "with its list the largest Reply does not fit"}
)
class AnswersBackwardCallsWithWriteList(BackwardReplyRules):
    """Answers backward Calls with a Write list."""

    def reply_writes(self, writes: Sequence[WriteChunk]) -> tuple[WriteChunk, ...]:
        return (WriteChunk((SEGMENT,)),)


@mutant(breaks="bidir.2.1.2.credit-is-never-zero")
class GrantsNoBackwardCredit(BackwardReplyRules):
    """Grants no credit in backward Replies."""

    def grant(self, requested: int, posted: int) -> int:
        return 0


@mutant(breaks="bidir.2.6.reply-carries-credits")
class GrantsNothingToTheModest(BackwardReplyRules):
    """Grants one backward credit less than is requested."""

    def grant(self, requested: int, posted: int) -> int:
        return min(requested - 1, posted)


@mutant(breaks="bidir.2.1.2.reply-grants-credits")
class GrantsNothingToTheGreedy(BackwardReplyRules):
    """Adds one to the backward credits requested in 32 bits, so that the largest gets nothing."""

    def grant(self, requested: int, posted: int) -> int:
        return min((requested + 1) & 0xFFFFFFFF, posted)


@mutant(
    breaks="bidir.2.1.2.backward-credits-work-like-forward-ones",
    also_trips={"bidir.2.1.2.credit-is-never-zero": "what is left to grant is nothing"},
)
class GrantsNothingTwice(BackwardReplyRules):
    """Takes off the backward credits requested what it has granted, and so grants none again."""

    def grant(self, requested: int, posted: int) -> int:
        return super().grant(requested, posted) - min(requested, posted)


@mutant(breaks="bidir.2.4.no-larger-than-the-receives")
class AnswersBackwardCallsHoweverLarge(BackwardReplyRules):
    """Sends backward Replies of any size."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return True


@mutant(breaks="bidir.1.5.4.backward-messages-fit-one-receive")
class CountsNoHeaderOfBackwardReplies(BackwardReplyRules):
    """Leaves the transport header out of the count when it decides whether a Reply fits."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return length - MINIMUM_HEADER <= threshold


@mutant(breaks="bidir.1.5.3.no-rdma-for-backward-transactions")
class ExecutesBackwardCallsWithChunks(BackwardCallRules):
    """Executes backward Calls whatever their lists are."""

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        return CallRules.take_short(self, words, body, payload, limit)


@mutant(breaks="bidir.1.5.3.no-rdma-for-backward-transactions")
class ExecutesBackwardLongCalls(BackwardCallRules):
    """Reads the Position-Zero Read chunk of a backward RDMA_NOMSG, and executes what is there."""

    def take_long(self, words: FixedWords, body: RdmaNomsg, limit: int) -> IncomingCall:
        return CallRules.take_long(self, words, body, limit)


@mutant(
    breaks="bidir.2.1.2.as-many-calls-as-granted-are-handled",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.3.both-directions-at-once",
            "bidir.2.2.1.",
        ),
        "one of the Calls gets no Reply",
    ),
)
class LeavesEveryFifthCallUnanswered(BackwardResponder):
    """Answers four backward Calls of five."""

    def execute(self, payload: bytes) -> list[bytes]:
        made = vars(self).setdefault("made", [])
        made.append(payload)
        return super().execute(payload) if len(made) % 5 else []
