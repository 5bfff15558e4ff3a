"""Follows one connection from the tester's side and keeps the `RequesterState` up to date.

    tracker = RequesterTracker(upper_layer=layer)
    broken = tracker.judge(message, unreduced)   # a message arrived
    tracker.answered(octets)                         # just before anything is sent
    tracker.settled()                                # the Requester has seen all that was sent

    rfc8166 section 3.3.1  RPC-over-RDMA Credits
    v2 section 5           Protocol Version Negotiation

What a message to the Requester does to its Calls and credits is asked of
`conformance.oracle.requester.reaction`.  Where the documents leave a choice, the state allows for
each, so that no Requester is accused of what it may do.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from conformance.oracle.header import VERSION_ONE, VERSION_TWO, as_one
from conformance.oracle.requester.calls import judge_call
from conformance.oracle.requester.expectation import together
from conformance.oracle.requester.groups import judge_group
from conformance.oracle.requester.reaction import expected_reaction
from conformance.oracle.requester.response_group import (
    PENDING,
    broken_reaction,
    group_reaction,
    response_in,
)
from conformance.oracle.requester.state import (
    OutstandingCall,
    RequesterState,
)
from conformance.oracle.requester.two import judge_option
from conformance.oracle.requester.versions import after_option, after_sending
from conformance.oracle.sizes import THRESHOLD_ONE
from rpcrdma.errors import DecodeError
from rpcrdma.wire import Procedure, decode_any_header
from rpcrdma.wire.properties import BASIC
from rpcrdma.wire.transmission import Assembler, BrokenGroup
from rpcrdma.wire.versions import FIXED_WORDS, fixed_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.oracle.requester.expectation import Contents, ReactionExpectation
    from conformance.oracle.requester.request_group import RequestGroup
    from conformance.oracle.requester.state import CreditView
    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import TransportHeader
    from rpcrdma.wire.operations import OptionalOperation
    from rpcrdma.wire.properties import PropertyNumbers
    from rpcrdma.wire.transmission import Arrived

__all__ = ["MOST_TRANSMISSIONS", "RequesterTracker"]

NO_OPERATIONS: Final[Mapping[int, OptionalOperation]] = MappingProxyType({})

MOST_TRANSMISSIONS: Final = 2**32 - 1
"""Of a group that the tester puts together: as many as can be said."""


class RequesterTracker:
    """What came from one Requester, and what went to it.

    Attributes:
        state: what is known now.
    """

    @override
    def __init__(
        self,
        *,
        upper_layer: UpperLayer | None = None,
        call_threshold: int = THRESHOLD_ONE,
        reply_threshold: int = THRESHOLD_ONE,
        chosen: Mapping[str, str] | None = None,
        properties: PropertyNumbers = BASIC,
        serves_two: bool = False,
        operations: Mapping[int, OptionalOperation] = NO_OPERATIONS,
    ) -> None:
        self._sending = Assembler(operations, MOST_TRANSMISSIONS)
        versions = (VERSION_ONE, VERSION_TWO) if serves_two else (VERSION_ONE,)
        self.state = RequesterState(
            call_threshold=call_threshold,
            reply_threshold=reply_threshold,
            upper_layer=upper_layer,
            chosen=chosen or {},
            properties=properties,
            serves_two=serves_two,
            versions=frozenset(versions),
        )

    def judge(
        self, message: bytes, unreduced: bytes | None, sends: int = 1
    ) -> tuple[BrokenRule, ...]:
        """The rules that an arrived message breaks; the state then knows of it.

        Args:
            message: that arrived.
            unreduced: the whole RPC message; None if it could not be put together.
            sends: that the message came by (`rpcrdma.wire.transmission`).
        """
        broken = judge_call(message, unreduced, self.state, sends)
        self.called(message, unreduced, sends)
        return broken

    def judge_option(self, message: bytes) -> tuple[BrokenRule, ...]:
        """As `judge`, of an optional message of Version Two or an error: neither takes a credit."""
        broken = judge_option(message, self.state)
        self.state = after_option(message, self.state)
        return broken

    def judge_group(self, group: RequestGroup, unreduced: bytes | None) -> tuple[BrokenRule, ...]:
        """As `judge`, of a request that came as a transmission group."""
        broken = judge_group(group, unreduced, self.state)
        header, sends = group.header, group.arrived.sends
        call = OutstandingCall(header.rdma_xid, header, unreduced, sends=sends, group=group)
        self.state = self.state.with_call(call, header.rdma_credit)
        return broken

    def called(self, message: bytes, unreduced: bytes | None, sends: int) -> None:
        """A message arrived: each Send of a Call takes a credit, whatever is wrong with it."""
        if len(message) < FIXED_WORDS:
            return
        words = fixed_words(message)
        if words.procedure in (Procedure.RDMA_DONE, Procedure.RDMA_ERROR):
            return  # nobody answers them
        call = OutstandingCall(words.xid, _decoded(message), unreduced, sends=sends)
        self.state = self.state.with_call(call, words.credit)

    def answered(self, message: bytes, contents: Contents | None = None) -> ReactionExpectation:
        """Octets are about to be sent to the Requester; returns what it may do about them.

        Of a group it is asked to do something by the last Send, or by one that breaks the group.
        """
        found: list[ReactionExpectation] = []
        for arrived in self._sending.take(message):
            found.append(self._reaction(arrived, contents))
            self._answered(message, found[-1])
        return together(found) if found else PENDING

    def _reaction(self, arrived: Arrived, contents: Contents | None) -> ReactionExpectation:
        if isinstance(arrived, BrokenGroup):
            bad, lead = arrived.report.optre_bad, arrived.report.optre_lead
            self._faulty(bad.xmsi_xid, bad.xmsi_xid if lead is None else lead.xmsi_xid)
            return broken_reaction(arrived, self.state)
        response = response_in(arrived)
        if response is None:
            return expected_reaction(arrived.octets, self.state, contents)
        expectation = group_reaction(arrived, *response, self.state, contents)
        if expectation.fault:
            self._faulty(fixed_words(arrived.octets).xid)
        return expectation

    def _faulty(self, *xids: int) -> None:
        """Messages with these XIDs are faulty as groups."""
        self.state = replace(self.state, faulty=self.state.faulty.union(xids))

    def _answered(self, message: bytes, expectation: ReactionExpectation) -> None:
        if self.state.serves_two:
            self.state = after_sending(message, self.state)
        view = self._taken(expectation, self.state.views[-1])
        self._retire(expectation)
        if view != self.state.views[-1]:
            self.state = self.state.with_view(view)

    def settled(self) -> None:
        """The Requester has seen everything that was sent to it: only the last view is left."""
        state = self.state
        self.state = replace(
            state,
            views=state.views[-1:],
            lengths=state.lengths[-1:],
            announced=state.announced[-1:],
        )

    def _taken(self, expectation: ReactionExpectation, view: CreditView) -> CreditView:
        """What the Requester may believe of its credits once it has the message."""
        call = None if expectation.xid is None else self.state.call(expectation.xid)
        if call is not None and not call.doubtful and expectation.may_end:
            view = replace(view, in_flight=view.in_flight - call.sends)
        grant = expectation.grant
        first = expectation.is_valid_reply or expectation.may_be_first
        if grant is None or (view.granted is None and not first):
            return view  # rfc8166 3.3.3: only a valid Reply tells the first grant
        if expectation.is_valid_reply and grant > 0:
            return replace(view, granted=grant)
        # A message that may be dropped, or a zero that nobody may send: the former limit holds, or
        # the new one, of which zero is at least one (a Requester must be able to go on).
        return replace(view, granted=max(view.granted or 1, grant))

    def _retire(self, expectation: ReactionExpectation) -> None:
        state = self.state
        call = None if expectation.xid is None else state.call(expectation.xid)
        if call is None or not expectation.may_end:
            return
        others = tuple(item for item in state.outstanding if item is not call)
        if expectation.must_end or expectation.settles:
            refused = state.refused
            if expectation.is_error and call.unreduced is not None:
                refused |= {call.unreduced}
            self.state = replace(state, outstanding=others, refused=refused)
        else:
            doubtful = replace(call, doubtful=True)
            self.state = replace(state, outstanding=(*others, doubtful))


def _decoded(message: bytes) -> TransportHeader | None:
    try:
        return as_one(decode_any_header(message)[0])
    except DecodeError:
        return None
