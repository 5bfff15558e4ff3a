"""How transport properties are told, asked for and answered: one small method for each statement.

    xcharext section 2.1  Property Model
    xcharext section 3    Basic Transport Properties
    xcharext section 4    New Operations
    v2 section 3.1        Optional Features

Nothing here has state, and nothing here knows of a connection:
`rpcrdma.endpoint.properties.exchange` does.

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
    response                done, rejected and other together are the request
    dispositions            what an answer says about each property, even a bad one
    effects                 values that an answer has for other properties are ignored
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.endpoint.properties.values import DEFAULT_RECEIVE_BUFFER, Disposition, PropertyValues
from rpcrdma.wire.operations import RespProp, operation_of
from rpcrdma.wire.optional import UnknownOption, decode_option
from rpcrdma.wire.properties import (
    BackwardRequestSupport,
    DefaultValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    UnknownProperty,
    decode_property,
    members,
    property_values,
    propid_of,
    subset,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import ErrBadHeader, ErrInvalidOption

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rpcrdma.endpoint.properties.receive_sizes import ReceiveSizes
    from rpcrdma.endpoint.properties.values import PropertyLimits, PropertyOutcome
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import KnownProperty, Property, PropertyValue
    from rpcrdma.wire.v2 import Rdma2ErrorBody, Rdma2Optional

__all__ = ["PropertyJudgement", "PropertyRules", "Standing"]

WORD_MAXIMUM = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an end stands when its peer asks for a change.

    Attributes:
        own: the values that the peer has been told.
        fixed: codes of what will not change.
        limits: how far requests are followed.
        receives: what is posted.
        may_update: whether a change that takes time can be told later.
    """

    own: PropertyValues
    fixed: frozenset[int]
    limits: PropertyLimits
    receives: ReceiveSizes
    may_update: bool


@dataclass(frozen=True, slots=True)
class PropertyJudgement:
    """What is done about one requested property.

    Attributes:
        disposition: what the answer says.
        value: the new value; None if it stays.
        later: octets of longer Receives that are posted now and told of by ROPT_UPDPROP.
    """

    disposition: Disposition
    value: KnownProperty | None = None
    later: int | None = None


REJECTED = PropertyJudgement(Disposition.REJECTED)


class PropertyRules:
    """The statements that the reference endpoint obeys."""

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
        return decode_option(message)

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
        return tuple(self.meaning(decode_property(value)) for value in values)

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
        return value.value

    def unknown(self, _value: UnknownProperty) -> KnownProperty | None:
        """An unknown property is passed over without an error (xcharext 2.1, 4.1)."""
        return None

    # -- telling the peer, and being told

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        """What ROPT_CONNPROP carries: everything, for what is left out may not change (4.1)."""
        return own.properties()

    def unchanging(self, start: Sequence[Property], fixed: Collection[int]) -> tuple[int, ...]:
        """Positions of what will not change (xcharext 4.1, D-72)."""
        return tuple(n for n, value in enumerate(start) if propid_of(value) in fixed)

    def unchanging_of_peer(
        self, start: Sequence[PropertyValue], marked: Collection[int]
    ) -> frozenset[int]:
        """Codes of what the peer will not change: those marked (xcharext 4.1, D-72)."""
        return frozenset(value.pv_which for n, value in enumerate(start) if n in marked)

    def connected(
        self, _peer: PropertyValues, announced: Iterable[KnownProperty]
    ) -> PropertyValues:
        """What ROPT_CONNPROP leaves out has its default (4.1), in a second one as well (D-79)."""
        return PropertyValues().changed(*announced)

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
        """Octets of the longest message; a length that we asked for and may get bounds it."""
        return min(peer.receive_buffer, peer.receive_buffer if requested is None else requested)

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

    def judge_fixed(self, wanted: KnownProperty, standing: Standing) -> PropertyJudgement | None:
        """What was said not to change is not changed (xcharext 4.1)."""
        if propid_of(wanted) not in standing.fixed or wanted in standing.own.properties():
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

    def _granted(
        self, wanted: KnownProperty, value: KnownProperty, standing: Standing
    ) -> PropertyJudgement:
        if value == wanted:
            return PropertyJudgement(Disposition.DONE, value)
        if value in standing.own.properties():
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
            positions(Disposition.DONE), positions(Disposition.REJECTED), property_values(*others)
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
