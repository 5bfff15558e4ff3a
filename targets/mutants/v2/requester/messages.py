"""Mutants of the client: what it does about messages of Version Two (v2 sections 3.2, 4.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.backward.duplex import ClientDuplex
from rpcrdma.endpoint.core.actions import Disconnect, Failure, Send
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.faults import FaultFound
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.requester.outgoing import Phase
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.errors import DecodeError
from rpcrdma.wire import ErrChunk, Procedure, fixed_words, v2
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.versions import FIXED_WORDS
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.reply_parsing import Offer
    from rpcrdma.wire import RdmaError, RdmaMsg, RdmaNomsg

CLIENT: Final = ("requester",)
_RDMA_ERROR: Final = int(Procedure.RDMA_ERROR).to_bytes(4)
_INVAL_OPTION: Final = _RDMA_ERROR + int(v2.Rdma2ErrorCode.RDMA2_ERR_INVAL_OPTION).to_bytes(4)
_SHORTEST: Final = 28


def _is_two(message: bytes) -> bool:
    return len(message) >= TWO.header - 16 and fixed_words(message).version == TWO.number


def _bad_header(xid: int) -> Send:
    error = v2.Rdma2Header(xid, v2.VERSION, 1, v2.Rdma2Error(v2.ErrBadHeader()))
    return Send(0, v2.encode_header(error))


@mutant(
    breaks="v2.2.2.memory-is-fenced-when-complete",
    also_trips={"xcharext.3.2.": "what it never takes back is in use when a Reply invalidates it"},
)
class LeavesMemoryOfVersionTwoExposed(Requester):
    """Does not invalidate the memory of a call in Version Two."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        if self.options.dialect is TWO:
            for _, group in call.reads:
                for memory in group:
                    memory.safe = True
        return super()._end(call)


@mutant(breaks="v2.4.2.3.bad-reply-completes-nothing")
class IgnoresReadListsOfRepliesInTwo(Requester):
    """Does not mind a Read list in a reply of Version Two."""

    def _judge_lists(self, offer: Offer, body: RdmaMsg | RdmaNomsg) -> None:
        if self.options.dialect is TWO:
            body = msgspec.structs.replace(body, rdma_reads=())
        super()._judge_lists(offer, body)


@mutant(breaks="v2.4.2.3.requester-sends-no-other-error")
class AnswersBadReplies(Requester):
    """Answers a reply that it cannot use by BAD_HEADER."""

    def _judge(self, message: bytes) -> list[Action]:
        try:
            return super()._judge(message)
        except FaultFound:
            if not _is_two(message) or message[12:16] == _RDMA_ERROR:
                raise
            return [_bad_header(fixed_words(message).xid)]


@mutant(
    breaks="v2.4.2.3.errors-are-not-answered",
    also_trips={"v2.4.2.3.requester": "the answer is an error"},
)
class AnswersErrorsOfVersionTwo(Requester):
    """Answers an error that it does not know by BAD_HEADER."""

    def _judge(self, message: bytes) -> list[Action]:
        try:
            return super()._judge(message)
        except FaultFound:
            if not _is_two(message) or message[12:16] != _RDMA_ERROR:
                raise
            return [_bad_header(fixed_words(message).xid)]


@mutant(
    breaks="v2.4.2.3.undecodable-error-is-dropped",
    also_trips={"xcharext.3.1.receives-as-large-as-announced": because.CONNECTION_GONE},
)
class HangsUpOverUnknownErrorsInTwo(Requester):
    """Ends the connection when an error of Version Two has a code that it does not know."""

    def _judge(self, message: bytes) -> list[Action]:
        try:
            return super()._judge(message)
        except FaultFound:
            if not _is_two(message) or message[12:16] != _RDMA_ERROR:
                raise
            return [Disconnect("an unknown error")]


@mutant(breaks="rfc8166.4.5.undecodable-error-discarded")
class KnowsInvalOptionInEveryVersion(Requester):
    """Ends a call by RDMA2_ERR_INVAL_OPTION, whatever version the error is in."""

    def _judge(self, message: bytes) -> list[Action]:
        if message[12:] == _INVAL_OPTION and self.options.dialect is TWO:
            message = message[:4] + TWO.number.to_bytes(4) + message[8:]
        return super()._judge(message)


@mutant(breaks="v2.4.2.3.short-message-is-dropped")
class LooksIntoShortMessagesInTwo(Requester):
    """Ends the call whose XID a message of 16 to 27 octets begins with."""

    def _judge(self, message: bytes) -> list[Action]:
        words = fixed_words(message)
        call = self._calls.get(words.xid)
        is_short = len(message) < _SHORTEST and words.procedure != Procedure.RDMA_ERROR
        sent = call is not None and call.phase is Phase.SENT
        if call is None or not sent or not is_short or words.version != TWO.number:
            return super()._judge(message)
        self.allowance.give_back(call.sends)
        return self._fail(call, Failure.BAD_REPLY, "too short")


@mutant(
    breaks="v2.4.2.3.error-ends-the-rpc",
    also_trips={"v2.5.error": "a call that is not ended keeps its credit"},
)
class WaitsBehindErrorsInTwo(Requester):
    """Ignores BAD_HEADER, and goes on waiting for a reply."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        ignored = self.options.dialect is TWO and isinstance(body.error, ErrChunk)
        return [] if ignored else super()._refused(xid, body)


@mutant(breaks="v2.4.2.3.error-is-permanent")
class RepeatsRefusedCallsInTwo(Requester):
    """Sends a call again that was answered by BAD_HEADER."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        call = self._calls.get(xid)
        if call is None or self.options.dialect is not TWO or not isinstance(body.error, ErrChunk):
            return super()._refused(xid, body)
        return [Send(next(self._keys), call.message)]


@mutant(
    breaks="v2.4.2.3.short-message-is-dropped",
    also_trips={"xcharext.3.1.receives-as-large-as-announced": because.CONNECTION_GONE},
)
class HangsUpOverRepliesCutInTheFixedWords(ClientDuplex):
    """Ends the connection over a message of Version Two that has fewer than four words."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        says_two = event.data[4:8] == TWO.number.to_bytes(4)
        if says_two and len(event.data) < FIXED_WORDS:
            return [Disconnect("it has no procedure")]
        return super().drop(event)


@mutant(
    breaks="v2.4.2.2.errors-count-as-replies",
    also_trips=dict.fromkeys(
        (
            "v2.4.2.3.error-ends-the-rpc",
            "v2.5.error-lifts-no-limit",
        ),
        "an error that nobody takes ends no call",
    ),
)
class TakesErrorsForBackwardOnes(ClientDuplex):
    """Looks an error of Version Two up among the calls of the server."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        body = _body(event.data)
        if isinstance(body, v2.Rdma2Error) and isinstance(body.error, v2.ErrBadHeader):
            return self.drop(event)
        return super().to_forward(event, now)


@mutant(breaks="v2.4.2.3.wrong-direction-is-not-served")
class GoesByTheMessageTypeAlone(ClientDuplex):
    """Takes a reply for its own though its header says that it is a call."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        message = event.data
        is_plain = isinstance(_body(message), v2.Rdma2Msg)
        is_reply = message[36:40] == int(MessageType.REPLY).to_bytes(4)
        if is_plain and is_reply:
            return self._take_forward(event, now)
        return super().to_backward(event, now)


@mutant(breaks="v2.3.2.errors-keep-the-fixed-layout")
class WidensErrors(ClientDuplex):
    """Puts a direction word in front of the error code."""

    def _receive_any(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive_any(event, now)
        word = int(MessageType.REPLY).to_bytes(4)

        def widened(octets: bytes) -> bytes:
            return octets[:16] + word + octets[16:]

        return [_spoilt(action, widened) for action in actions]


@mutant(breaks="v2.4.2.1.error-has-no-payload")
class AppendsToErrorsOfVersionTwo(ClientDuplex):
    """Appends an octet string to its errors."""

    def _receive_any(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive_any(event, now)
        return [_spoilt(action, lambda octets: octets + b"why?") for action in actions]


@mutant(
    breaks="v2.3.2.xids-belong-to-a-direction",
    also_trips={
        "rfc8166.2.2.2.reply-retires-the-xid": "a response in parts has the XID of its call, too",
        "xcharext.4.2.": "a request may have the XID of a call, too",
    },
)
class EndsCallsByOptionalMessages(ClientDuplex):
    """Takes an optional message for the end of the call whose XID it has."""

    def _receive_any(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive_any(event, now)
        if not isinstance(_body(event.data), v2.Rdma2Optional):
            return actions
        requester = self.forward
        call = getattr(requester, "_calls", {}).get(fixed_words(event.data).xid)
        if call is None or not isinstance(requester, Requester):
            return actions
        requester.allowance.give_back(call.sends)
        return actions + requester._fail(call, Failure.BAD_REPLY, "")  # noqa: SLF001  # a mutant


@mutant(breaks="v2.3.2.credits-belong-to-a-direction", roles=CLIENT)
class TakesGrantsFromOptionalMessages(OptionalHalf):
    """Takes the credits of an optional message for a grant."""

    def take(self, message: bytes) -> list[Action]:
        requester = self._halves[0]
        if isinstance(requester, Requester):
            requester.allowance.granted_by_reply(fixed_words(message).credit)
        return super().take(message)


def _body(message: bytes) -> v2.Rdma2Body | None:
    """What a message of Version Two says; None for any other."""
    try:
        return v2.decode_header(message)[0].rdma_body if _is_two(message) else None
    except DecodeError:
        return None


def _spoilt(action: Action, spoil: Callable[[bytes], bytes]) -> Action:
    """A Send of an error, spoilt; anything else as it is."""
    if isinstance(action, Send) and isinstance(_body(action.data), v2.Rdma2Error):
        return Send(action.key, spoil(action.data))
    return action
