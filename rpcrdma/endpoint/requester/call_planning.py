"""What a Requester chooses for a call: its form, and the memory that is offered with it.

    rfc8166 section 3.5    Message Size (Short, Chunked and Long Messages)
    rfc8166 section 4.3.2  Write List, and 4.3.3 Reply Chunk (what is offered for the reply)

The choice itself is made by `rpcrdma.endpoint.requester.plan`; here its outcome becomes an
`OutgoingCall`.  Nothing is registered or sent here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Register
from rpcrdma.endpoint.core.dialect import ONE, Dialect
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS, Reductions
from rpcrdma.endpoint.core.thresholds import DEFAULT, InlineThresholds
from rpcrdma.endpoint.requester.group_plan import GroupPlanner
from rpcrdma.endpoint.requester.outgoing import Memory, OutgoingCall
from rpcrdma.endpoint.requester.plan import (
    NO_RESULTS,
    CallPlan,
    ReadPlan,
    ResultsPlan,
    plan_call,
    plan_results,
)
from rpcrdma.fabric.base import Access

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpcrdma.endpoint.core.events import CallRequested
    from rpcrdma.ulp.bindings import DataItem, ReplyExpectation

__all__ = ["CallPlanner", "RequesterOptions"]

_SMALLEST: Final = (None, MessageForm.SHORT)


@dataclass(frozen=True, slots=True)
class RequesterOptions:
    """What a Requester chooses.

    Attributes:
        thresholds: the inline thresholds of the connection.
        dialect: the version that is spoken.
        reductions: how round trips are reduced, in Version Two.
        credits: requested with every call; as many Receives are posted.
        segment: most octets in one RDMA segment.
        inline_results: results that can be no longer than this stay in the reply where another
            needs a chunk.
        form: of calls, where it fits; None takes the smallest.
        always_reduce_results: offer Write chunks even when the reply fits without them.
    """

    thresholds: InlineThresholds = DEFAULT
    credits: int = 32
    segment: int = 1024 * 1024
    inline_results: int = 0
    form: MessageForm | None = None
    always_reduce_results: bool = False
    dialect: Dialect = ONE
    reductions: Reductions = NO_REDUCTIONS


class CallPlanner:
    """Plans the calls of one Requester; `keys` are those of its memory.

    Attributes:
        send_limit: the call inline threshold that holds now, in octets.
        receive_limit: likewise for replies; it never grows, since a Responder may not know yet
            that Receives are longer again.
        groups: what decides which calls are transmission groups.

    `threshold`, `choose_form`, `offer`, `read_segment`, `write_room` and `reply_room` are one
    decision each, for mutants to break alone.
    """

    def __init__(
        self,
        options: RequesterOptions,
        keys: Iterator[int],
        groups: type[GroupPlanner] = GroupPlanner,
    ) -> None:
        self._options = options
        self._keys = keys
        self._expectation: ReplyExpectation | None = None
        self._results = NO_RESULTS
        self.send_limit = options.thresholds.call
        self.receive_limit = options.thresholds.reply
        if options.dialect is TWO:
            # xcharext 3.1: of larger Receives the Responder hears only later.
            self.receive_limit = min(self.receive_limit, TWO.threshold)
        self.groups = groups(options.reductions, options.segment, options.thresholds.call)

    def plan(self, event: CallRequested, xid: int) -> OutgoingCall:
        """Choose the form of a call, and the memory that it needs.

        Raises:
            DecodeError: the upper layer cannot read it.
            LocalProtocolError: it cannot be sent.
        """
        options = self._options
        payload, upper_layer = event.payload, event.upper_layer
        expectation = event.expectation or upper_layer.expectation(payload)
        # The very expectation of the last call is not planned again.
        if expectation is not self._expectation:
            self._results = self.offer(expectation)
            self._expectation = expectation
        results = self._results
        call = OutgoingCall(event.token, xid, upper_layer, payload, len(expectation.items))
        room = self.threshold - options.dialect.header
        if results is NO_RESULTS and len(payload) <= room and options.form in _SMALLEST:
            return call
        items = upper_layer.arguments(payload)
        call.plan = self.choose_form(payload, items, results)
        call.writes = [[self.write_room(length) for length in chunk] for chunk in results.writes]
        call.reply = [self.reply_room(length) for length in results.reply]
        self._plan_reads(call, call.plan.reads)
        return call

    def plan_group(
        self, event: CallRequested, xid: int, credits_left: int, receives_left: int
    ) -> OutgoingCall | None:
        """A call as a transmission group; None if it is to be planned as any other.

        Args:
            event: what is wanted.
            xid: of the call.
            credits_left: Sends that may be in flight at all.
            receives_left: Receives that may still be reserved for responses.

        Raises:
            DecodeError: the upper layer cannot read it.
        """
        payload, upper_layer = event.payload, event.upper_layer
        expectation = event.expectation or upper_layer.expectation(payload)
        items = upper_layer.arguments(payload)
        group = self.groups.plan(payload, items, expectation, credits_left, receives_left)
        if group is None:
            return None
        call = OutgoingCall(event.token, xid, upper_layer, payload, len(expectation.items))
        call.plan = CallPlan(MessageForm.CHUNKED, group.payload, group.reads)
        call.group, call.event = group, event
        directions = group.response.directions
        call.writes = [[self.write_room(length) for length in one.segments] for one in directions]
        self._plan_reads(call, group.reads)
        return call

    @property
    def threshold(self) -> int:
        """Octets of the longest call that goes inline (rfc8166 3.3.2)."""
        return self.send_limit

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        """The form of a call, and what of it goes into Read chunks (rfc8166 3.5)."""
        options = self._options
        room = self.threshold - options.dialect.header
        return plan_call(payload, items, results, room, options.segment, options.form)

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        """The chunks that are offered for a reply (rfc8166 4.3.2, 4.3.3, 6.2)."""
        options = self._options
        return plan_results(
            expectation,
            self.receive_limit - options.dialect.header,
            options.segment,
            options.inline_results,
            always=options.always_reduce_results,
        )

    def read_segment(self, octets: bytes) -> Memory:
        """Memory that holds a part of the call, for the Responder to read."""
        return self._segment(Access.REMOTE_READ, octets)

    def write_room(self, length: int) -> Memory:
        """Memory for a result: one segment of a Write chunk."""
        return self._room(length)

    def reply_room(self, length: int) -> Memory:
        """Memory for a Long Reply: one segment of the Reply chunk."""
        return self._room(length)

    def _plan_reads(self, call: OutgoingCall, reads: Iterable[ReadPlan]) -> None:
        call.reads = [
            (read.position, [self.read_segment(octets) for octets in read.pieces]) for read in reads
        ]

    def _segment(self, access: Access, octets: bytes) -> Memory:
        key = next(self._keys)
        return Memory(key, Register(key, len(octets), access, octets))

    def _room(self, length: int) -> Memory:
        key = next(self._keys)
        access = Access.REMOTE_WRITE | Access.LOCAL_WRITE  # verbs grant the one only with the other
        return Memory(key, Register(key, length, access))
