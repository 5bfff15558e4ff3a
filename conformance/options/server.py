"""The tester before a client, in a case about transport properties.

See `conformance.options.tester` for what is promised.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from conformance import verify
from conformance.options.tester import Heard, OptionTester
from conformance.oracle.header import is_two
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server.options import REFUSAL, encode_two
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.operations import UpdProp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.versions import FIXED_WORDS
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.outcome import Outcome
    from conformance.tester.case import CaseLog
    from conformance.tester.server import Line, ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.server.options import ReceivedOption
    from rpcrdma.wire.optional import Option
    from targets.base import RunningAct
    from targets.profile import Profile

__all__ = ["OptionServer"]

CALL_OF_NOTHING: Final = 76
"""Octets of an inline LONG_CALL without its text: both headers and a length."""

REPLY_OF_NOTHING: Final = 64
"""The same of a Reply to LONG_REPLY."""


RECEIVE_LENGTH: Final = 65536
"""Octets of the tester's Receives: what is too long must be seen, not lost with the connection."""

UNUSED: Final = 1024
"""Octets by which a Reply chunk may lengthen the header of an inline Reply."""


@dataclass(slots=True)
class OptionServer(OptionTester):
    """The tester, on a connection on which it has answered a Call of Version Two.

    Attributes:
        service: where the client is.
        client: which.
        line: the connection.
    """

    service: Service
    client: ActingClient
    line: Line
    role: str = "requester"
    heard: list[Heard] = field(default_factory=list)
    replies: list[int] = field(default_factory=list)
    _read: int = 0
    _in_flight: int = sys.maxsize

    @classmethod
    def of(cls, service: Service, client: ActingClient) -> OptionServer:
        """The tester on a new connection, which takes messages of any size."""
        service.welcome = replace(service.welcome, receive_length=RECEIVE_LENGTH)
        earlier = len(service.options.messages)
        service.drop()
        verify.calls.done(client.serve_good_act())
        tester = cls(service, client, service.line, _read=earlier)
        service.divert = tester._divert
        tester._note()
        return tester

    @override
    def again(self) -> OptionServer:
        return OptionServer.of(self.service, self.client)

    @property
    @override
    def profile(self) -> Profile:
        return self.service.profile

    @property
    @override
    def case(self) -> CaseLog:
        return self.service.case

    @property
    @override
    def connected(self) -> bool:
        return self.line.connected

    @property
    @override
    def credits(self) -> int:
        return self.service.received[-1].credits

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
        return self.service.options.send(option, direction, xid=xid, behind=behind)

    @override
    def note_accepted(
        self,
        xid: int,
        *allowed: type[Outcome],
        tolerated: tuple[type[Outcome], ...] = (),
        breaks: tuple[str, ...] = (),
    ) -> None:
        """Nothing: of clients Calls and acts are compared, and no answers to operations."""

    @override
    def refuse(self, message: Heard, error: v2.Rdma2ErrorBody = REFUSAL) -> None:
        for one in reversed(self.service.options.messages):
            if one.xid == message.xid and one.option == message.option:
                self.service.options.refuse(one, error=error)
                return
        raise Inconclusive(f"{message} is no message of the client's")

    @override
    def runt(self, octets: int) -> None:
        whole = encode_two(0, encode_option(MessageType.CALL, UpdProp(())), self.service.grant)
        self.service.send(whole[:octets])

    # -- RPCs

    @override
    def call(self, breaks: tuple[str, ...] = ()) -> None:
        self._done(self.client.good_act(), breaks)

    def send_within_call(self, option: Option, breaks: tuple[str, ...] = ()) -> int:
        """The tester answers the call after the operation."""
        act = self.client.good_act()
        call = self._next_call(breaks)
        xid = self.send(option, xid=call.xid)
        self.service.options.answer(xid)
        self.service.serve(call)
        self._done(act, breaks)
        return xid

    @override
    def quiet(self, until: Callable[[], bool] | None = None) -> None:
        if until is not None:
            self.service.serve_while(lambda: not self._noted(until))
        self.service.serve_while(lambda: True, self.profile.grace)
        self.service.waiting()
        self._note()

    @override
    def longest(self, octets: int, breaks: tuple[str, ...] = ()) -> int:
        act = self.client.begin(ActKind.LONG_CALL, octets - CALL_OF_NOTHING)
        call = self._next_call(breaks)
        self.service.serve(call)
        self._done(act, breaks)
        return len(call.octets)

    @override
    def attempt(self, octets: int) -> int:
        before = len(self.service.received)
        self.client.begin(ActKind.LONG_CALL, octets - CALL_OF_NOTHING)
        self.service.waiting()
        calls = self.service.received[before:]
        # Nothing has been said on a connection that came after this one.
        sent = [len(call.octets) for call in calls if call.line == self.line.number]
        self.service.answer_all()
        return max(sent, default=0)

    @override
    def deliver(self, octets: int, count: int = 1, breaks: tuple[str, ...] = ()) -> None:
        length = octets - REPLY_OF_NOTHING
        acts = [self.client.begin(ActKind.LONG_REPLY, length) for _ in range(count)]
        while count:
            calls = self._together(count, breaks)
            count -= len(calls)
            before, self.service.threshold_of_two = self.service.threshold_of_two, octets + UNUSED
            for call in calls:
                draft = self.service.draft(call).with_reply_chunk(None)
                if len(draft.octets) != octets:
                    raise Inconclusive(f"the reply has {len(draft.octets)} octets, not {octets}")
                self.service.reply(call, draft)
            self.service.threshold_of_two = before
        for act in acts:
            self._done(act, breaks)

    def _together(self, most: int, breaks: tuple[str, ...]) -> list[ReceivedCall]:
        """Calls in flight at the same time: as many as the client makes, which may be one."""
        calls = [self._next_call(breaks)]
        while len(calls) < min(most, self._in_flight):
            try:
                calls.append(self.service.next_call())
            except Inconclusive:
                self._in_flight = len(calls)
        return calls

    def _next_call(self, breaks: tuple[str, ...]) -> ReceivedCall:
        try:
            return self.service.next_call()
        except Inconclusive as error:
            raise Deviation(
                "The client makes no call although it was told to.",
                expected=("a call",),
                actual=str(error),
                breaks=breaks,
                unanswered=True,
            ) from error

    def _done(self, act: RunningAct, breaks: tuple[str, ...]) -> None:
        """An act ends well, and has not cost the connection."""
        result = self.service.serve_until(act)
        self._note()
        verify.calls.stands(self.line, "what was sent on it", breaks)
        verify.calls.done(result, breaks)

    def _divert(self, _line: Line, octets: bytes) -> bool:
        """Take what is a Reply of the backward direction, by its header."""
        if len(octets) < FIXED_WORDS or not is_two(octets):
            return False
        try:
            header, _ = v2.decode_header(octets)
        except DecodeError:
            return False
        match header.rdma_body:
            case v2.Rdma2Msg(rdma_direction=way) | v2.Rdma2Nomsg(rdma_direction=way):
                is_reply = way is MessageType.REPLY
            case _:
                is_reply = False
        if is_reply:
            self.replies.append(header.rdma_xid)
        return is_reply

    def _noted(self, until: Callable[[], bool]) -> bool:
        """Whether something has come by now, or the connection has ended."""
        self._note()
        return until() or not self.line.connected

    def _note(self) -> None:
        """Note what the client has said since the last time."""
        messages = self.service.options.messages
        self.heard += [_heard(one) for one in messages[self._read :]]
        self._read = len(messages)

    # -- what the device is told to do

    @override
    def ask_size(self, octets: int) -> None:
        self._tell(ActKind.ASK_SIZE, octets)

    @override
    def ask_invalidation(self) -> None:
        self._tell(ActKind.ASK_INVALIDATION)

    @override
    def change_size(self, octets: int, breaks: tuple[str, ...] = ()) -> None:
        self._tell(ActKind.CHANGE_SIZE, octets, breaks)

    def _tell(self, kind: ActKind, octets: int = 0, breaks: tuple[str, ...] = ()) -> None:
        # What it begins goes out after a call, and so comes before the next one.
        self._done(self.client.begin(kind, octets), breaks)
        self.call(breaks)


def _heard(one: ReceivedOption) -> Heard:
    direction = MessageType.REPLY if one.is_error else one.direction
    return Heard(
        one.xid,
        one.credits,
        direction,
        one.option,
        one.error,
        one.problem,
        one.behind,
        len(one.octets),
    )
