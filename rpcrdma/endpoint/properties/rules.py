"""How transport properties are told, asked for and answered: one small method for each statement.

    xcharext section 2.1  Property Model
    xcharext section 3    Basic Transport Properties
    xcharext section 4    New Operations
    v2 section 3.1        Optional Features
    rtrext section 8      Transport Properties

Nothing here has state but the properties that the end knows, and nothing here knows of a
connection: `rpcrdma.endpoint.properties.exchange` does.

Hooks (methods that a mutant may override, one each):

    is_supported            which operations are not refused
    may_use                 what the peer refused is not sent again
    unsupported             the error for an operation that is not supported
    undecodable             the error for octets that are not what the operation says
    decode                  strictness of the decoder (surplus octets, cut values, wrong types)
    direction               rdma_optdir of each operation
    is_request              which direction a request of the peer has
    next_xid                an XID that no other optional message has
    response_xid            rdma_xid of ROPT_RESPROP
    answers                 which ROPT_RESPROP belongs to a request
    may_send                one message without an answer at a time
    subset                  the bits for positions of a set
    members                 the positions for bits
    default_of              what a value of no octets means
    unknown                 what a property that is not known means
    is_sound                which values of the right type are faulty all the same
    announced               which properties ROPT_CONNPROP carries
    unchanging              which of them opticonnpr_nochg names
    unchanging_of_peer      the same, read
    connected               values after the peer's ROPT_CONNPROP
    updated                 values after the peer's ROPT_UPDPROP or its answer
    may_request             no change is asked for of what ROPT_CONNPROP left out
    may_shorten_unasked     Receives get shorter on the peer's request only
    first_length            how long Receives are before anything is agreed
    may_tell_length         a longer length is told when no shorter Receive is left
    send_limit              a shorter length that was asked for is obeyed at once
    has_room                an operation that is longer than that is not sent
    judge_fixed             a property that will not change is not changed
    judge_receive_buffer    what is done about a request for another length
    judge_invalidation      ... for another permission to invalidate
    judge_backward          ... for another level of backward support
    judge_reductions        ... for other values of what reduces round trips
    response                done, rejected and other together are the request
    dispositions            what an answer says about each property, even a bad one
    effects                 values that an answer has for other properties are ignored
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.properties.judgements import REJECTED, PropertyJudgement, Standing
from rpcrdma.endpoint.properties.values import (
    DEFAULT_RECEIVE_BUFFER,
    NOTHING_TOLD,
    Disposition,
    PropertyValues,
)
from rpcrdma.wire.operations import RespProp, operation_of
from rpcrdma.wire.optional import UnknownOption, decode_option
from rpcrdma.wire.properties import (
    BASIC,
    BackwardRequestSupport,
    DefaultValue,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequesterRemoteInvalidation,
    UnknownProperty,
    decode_property,
    property_values,
    propid_of,
    structure_octets,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.subsets import members, subset
from rpcrdma.wire.v2 import ErrBadHeader, ErrInvalidOption

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rpcrdma.endpoint.properties.receive_sizes import ReceiveSizes
    from rpcrdma.endpoint.properties.values import PropertyOutcome
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import KnownProperty, Property, PropertyNumbers, PropertyValue
    from rpcrdma.wire.v2 import Rdma2ErrorBody, Rdma2Optional

__all__ = ["PropertyRules"]

WORD_MAXIMUM = 2**32 - 1


class PropertyRules:
    """The statements that the reference endpoint obeys.

    Args:
        known: the properties that the end knows.
    """

    def __init__(self, known: PropertyNumbers = BASIC) -> None:
        self.known = known

    # -- which operations

    def is_supported(self, opttype: int, operations: Collection[int]) -> bool:
        """Whether an operation that arrived is taken (v2 3.1)."""
        return opttype in operations

    def may_use(self, opttype: int, refused: Collection[int]) -> bool:
        """Whether an operation may be sent: not if the peer refused it before (v2 3.1)."""
        return opttype not in refused

    def unsupported(self) -> Rdma2ErrorBody | None:
        """The error for an operation that is not supported; None says nothing (D-53)."""
        return ErrInvalidOption()

    def undecodable(self) -> Rdma2ErrorBody | None:
        """The error for optinfo that cannot be decoded; None says nothing (D-59, D-76)."""
        return ErrBadHeader()

    # -- messages

    def decode(self, message: Rdma2Optional) -> Option:
        """What a message says; raises DecodeError if any known value in it is bad."""
        return decode_option(message, known=self.known)

    def direction(self, option: Option) -> MessageType:
        """REPLY for an answer, CALL for what an end sends of itself (D-78)."""
        if isinstance(option, UnknownOption):
            return MessageType.CALL
        return operation_of(option).way()

    def is_request(self, message: Rdma2Optional) -> bool:
        """Whether a ROPT_REQPROP asks: one that is said to be an answer asks nothing (D-78)."""
        return message.rdma_optdir is MessageType.CALL

    def next_xid(self, last: int, taken: Collection[int]) -> int:
        """The XID of the next message; none that is remembered is used again (D-77)."""
        xid = last
        while True:
            xid = xid + 1 if xid < WORD_MAXIMUM else 0
            if xid not in taken:
                return xid

    def response_xid(self, xid: int) -> int:
        """The XID of the answer to a request (xcharext 4.3)."""
        return xid

    def answers(self, request: int, response: int) -> bool:
        """Whether the answer with this XID is that to our request (xcharext 4.3)."""
        return request == response

    def may_send(self, *, unacknowledged: bool) -> bool:
        """Whether a message without an answer of its own may be sent now (D-54)."""
        return not unacknowledged

    def subset(self, positions: Iterable[int], *, high_bit_first: bool) -> tuple[int, ...]:
        """The words for these positions of a set (xcharext 2.1, D-73)."""
        return subset(positions, high_bit_first=high_bit_first)

    def members(self, words: Iterable[int], *, high_bit_first: bool) -> frozenset[int]:
        """The positions that words name; what is beyond them is not named (xcharext 2.1)."""
        return members(words, high_bit_first=high_bit_first)

    # -- what values mean

    def read(self, values: Iterable[PropertyValue]) -> tuple[KnownProperty | None, ...]:
        """What each propval means, in place; raises DecodeError before anything is applied."""
        return tuple(self.meaning(decode_property(value, self.known)) for value in values)

    def meaning(self, value: Property) -> KnownProperty | None:
        """The value of a known property; None for any other."""
        match value:
            case DefaultValue():
                return self.default_of(value)
            case UnknownProperty():
                return self.unknown(value)
            case _:
                return value

    def default_of(self, value: DefaultValue) -> KnownProperty:
        """A value of no octets is the default (xcharext 2.1)."""
        return self.known.by_code[value.propid].default

    def unknown(self, _value: UnknownProperty) -> KnownProperty | None:
        """An unknown property is passed over without an error (xcharext 2.1, 4.1)."""
        return None

    def is_sound(self, value: KnownProperty) -> bool:
        """Whether a value does not contradict itself: a structure is as long as it says (D-101)."""
        if not isinstance(value, ReceiveBufferStructure):
            return True
        return value.buffer.xmrbuf_length == structure_octets(value.buffer)

    # -- telling the peer, and being told

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        """What ROPT_CONNPROP carries: everything, for what is left out may not change (4.1)."""
        return own.properties(self.known)

    def unchanging(self, start: Sequence[Property], fixed: Collection[int]) -> tuple[int, ...]:
        """Positions of what will not change (xcharext 4.1, D-72)."""
        return tuple(n for n, value in enumerate(start) if propid_of(value, self.known) in fixed)

    def unchanging_of_peer(
        self, start: Sequence[PropertyValue], marked: Collection[int]
    ) -> frozenset[int]:
        """Codes of what the peer will not change: those marked (xcharext 4.1, D-72)."""
        return frozenset(value.pv_which for n, value in enumerate(start) if n in marked)

    def connected(
        self, _peer: PropertyValues, announced: Iterable[KnownProperty]
    ) -> PropertyValues:
        """What ROPT_CONNPROP leaves out has its default (4.1), in a second one as well (D-79)."""
        return NOTHING_TOLD.changed(*announced)

    def updated(self, peer: PropertyValues, changes: Iterable[KnownProperty]) -> PropertyValues:
        """What a change leaves out stays (xcharext 4.3, 4.4)."""
        return peer.changed(*changes)

    def may_request(self, propid: int, left_out: Collection[int]) -> bool:
        """Whether a change may be asked for: not of what ROPT_CONNPROP left out (4.1)."""
        return propid not in left_out

    # -- the length of Receives (xcharext 3.1)

    def may_shorten_unasked(self) -> bool:
        """Whether Receives get shorter without the peer's request."""
        return False

    def first_length(self, own: PropertyValues) -> int:
        """Octets of the first Receives: a peer that knows nothing assumes the default (4.1)."""
        return max(DEFAULT_RECEIVE_BUFFER, own.receive_buffer)

    def may_tell_length(self, octets: int, receives: ReceiveSizes) -> bool:
        """Whether the peer may be told of this length: no shorter Receive is left."""
        return receives.none_below(octets)

    def send_limit(self, peer: PropertyValues, requested: int | None) -> int:
        """Octets of the longest message: what the peer takes, and what we asked for and may get."""
        return peer.longest_send if requested is None else min(peer.longest_send, requested)

    def has_room(self, octets: int, limit: int) -> bool:
        """Whether an optional message of this length may be sent (xcharext 3.1, D-142)."""
        return octets <= limit

    # -- the peer's requests (xcharext 4.2)

    def judge(self, wanted: KnownProperty | None, standing: Standing) -> PropertyJudgement:
        """What is done about one requested property; None is one that is not known."""
        if wanted is None:
            return REJECTED
        fixed = self.judge_fixed(wanted, standing)
        if fixed is not None:
            return fixed
        match wanted:
            case ReceiveBufferSize(octets=octets):
                return self.judge_receive_buffer(octets, standing)
            case RequesterRemoteInvalidation():
                return self.judge_invalidation(wanted, standing)
            case BackwardRequestSupport():
                return self.judge_backward(wanted, standing)
            case _:
                return self.judge_reductions(wanted, standing)

    def judge_fixed(self, wanted: KnownProperty, standing: Standing) -> PropertyJudgement | None:
        """What was said not to change is not changed (xcharext 4.1)."""
        if propid_of(wanted, self.known) not in standing.fixed or self._is_own(wanted, standing):
            return None
        return REJECTED

    def judge_receive_buffer(self, octets: int, standing: Standing) -> PropertyJudgement:
        """Shorter at once; longer as far as every posted Receive is long enough (xcharext 3.1).

        The rest of an enlargement comes later by ROPT_UPDPROP.  The answer does not wait for it:
        it takes as many messages as there are short Receives, which an idle peer never sends.
        """
        now, limits = standing.own.receive_buffer, standing.limits
        goal = min(octets, limits.largest_receive_buffer)
        if octets <= now:
            goal = max(octets, min(now, limits.smallest_receive_buffer))
            return self._granted(ReceiveBufferSize(octets), ReceiveBufferSize(goal), standing)
        if goal <= now:
            return REJECTED
        smallest = standing.receives.smallest
        reached = goal if self.may_tell_length(goal, standing.receives) else max(smallest or 0, now)
        answer = self._granted(ReceiveBufferSize(octets), ReceiveBufferSize(reached), standing)
        later = goal if reached < goal and standing.may_update else None
        return PropertyJudgement(answer.disposition, answer.value, later)

    def judge_invalidation(
        self, wanted: RequesterRemoteInvalidation, standing: Standing
    ) -> PropertyJudgement:
        """A permission is withdrawn at will, and given if the limits allow it."""
        allowed = wanted.allowed and (
            standing.own.remote_invalidation or standing.limits.remote_invalidation
        )
        return self._granted(wanted, RequesterRemoteInvalidation(allowed), standing)

    def judge_backward(
        self, wanted: BackwardRequestSupport, standing: Standing
    ) -> PropertyJudgement:
        """A level is lowered at will, and raised as far as the limits allow it."""
        level = min(wanted.level, max(standing.own.backward, standing.limits.backward))
        return self._granted(wanted, BackwardRequestSupport(level), standing)

    def judge_reductions(self, wanted: KnownProperty, standing: Standing) -> PropertyJudgement:
        """What reduces round trips (rtrext 8) is how an end is made: no request changes it."""
        if not self._is_own(wanted, standing):
            return REJECTED
        return PropertyJudgement(Disposition.DONE, wanted)

    def _is_own(self, value: KnownProperty, standing: Standing) -> bool:
        return value in standing.own.properties(self.known)

    def _granted(
        self, wanted: KnownProperty, value: KnownProperty, standing: Standing
    ) -> PropertyJudgement:
        if value == wanted:
            return PropertyJudgement(Disposition.DONE, value)
        if self._is_own(value, standing):
            return REJECTED
        return PropertyJudgement(Disposition.OTHER, value)

    def response(
        self,
        want: Sequence[PropertyValue],
        judged: Mapping[int, PropertyJudgement],
        *,
        high_bit_first: bool,
    ) -> RespProp:
        """The answer: each requested property is in exactly one of its three parts (4.3)."""

        def positions(disposition: Disposition) -> tuple[int, ...]:
            found = (judged[value.pv_which].disposition is disposition for value in want)
            chosen = tuple(n for n, is_chosen in enumerate(found) if is_chosen)
            return self.subset(chosen, high_bit_first=high_bit_first)

        others = (
            one.value
            for one in judged.values()
            if one.disposition is Disposition.OTHER and one.value is not None
        )
        return RespProp(
            positions(Disposition.DONE),
            positions(Disposition.REJECTED),
            property_values(*others, known=self.known),
        )

    # -- the peer's answer (xcharext 4.3)

    def dispositions(
        self,
        asked: Sequence[int],
        done: Collection[int],
        rejected: Collection[int],
        other: Collection[int],
    ) -> tuple[Disposition, ...]:
        """What became of each requested property; in no part or in two of them it is rejected.

        Args:
            asked: codes of the requested properties, in the order of the request.
            done: positions.
            rejected: positions.
            other: codes; those that were not asked for count for nothing.
        """

        def of(position: int, propid: int) -> Disposition:
            is_done, is_other = position in done, propid in other
            if position in rejected or is_done == is_other:
                return Disposition.REJECTED
            return Disposition.DONE if is_done else Disposition.OTHER

        return tuple(of(position, propid) for position, propid in enumerate(asked))

    def effects(
        self, outcomes: Iterable[PropertyOutcome], _other: Iterable[KnownProperty]
    ) -> tuple[KnownProperty, ...]:
        """The peer's new values: those of requested properties alone, whatever `other` has."""
        return tuple(outcome.value for outcome in outcomes if outcome.value is not None)
