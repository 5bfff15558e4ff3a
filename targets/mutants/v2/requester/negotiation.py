"""Mutants of the client: which version it speaks, and when (v2 section 5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import CallFailed, Disconnect, Failure, PostReceive, Send
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.negotiation.client import NegotiatingClient
from rpcrdma.endpoint.negotiation.table import NegotiationState, Signal
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import ErrVers, Procedure, fixed_words, v2
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action, Deliver
    from rpcrdma.wire import RdmaError

UNUSABLE: Final = "v2.5.2.unusable-range-ends-the-rpc"
PICKED: Final = "v2.5.2.version-is-picked-from-the-range"
_XID: Final = 0x50770001
"""Of messages that go out too early; nothing else has it."""

_LENGTH: Final = 4096
_ERR_VERS: Final = 28
"""Octets of an ERR_VERS."""


def _announcement() -> Send:
    """A CONNPROP without properties."""
    body = encode_option(MessageType.CALL, ConnProp((), ()))
    return Send(0, v2.encode_header(v2.Rdma2Header(_XID, v2.VERSION, 1, body)))


def _refused_range(message: bytes) -> ErrVers | None:
    """The range of an ERR_VERS in Version Two."""
    if len(message) != _ERR_VERS or message[4:8] != _TWO or message[12:20] != _CODE:
        return None
    body = v2.decode_header(message)[0].rdma_body
    error = body.error if isinstance(body, v2.Rdma2Error) else None
    return error if isinstance(error, ErrVers) else None


@mutant(breaks="v2.5.first-message-has-version-two")
class OffersNothingByLongCalls(NegotiatingClient):
    """Begins a connection in Version One when its first call is a long one."""

    def _request(self, event: events.CallRequested, now: float) -> list[Action]:
        is_first = self.negotiation.state is NegotiationState.FRESH
        if is_first and len(event.payload) > ONE.threshold:
            self.negotiation.state = NegotiationState.ONE
            self._dialect = ONE
            self.role, self._requester = self._make(ONE)
        return super()._request(event, now)


@mutant(
    breaks="v2.5.first-message-fits-1024-octets",
    also_trips={"xcharext.3.1.": "so it does where the server has told of shorter Receives"},
)
class SendsLongFirstMessages(CallPlanner):
    """Sends up to 4096 octets inline in Version Two before the server has answered."""

    @property
    def threshold(self) -> int:
        return max(self.send_limit, self._options.dialect.threshold)


@mutant(breaks="v2.5.one-message-until-the-first-answer")
class AnnouncesBesideItsOffer(NegotiatingClient):
    """Sends a CONNPROP right after its first Call, before that is answered."""

    def _request(self, event: events.CallRequested, now: float) -> list[Action]:
        is_first = self.negotiation.state is NegotiationState.FRESH
        actions = super()._request(event, now)
        return [*actions, _announcement()] if is_first else actions


@mutant(breaks="v2.5.error-lifts-no-limit")
class TakesGrantsFromErrors(Requester):
    """Takes the credits of an error in Version Two for a grant."""

    def _judge(self, message: bytes) -> list[Action]:
        words = fixed_words(message)
        if self.options.dialect is TWO and words.procedure == Procedure.RDMA_ERROR:
            self.allowance.granted_by_reply(words.credit)
        return super()._judge(message)


@mutant(breaks="v2.5.calls-within-the-grant")
class NeverGivesBackCreditsInTwo(Requester):
    """Does not let its limit shrink in Version Two."""

    def _judge(self, message: bytes) -> list[Action]:
        before = self.allowance.granted
        actions = super()._judge(message)
        if self.options.dialect is TWO and before is not None:
            self.allowance.granted_by_reply(max(before, self.allowance.granted or 1))
        return actions


@mutant(breaks=PICKED)
class TakesTheHighestVersionOffered(NegotiatingClient):
    """Goes on in the highest version of the range, though it be none of its own."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        versions = _refused_range(event.data)
        offering = self.negotiation.state is NegotiationState.OFFERING
        if not offering or versions is None or versions.rdma_vers_high <= TWO.number:
            return super()._receive(event, now)
        call = self._requester._calls[fixed_words(event.data).xid]  # noqa: SLF001  # a mutant
        high = versions.rdma_vers_high.to_bytes(4)
        again = Send(0, call.message[:4] + high + call.message[8:])
        return [PostReceive.of(_LENGTH), again]


@mutant(
    breaks="v2.5.2.picked-version-is-used-from-then-on",
    also_trips={"v2.5.one": "it goes beside the call that is made again"},
)
class AnnouncesAfterFallingBack(NegotiatingClient):
    """Sends a CONNPROP, which only Version Two has, once it has gone back to Version One."""

    def _fall_back(self, offer: events.CallRequested | None, now: float) -> list[Action]:
        return [*super()._fall_back(offer, now), _announcement()]


@mutant(breaks="v2.4.2.3.error-ends-the-rpc")
class FallsBackOverWhatIsNoAnswer(NegotiatingClient):
    """Takes ERR_VERS for the answer to its offer, whatever XID it has."""

    def _signal(self, message: bytes) -> Signal | None:
        refused = _refused_range(message)
        if refused is None:
            return super()._signal(message)
        return self.negotiation.rules.choose(refused)


@mutant(breaks="v2.5.2.threshold-changes-keep-the-connection")
class HangsUpOnceItHasFallenBack(NegotiatingClient):
    """Goes on in Version One, and ends the connection at once."""

    def _fall_back(self, offer: events.CallRequested | None, now: float) -> list[Action]:
        return [*super()._fall_back(offer, now), Disconnect("the lengths of messages change")]


@mutant(breaks="v2.5.2.thresholds-follow-the-version")
class KeepsItsLengthsWhenItFallsBack(NegotiatingClient):
    """Goes on sending up to 4096 octets in Version One after a fall back."""

    def _fall_back(self, offer: events.CallRequested | None, now: float) -> list[Action]:
        actions = super()._fall_back(offer, now)
        self._requester._planner.send_limit = TWO.threshold  # noqa: SLF001  # a mutant
        return actions


@mutant(breaks=UNUSABLE)
class OffersVersionTwoForEver(NegotiatingClient):
    """Offers Version Two again to a server whose range has no version of its own."""

    def _offer_ended(self, offer: events.CallRequested, ended: Deliver, now: float) -> list[Action]:
        failure = ended.event.failure if isinstance(ended.event, CallFailed) else None
        if failure is not Failure.REFUSED_VERSION or (
            self.negotiation.state is not NegotiationState.NONE
        ):
            return super()._offer_ended(offer, ended, now)
        self.negotiation.state = NegotiationState.FRESH
        return self._request(offer, now)


@mutant(breaks=UNUSABLE)
class WaitsBehindInvertedRanges(NegotiatingClient):
    """Goes on waiting when the range of an ERR_VERS is inverted."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        versions = _refused_range(event.data)
        if versions is None or versions.rdma_vers_low <= versions.rdma_vers_high:
            return super()._receive(event, now)
        return [PostReceive.of(_LENGTH)]


@mutant(breaks=UNUSABLE)
class RepeatsCallsThatAreSentBackLater(Requester):
    """Sends a Call of Version Two again when ERR_VERS answers it in mid-connection."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        call = self._calls.get(xid)
        settled = self.options.dialect is TWO and self.allowance.granted is not None
        if call is None or not settled or not isinstance(body.error, ErrVers):
            return super()._refused(xid, body)
        return [Send(next(self._keys), call.message)]


@mutant(breaks="v2.4.2.3.undecodable-error-is-dropped")
class FallsBackOnHalfRanges(NegotiatingClient):
    """Takes an ERR_VERS that is cut for one with the range 1..1."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        message = event.data
        is_cut = _LEAST <= len(message) < _ERR_VERS and message[12:_LEAST] == _CODE
        if not is_cut:
            return super()._receive(event, now)
        whole = message[:_LEAST] + (1).to_bytes(4) + (1).to_bytes(4)
        return super()._receive(replace(event, data=whole), now)


_LEAST: Final = 20
_TWO: Final = TWO.number.to_bytes(4)
_CODE: Final = int(Procedure.RDMA_ERROR).to_bytes(4) + (1).to_bytes(4)


@mutant(breaks=PICKED)
class ForgetsItsOfferWithTheCall(NegotiatingClient):
    """Does not fall back when the Call is given up that was the offer."""

    def _fall_back(self, offer: events.CallRequested | None, now: float) -> list[Action]:
        return [] if offer is None else super()._fall_back(offer, now)
