"""Mutants of the client: how it puts replies together (rfc8166 sections 2.2.4.2, 3.4 and 3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.requester.outgoing import Phase
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import RdmaNomsg
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action, ApplicationEvent
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.wire import TransportHeader

WORD: Final = 4


def _placed(call: OutgoingCall) -> int:
    """How many octets of results are in the Write chunks of an answered call."""
    return sum(memory.returned for chunk in call.writes for memory in chunk)


_SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"

_USELESS: Final = dict.fromkeys(
    (
        "bidir.1.3.3.both-directions-at-once",
        "rfc8166.2.2.3.requester-opens-the-connection",
        "rfc8166.3.2.one-rpc-message-each",
        "rfc8166.3.3.sender-respects-receive-resources",
        "rfc8166.3.4.",
        "rfc8166.4.2.",
        "rfc8166.4.3.",
        _SURVIVES,
        "rfc8166.4.7.empty-read-list-encoding",
        "rfc8166.4.header-is-xdr",
        "rfc8166.6.1.binding-limits-chunks",
        "rfc8166.6.2.",
        "rfc8166.8.1.",
        "rfc8166.9.program-numbers-are-unchanged",
    ),
    because.NO_USE,
)
"""Acts fail wherever a placed result is decoded wrongly."""


@mutant(
    breaks="rfc8166.2.2.4.2.roundup-stays-below-the-ulp",
    also_trips={
        "rfc8166.8.2.2.": because.UNDER_GSS,
        "rfc8166.3.4.6.1.results-reassembled-in-array-order": because.NO_USE,
        "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream": because.NO_USE,
        "rfc8166.4.3.2.1.reply-tells-which-chunk-is-which": because.NO_USE,
    },
)
class HandsUpPadding(Requester):
    """Hands a placed result up to the application together with its padding."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        outcome = super()._outcome(call)
        placed = _placed(call)
        if not placed or not isinstance(outcome, ReplyReceived):
            return outcome
        padded = placed + -placed % WORD
        start = len(outcome.payload) - padded
        count = padded.to_bytes(WORD, "big")
        reply = outcome.payload[: start - WORD] + count + outcome.payload[start:]
        return ReplyReceived(call.token, reply)


@mutant(
    breaks="rfc8166.3.4.1.placed-items-are-skipped-in-decoding",
    also_trips={**_USELESS, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class DecodesOverPlacedItems(Requester):
    """Decodes a reduced reply as if nothing had been taken out of it."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        outcome = super()._outcome(call)
        return ReplyReceived(call.token, call.inline) if _placed(call) else outcome


@mutant(breaks="rfc8166.3.4.6.1.results-reassembled-in-array-order")
class JoinsResultsBackwards(Requester):
    """Joins the segments of a Write chunk from the last to the first."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        for chunk in call.writes:
            parts = [memory.data for memory in reversed(chunk)]
            for memory, data in zip(chunk, parts, strict=True):
                memory.data = data
        return super()._outcome(call)


@mutant(
    breaks="rfc8166.3.4.4.chunk-length-is-the-sum",
    also_trips={
        "rfc8166.3.4.3.header-describes-the-memory": because.NO_USE,
        "rfc8166.3.4.6.1.results-reassembled-in-array-order": because.NO_USE,
        "rfc8166.3.4.6.write-segments-have-no-position": because.NO_USE,
    },
)
class TakesTheFirstSegmentForTheChunk(Requester):
    """Takes the first segment of a returned Write chunk for the whole of it."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        for chunk in call.writes:
            for memory in chunk[1:]:
                memory.data = b""
        return super()._outcome(call)


@mutant(
    breaks="rfc8166.3.4.3.reduction-is-the-senders-choice",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.6.1.results-reassembled-in-array-order",
            "rfc8166.4.3.2.3.inline-results-may-need-a-long-reply",
            "rfc8166.4.header-is-xdr",
            "rfc8166.4.3.2.1.reply-tells-which-chunk-is-which",
            "rfc8166.8.2.2.",
        ),
        because.NO_USE,
    ),
)
class TakesPlacedResultsOnly(Requester):
    """Does not take a result that may be reduced when it stands in the reply."""

    def _take_plain_reply(self, header: TransportHeader, message: bytes) -> list[Action] | None:
        call = self._calls.get(header.rdma_xid)
        if call is None or not call.slots or call.phase is not Phase.SENT:
            return super()._take_plain_reply(header, message)
        self.allowance.give_back(call.sends)
        return self._fail(call, Failure.BAD_REPLY, "not reduced") + self._send_queued()


@mutant(
    breaks="rfc8166.3.5.2.some-or-all-items-reduced",
    also_trips={
        **{one: why for one, why in _USELESS.items() if one != _SURVIVES},
        "rfc8166.3.3.3.1024-octets-unless-known": because.NO_USE,
        "rfc8166.8.2.2.": because.UNDER_GSS,
    },
)
class TakesNoPlacedResults(Requester):
    """Does not take a result that was placed in its memory."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        if _placed(call):
            return CallFailed(call.token, Failure.BAD_REPLY, "reduced")
        return super()._outcome(call)


@mutant(breaks="rfc8166.6.1.reduced-ineligible-result-ends-the-rpc")
class PassesOverOctetsOfNoResult(Requester):
    """Passes over what is in the last Write chunks where the reply has no result for them."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        outcome = super()._outcome(call)
        for chunk in reversed(call.writes):
            if not isinstance(outcome, CallFailed) or "of no result" not in outcome.detail:
                break
            for memory in chunk:
                memory.data = b""
            outcome = super()._outcome(call)
        return outcome


@mutant(
    breaks="rfc8166.3.5.3.any-item-in-a-long-message",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.4.any-endpoint-sends-msg-and-nomsg",
            "rfc8166.4.header-is-xdr",
            "rfc8166.6.2.",
            "rfc8166.8.1.3.invalidated-when-complete",
            "rfc8166.8.2.2.",
        ),
        because.NO_USE,
    ),
)
class TakesNoLongReplies(Requester):
    """Does not take a Long Reply, since nothing in it may be reduced."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        if isinstance(call.answer, RdmaNomsg):
            return CallFailed(call.token, Failure.BAD_REPLY, "not eligible")
        return super()._outcome(call)
