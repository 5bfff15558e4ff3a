"""The tester before a server, in a case about transport properties.

See `conformance.options.tester` for what is promised.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from conformance import verify
from conformance.options.tester import Heard, OptionTester
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    InvalidOption,
    OptionReceived,
    Silent,
)
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.client import build, message, mutate
from conformance.tester.sent import Request
from conformance.tester.server.options import REFUSAL
from conformance.verify import accepted
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import propprog, rpc
from rpcrdma.ulp.propprog import PropertyProgram
from rpcrdma.wire import v2
from rpcrdma.wire.properties import ReceiveBufferSize, RequesterRemoteInvalidation
from rpcrdma.wire.rpc import MessageType
from targets.base import Unsupported
from targets.profile import Binding

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.outcome import Outcome
    from conformance.tester.case import CaseLog
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Message
    from conformance.verify.accepted import Statuses
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import Property
    from targets.profile import Profile

__all__ = ["RECEIVE_LENGTH", "OptionClient"]

RECEIVE_LENGTH: Final = 65536
"""Octets of the tester's Receives: what is too long must be seen, not lost with the connection."""

REPLY_OF_NOTHING: Final = 64
"""Octets of an inline Reply to LONG_REPLY without its text: both headers, a length, a word."""


HELD: Final = 0x51
"""Token of the call that the device holds."""


@dataclass(slots=True)
class OptionClient(OptionTester):
    """The tester, on a connection on which a Call of Version Two was just answered.

    Attributes:
        peer: its end.
        connect: makes another connection.
    """

    peer: Peer
    connect: Callable[..., Peer]
    role: str = "responder"
    heard: list[Heard] = field(default_factory=list)
    replies: list[int] = field(default_factory=list)
    _read: int = 0
    _sent: dict[int, Message] = field(default_factory=dict)

    @classmethod
    def of(cls, connect: Callable[..., Peer]) -> OptionClient:
        """The tester on a new connection.

        Raises:
            Deviation: the first Call is not answered.
        """
        tester = cls(connect(receive_length=RECEIVE_LENGTH), connect)
        call = build.null_call(tester.peer)
        tester.peer.send(call)
        verify.served(tester.peer, call)
        return tester

    @override
    def again(self) -> OptionClient:
        self.peer.disconnect()
        return OptionClient.of(self.connect)

    @property
    @override
    def profile(self) -> Profile:
        return self.peer.profile

    @property
    @override
    def case(self) -> CaseLog:
        return self.peer.case

    @property
    @override
    def connected(self) -> bool:
        return self.peer.connected

    @property
    @override
    def credits(self) -> int:
        return self.peer.granted

    # -- operations

    @override
    def send(
        self,
        option: Option | v2.Rdma2Optional,
        direction: MessageType = MessageType.CALL,
        *,
        xid: int | None = None,
        behind: bytes = b"",
    ) -> int:
        sent = message.option(self.peer, option, direction=direction, xid=xid, behind=behind)
        self._sent[sent.xid] = sent
        self.peer.send(sent)
        return sent.xid

    @override
    def note_accepted(
        self,
        xid: int,
        *allowed: type[Outcome],
        tolerated: tuple[type[Outcome], ...] = (),
        breaks: tuple[str, ...] = (),
    ) -> None:
        accepted.note(self.peer, self._sent[xid], allowed, tolerated, breaks=breaks)

    @override
    def refuse(self, message_: Heard, error: v2.Rdma2ErrorBody = REFUSAL) -> None:
        self.peer.send(message.error(self.peer, error, xid=message_.xid))

    @override
    def runt(self, octets: int) -> None:
        cut = mutate.truncate(build.null_call(self.peer), octets)
        accepted.note(self.peer, cut, (Silent,))
        self.peer.send(cut)

    # -- RPCs

    @override
    def call(self, breaks: tuple[str, ...] = ()) -> None:
        call = build.small_call(self.peer)
        self.peer.send(call)
        verify.right(self.peer, call, self._answer_to((call,), breaks)[0], breaks=breaks)

    def send_within_call(self, option: Option, breaks: tuple[str, ...] = ()) -> int:
        """The device holds the call until another releases it."""
        verify.granted.require(self.peer, 2)
        held = build.short(self.peer, self.peer.workload.hold(HELD))
        self.peer.send(held)
        xid = self.send(option, xid=held.xid)
        release = build.short(self.peer, self.peer.workload.release(HELD))
        self.peer.send(release)
        self._answer_to((held, release), breaks, accepted.ANY)
        return xid

    @override
    def quiet(self, until: Callable[[], bool] | None = None) -> None:
        self._note()
        while True:
            overdue = until is not None and not until()
            end = self.profile.deadline if overdue else self.profile.grace
            outcome = self.peer.receive(end)
            if isinstance(outcome, Disconnected | Silent):
                self._note()
                return
            self._aside(outcome)

    @override
    def longest(self, octets: int, breaks: tuple[str, ...] = ()) -> int:
        request = self.peer.workload.long_reply(octets - REPLY_OF_NOTHING)
        call = build.long_reply(self.peer, request)
        self.peer.send(call)
        (answer,) = self._answer_to((call,), breaks)
        verify.right(self.peer, call, answer, breaks=breaks)
        return answer.length

    @override
    def attempt(self, octets: int) -> int:
        request = self.peer.workload.long_reply(octets - REPLY_OF_NOTHING)
        call = build.long_reply(self.peer, request)
        kinds = (Answered, ErrChunk, Silent, Disconnected)
        accepted.note(self.peer, call, kinds, statuses=accepted.SERVED)
        self.peer.send(call)
        outcome = self.peer.receive()
        if isinstance(outcome, Answered | ErrChunk):
            return outcome.length
        self._aside(outcome)
        return 0

    @override
    def deliver(self, octets: int, count: int = 1, breaks: tuple[str, ...] = ()) -> None:
        empty = build.short(self.peer, self.peer.workload.long_call(0))
        request = self.peer.workload.long_call(octets - len(empty.octets))
        while count > 0:
            # rfc8166 3.3.1: a device has Receives for no more than it grants, and never for none.
            together = max(1, min(count, self.peer.granted))
            calls = tuple(build.short(self.peer, request) for _ in range(together))
            for call in calls:
                self.peer.send(call)
            for call, answer in zip(calls, self._answer_to(calls, breaks), strict=True):
                verify.right(self.peer, call, answer, breaks=breaks)
            count -= together

    def _answer_to(
        self,
        calls: tuple[Call, ...],
        breaks: tuple[str, ...],
        statuses: Statuses = accepted.SERVED,
    ) -> tuple[Answered, ...]:
        """The Replies to some Calls, in the order of the Calls; operations are put aside.

        `statuses` are those that the caller accepts.
        """
        for call in calls:
            accepted.note(self.peer, call, (Answered,), (), statuses, breaks)
        found: dict[int, Answered] = {}
        while len(found) < len(calls):
            outcome = self.peer.receive()
            if isinstance(outcome, Answered) and outcome.xid in {call.xid for call in calls}:
                found[outcome.xid] = outcome
            elif isinstance(outcome, Silent | Disconnected) or not self._aside(outcome):
                raise Deviation(
                    f"A good call was not answered: {outcome}.",
                    expected=(f"a reply to each of {len(calls)} calls",),
                    actual=str(outcome),
                    breaks=verify.blamed(outcome, self.peer.version, breaks),
                    unanswered=True,
                )
        self._note()
        return tuple(found[call.xid] for call in calls)

    def _aside(self, outcome: Outcome) -> bool:
        """Note what is no RPC; returns whether it is none."""
        match outcome:
            case OptionReceived(direction=MessageType.CALL):
                pass  # noted by way of `Peer.options`
            case OptionReceived():
                self.heard.append(_heard(outcome))
            case InvalidOption(header=header, length=length):
                self.heard.append(_error(header, length))
            case ErrChunk(two=v2.Rdma2Header() as header, length=length):
                self.heard.append(_error(header, length))
            case Answered(xid=xid, two=v2.Rdma2Header()):
                self.replies.append(xid)
            case _:
                return False
        return True

    def _note(self) -> None:
        """Note what the device has begun since the last time."""
        self.heard += [
            _heard(one)
            for one in self.peer.options[self._read :]
            if one.direction is MessageType.CALL
        ]
        self._read = len(self.peer.options)

    # -- what the device is told to do

    @override
    def ask_size(self, octets: int) -> None:
        self._tell("PROPERTY_ASK", propprog.ask, ReceiveBufferSize(octets))

    @override
    def ask_invalidation(self) -> None:
        self._tell("PROPERTY_ASK", propprog.ask, RequesterRemoteInvalidation(allowed=False))

    @override
    def change_size(self, octets: int, breaks: tuple[str, ...] = ()) -> None:
        self._tell("PROPERTY_CHANGE", propprog.change, ReceiveBufferSize(octets), breaks)

    def _tell(
        self,
        title: str,
        encode: Callable[..., bytes],
        value: Property,
        breaks: tuple[str, ...] = (),
    ) -> None:
        if self.profile.binding is not Binding.TESTPROG:
            raise Unsupported("a server of this binding cannot be told to see to its properties")
        request = Request(title, lambda xid: encode(xid, value), _done, PropertyProgram(_Nobody()))
        call = build.short(self.peer, request)
        self.peer.send(call)
        (answer,) = self._answer_to((call,), breaks, accepted.ANY)
        reply = verify.reply_of(call, answer)
        if not reply.rpc.succeeded:
            raise Inconclusive(f"the server cannot be told to: {reply.rpc.outcome.value}")
        # What it begins goes out after the reply, and so comes before the next one.
        self.call(breaks)


class _Nobody:
    """The service of a program that executes nothing, since it is asked about bindings only."""

    def ask(self, *wanted: Property) -> None:
        raise NotImplementedError(f"nobody asks for {wanted}")

    def change(self, *values: Property) -> None:
        raise NotImplementedError(f"nobody changes {values}")


def _done(_call: bytes, reply: bytes) -> str:
    try:
        return "" if rpc.decode_reply(reply)[0].succeeded else "the device refused it"
    except DecodeError as error:
        return f"the reply cannot be decoded: {error}"


def _heard(outcome: OptionReceived) -> Heard:
    problem = "" if outcome.error is None else str(outcome.error)
    return Heard(
        outcome.xid,
        outcome.credits,
        outcome.direction,
        outcome.option,
        None,
        problem,
        outcome.payload,
        outcome.length,
    )


def _error(header: v2.Rdma2Header, length: int) -> Heard:
    body = header.rdma_body
    error = body.error if isinstance(body, v2.Rdma2Error) else None
    credit = header.rdma_credit
    return Heard(header.rdma_xid, credit, MessageType.REPLY, error=error, length=length)
