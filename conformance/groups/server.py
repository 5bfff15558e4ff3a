"""The tester before a client, in a case about transmission groups.

    groups = GroupServer.of(service, client)       a connection on which it has announced `TAKEN`
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    service.reply(call, groups.response(call))     or any other; `finish` does it all
    groups.reported(call, wrong, breaks)           what the client reports about a faulty response

    rtrext section 4.3  Message Continuation and Credits
    rtrext section 5.4  Error Reporting
    rtrext section 8    Transport Properties
    rtrext section 9    New Operations

Requests that nobody claims are answered as they should be, by a response in a group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.groups.answering import respond
from conformance.groups.taken import TAKEN
from conformance.groups.targets import require_targets, targets_for
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server.options import encode_two
from conformance.tester.server.reply import AnyAnswer, draft_error
from conformance.verify.announced import let_announce
from rpcrdma.wire import ErrChunk
from rpcrdma.wire._generated_rtrext import InTargetedSegments
from rpcrdma.wire.operations import ConnProp, ReptErr
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.groups.answering import GroupAnswer
    from conformance.oracle.announced import Announced
    from conformance.oracle.requester.request_group import RequestGroup
    from conformance.tester.server import Line, ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.server.options import ReceivedOption
    from conformance.tester.server.reply import CallAnswer
    from rpcrdma.wire import RdmaSegment
    from rpcrdma.wire.properties import PropertyNumbers
    from targets.base import ActKind, RunningAct

__all__ = ["GroupServer", "group_of"]

RECEIVE_LENGTH: Final = 65536
"""Octets of the tester's Receives: what is too long must be seen, not lost with the connection."""


def group_of(call: ReceivedCall) -> RequestGroup:
    """What a call is as a transmission group.

    Raises:
        Inconclusive: it is none.
    """
    if call.group is None:
        raise Inconclusive(f"{call} is no group")
    return call.group


@dataclass(slots=True)
class GroupServer:
    """The tester, on a connection on which the client may make groups.

    Attributes:
        service: where the client is.
        client: which.
        line: the connection.
    """

    service: Service
    client: ActingClient
    line: Line
    _earlier: int = 0

    @classmethod
    def of(
        cls, service: Service, client: ActingClient, announced: Announced | None = TAKEN
    ) -> GroupServer:
        """The tester on a new connection, which takes messages of any size.

        Args:
            service: where the client is.
            client: which.
            announced: what the client is told; None: nothing yet.
        """
        service.welcome = replace(service.welcome, receive_length=RECEIVE_LENGTH)
        earlier = len(service.options.messages)
        service.drop()
        verify.calls.done(client.serve_good_act())
        groups = cls(service, client, service.line, earlier)
        service.line.respond = groups.serve
        let_announce(service, client)
        if announced is not None:
            groups.announce(announced)
        return groups

    def announce(self, announced: Announced) -> None:
        """Tell the client; when this returns it has heard."""
        self.service.options.send(ConnProp(announced.values(self.numbers), ()))
        self.good_act()

    @property
    def numbers(self) -> PropertyNumbers:
        """The properties that the client knows, and their codes (D-91)."""
        return self.service.state_of(self.line).properties

    @property
    def told(self) -> Announced:
        """What the client has announced."""
        return self.service.state_of(self.line).told

    @property
    def reports(self) -> tuple[ReceivedOption, ...]:
        """The error reports of the client on this connection, the oldest first."""
        messages = self.service.options.messages[self._earlier :]
        return tuple(one for one in messages if isinstance(one.option, ReptErr))

    def good_act(self, breaks: tuple[str, ...] = ()) -> None:
        """The client does what shows that it lives, on this very connection."""
        result = self.client.serve_good_act()
        verify.calls.stands(self.line, "what was sent on it", breaks)
        verify.calls.done(result, breaks)

    # -- requests

    def request(self, kind: ActKind, length: int = 0) -> tuple[RunningAct, ReceivedCall]:
        """Have the client act, and take the first group of the act.

        Raises:
            Inconclusive: it makes none; nobody has to.
        """
        act = self.client.begin(kind, length)
        return act, self.service.next_call(lambda call: call.group is not None)

    def finish(self, act: RunningAct, call: ReceivedCall, breaks: tuple[str, ...] = ()) -> None:
        """Answer a call as it should be: the act ends well."""
        self.service.reply(call, self.serve(call))
        self.done(act, breaks)

    def done(self, act: RunningAct, breaks: tuple[str, ...] = (), *, reading: int = 0) -> None:
        """The act ends, and ends well.

        Args:
            act: which.
            breaks: the requirements that are broken otherwise.
            reading: octets that it reads: the application has them, and no others.
        """
        result = verify.calls.ended(self.service, act, breaks)
        verify.calls.done(result, breaks)
        if reading:
            verify.calls.reads(result, reading, breaks)

    def serve(self, call: ReceivedCall) -> CallAnswer:
        """The answer to a call that nobody claims."""
        answer = self.response(call)
        most = self.reserved(call)
        if len(answer.sends) > most:
            answer = self.response(call, chooses_memory=True)
        return answer if len(answer.sends) <= most else self.refused(call)

    def refused(self, call: ReceivedCall) -> CallAnswer:
        """The error that ends a call whose answer has no room."""
        return draft_error(call, self.service.grant, ErrChunk())

    # -- responses

    def reserved(self, call: ReceivedCall) -> int:
        """Transmissions that the response to a call may have (D-97)."""
        return max(1, group_of(call).contents.optxrq_rsbuf)

    def memory(self, call: ReceivedCall) -> RdmaSegment:
        """Memory that a direction of a call offers; Inconclusive if none does."""
        for chunk in group_of(call).offered:
            if chunk.target:
                return chunk.target[0]
        raise Inconclusive(f"{call} offers no memory for its results")

    def response(
        self,
        call: ReceivedCall,
        *,
        sizes: Sequence[int] | None = None,
        places: Sequence[InTargetedSegments] = (),
        chooses_memory: bool = False,
        by_turns: bool = False,
    ) -> GroupAnswer:
        """The right response, for changing and for `Service.reply`.

        Args:
            call: which came as a group.
            sizes: octets of the Payload stream in each Send; None: the Sends are filled.
            places: of the results that are placed by Sends; empty: where there is room.
            chooses_memory: whether an item that may go either way goes by explicit RDMA.
            by_turns: whether every second such item goes the other way.

        Raises:
            Inconclusive: there is none: the program answers later, or what the call provides does
                not take its answer.
        """
        replies, line = self.service.replies, self.service.line_of(call)
        due = replies.due(call, line)
        if not due:
            raise Inconclusive(f"there is no reply to {call}")
        slots, origins = replies.slots(call, line, due[0]), replies.origins(call, line)
        told = self.service.state_of(line).told
        try:
            return respond(
                call,
                due[0],
                slots,
                origins,
                told,
                self.service.grant,
                sizes=sizes,
                places=places,
                chooses_memory=chooses_memory,
                by_turns=by_turns,
            )
        except ValueError as error:
            raise Inconclusive(f"there is no response to {call}: {error}") from error

    def answering(self, call: ReceivedCall) -> GroupAnswer:
        """The right response, which answers a direction.

        Raises:
            Inconclusive: the call has none.
        """
        answer = self.response(call)
        if not answer.group.items:
            raise Inconclusive(f"{call} has no directions for its results")
        return answer

    def placing(self, call: ReceivedCall) -> GroupAnswer:
        """The right response, which places its first result by Sends.

        Raises:
            Inconclusive: the call does not allow that.
            Unsupported: the client has no targets.
        """
        require_targets(self.told.layout)
        answer = self.answering(call)
        if not isinstance(answer.group.items[0].xmdmi_where, InTargetedSegments):
            raise Inconclusive(f"{call} has its results placed by explicit RDMA")
        return answer

    def placed(self, call: ReceivedCall, place: InTargetedSegments, sends: int = 1) -> GroupAnswer:
        """The response to a read whose one result is placed where the case says.

        Args:
            call: the read.
            place: of the result.
            sends: of which the first has the Payload stream.
        """
        octets = sum(len(part) for part in self.response(call).payload)
        sizes = (octets, *[0] * (sends - 1))
        return self.response(call, sizes=sizes, places=(place,))

    def cut(self, call: ReceivedCall, *cuts: int | str) -> GroupAnswer:
        """The response to a read, its Payload stream cut where the case says.

        Args:
            call: the read.
            cuts: octets of the stream before each cut; negative: after it; "all": of all of it.

        Raises:
            Inconclusive: the call does not provide for so many transmissions.
            Unsupported: nor has the client any targets, so that a result needs no transmission.
        """
        sends = len(cuts) + 1
        usual = self.response(call)
        octets = sum(len(part) for part in usual.payload)
        places = [cut if isinstance(cut, int) else octets for cut in cuts]
        at = sorted(cut if cut >= 0 else octets + cut for cut in places)
        sizes = [end - begin for begin, end in zip([0, *at], [*at, octets], strict=True)]
        length = usual.placed_octets
        sends = max(sends, len(usual.sends))
        sizes += [0] * (sends - len(sizes))
        if sends > self.reserved(call):
            require_targets(self.told.layout)
            raise Inconclusive(f"{call} provides for less than {sends} transmissions")
        place = self.targets(length, sends)
        return self.response(call, sizes=sizes, places=(place,) if length else ())

    def targets(
        self, length: int, sends: int, order: Sequence[int] | None = None
    ) -> InTargetedSegments:
        """The client's target segments that take so many octets, clear of header and payload.

        Args:
            length: of the item.
            sends: of the group.
            order: numbers of the targets that may be used, as they may be; None: all in order.

        Raises:
            Inconclusive: there are too few.
            Unsupported: there is none at all.
        """
        return targets_for(self.told.layout, length, sends, order)

    def require_offset(self, place: InTargetedSegments, offset: int) -> None:
        """Raise Inconclusive if the first target segment of an item ends before an offset."""
        _, first = self.told.layout.target(place.xmdl_bsnum[0])
        if offset >= first.length:
            raise Inconclusive(f"the client's target segments are too short for {offset} octets")

    # -- faults

    def report(self, call: ReceivedCall, report: ReptErr) -> CallAnswer:
        """The message that reports a request as faulty (D-110)."""
        body = encode_option(MessageType.REPLY, report)
        return AnyAnswer((encode_two(call.xid, body, self.service.grant),), self.service.grant)

    def errors_about(self, call: ReceivedCall) -> tuple[ReceivedOption, ...]:
        """What the client has said under the XID of a call that is no call."""
        messages = self.service.options.messages[self._earlier :]
        return tuple(one for one in messages if one.xid == call.xid)

    def unused(
        self, act: RunningAct, call: ReceivedCall, answer: CallAnswer, breaks: tuple[str, ...]
    ) -> None:
        """A faulty response is not what completes its call; a good one follows where it may help.

        Args:
            act: to which the call belongs.
            call: the last thing that the act waits for.
            answer: the faulty response.
            breaks: the requirements that are broken otherwise.

        Raises:
            Deviation: the act is done by it, or does not end after a good response.
        """
        self.service.reply(call, answer)
        self.service.waiting()
        result = act.poll()
        if result is not None and result.done:
            raise Deviation(
                "The client takes a response that it should not use.",
                expected=("the call fails, or waits for another response",),
                actual=str(result),
                breaks=breaks,
            )
        self.goes_on(act, call, breaks)

    def goes_on(self, act: RunningAct, call: ReceivedCall, breaks: tuple[str, ...]) -> None:
        """After a faulty response a good one comes, unless the act has ended: it ends, or has.

        Args:
            act: to which the call belongs.
            call: the last thing that the act waits for.
            breaks: the requirements that are broken otherwise.
        """
        if act.poll() is None and self.line.connected:
            self.service.reply(call, self.serve(call))
        verify.calls.ended(self.service, act, breaks)

    def reported(
        self, call: ReceivedCall, answer: CallAnswer, breaks: tuple[str, ...]
    ) -> ReceivedOption:
        """A response that is faulty as a group is reported; returns the report.

        Args:
            call: to which it answers.
            answer: the faulty response.
            breaks: the requirements that are broken otherwise.

        Raises:
            Deviation: nothing is reported, or not just once.
        """
        before = len(self.reports)
        self.service.reply(call, answer)
        self.service.waiting(until=lambda: len(self.reports) > before)
        found = self.reports[before:]
        if len(found) != 1:
            raise Deviation(
                "A faulty response is not reported once.",
                expected=("one ROPT_REPTERR",),
                actual="; ".join(map(str, found)) or "no report",
                breaks=breaks,
            )
        return found[0]
