"""The statements about transport properties, one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.endpoint.properties.judgements import PropertyJudgement, Standing
from rpcrdma.endpoint.properties.receive_sizes import ReceiveSizes
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import (
    Disposition,
    PropertyLimits,
    PropertyValues,
)
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire.operations import ConnProp, ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.properties import (
    ADOPTED,
    AS_PUBLISHED,
    EXPERIMENTAL_PROPIDS,
    PROP_BRS,
    PROP_RBSIZ,
    PROP_REQREMINV,
    BackwardRequestSupport,
    BackwardSupport,
    BufferStructure,
    DefaultValue,
    DerivedStructure,
    KnownProperty,
    PropertyValue,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequesterRemoteInvalidation,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
    UnknownProperty,
    property_values,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import ErrBadHeader, ErrInvalidOption
from tests.endpoint.properties.property_ends import LENGTH, REDUCING, STRUCTURE

RULES = PropertyRules()
ALLOWED = RequesterRemoteInvalidation(allowed=True)
FORBIDDEN = RequesterRemoteInvalidation(allowed=False)
NONE, INLINE, GENERAL = (BackwardRequestSupport(level) for level in BackwardSupport)
DONE, OTHER = Disposition.DONE, Disposition.OTHER
REJECTED = PropertyJudgement(Disposition.REJECTED)
SAME_STRUCTURE = ReceiveBufferStructure(STRUCTURE)


def receives(*lengths: int) -> ReceiveSizes:
    sizes = ReceiveSizes()
    for octets in lengths:
        sizes.posted(octets)
    return sizes


def standing(
    own: PropertyValues | None = None,
    limits: PropertyLimits | None = None,
    *lengths: int,
    fixed: frozenset[int] = frozenset(),
    may_update: bool = True,
) -> Standing:
    return Standing(
        own or PropertyValues(), fixed, limits or PropertyLimits(), receives(*lengths), may_update
    )


# -- operations and messages


def test_what_is_not_supported_or_not_decoded_has_its_own_error() -> None:
    """v2 3.1; D-53, D-59."""
    assert RULES.is_supported(1, {1, 4})
    assert not RULES.is_supported(2, {1, 4})
    assert RULES.unsupported() == ErrInvalidOption()
    assert RULES.undecodable() == ErrBadHeader()


def test_what_the_peer_refused_is_not_used() -> None:
    """v2 3.1."""
    assert RULES.may_use(4, {2})
    assert not RULES.may_use(4, {2, 4})


def test_only_an_answer_is_a_reply() -> None:
    """D-78."""
    empty = ((), ())
    assert RULES.direction(RespProp(*empty, ())) is MessageType.REPLY
    for option in (ConnProp(*empty), ReqProp(()), UpdProp(())):
        assert RULES.direction(option) is MessageType.CALL


@pytest.mark.parametrize("direction", MessageType)
def test_only_a_call_asks(direction: MessageType) -> None:
    message = encode_option(direction, ReqProp(()))

    assert PropertyRules().is_request(message) is (direction is MessageType.CALL)


def test_an_answer_has_the_xid_of_its_request() -> None:
    """xcharext 4.3."""
    assert RULES.response_xid(9) == 9
    assert RULES.answers(9, 9)
    assert not RULES.answers(9, 8)


def test_an_xid_that_is_remembered_is_passed_over() -> None:
    """D-77; the numbers begin again after the last."""
    assert RULES.next_xid(6, {7, 8}) == 9
    assert RULES.next_xid(2**32 - 2, {2**32 - 1, 0}) == 1


@given(st.sets(st.integers(0, 200)), st.booleans())
def test_the_bits_of_a_subset_name_its_positions(positions: set[int], order: bool) -> None:
    """xcharext 2.1; in either order of bits (D-73)."""
    words = RULES.subset(positions, high_bit_first=order)
    assert RULES.members(words, high_bit_first=order) == positions
    assert RULES.members((*words, 0), high_bit_first=order) == positions


def test_bit_zero_is_the_lowest_unless_told_otherwise() -> None:
    """D-73."""
    assert RULES.subset({0, 33}, high_bit_first=False) == (1, 2)
    assert RULES.subset({0, 33}, high_bit_first=True) == (1 << 31, 1 << 30)


# -- what values mean


def test_values_are_read_in_place() -> None:
    """No octets are the default; what is not known is passed over (xcharext 2.1, 6.2)."""
    values = property_values(
        UnknownProperty(4, b""),
        DefaultValue(PROP_RBSIZ),
        ALLOWED,
        UnknownProperty(EXPERIMENTAL_PROPIDS[0], b"trial"),
    )
    assert RULES.read(values) == (None, ReceiveBufferSize(4096), ALLOWED, None)


def test_a_known_value_of_another_type_is_a_decoding_error() -> None:
    """xcharext 2.1."""
    with pytest.raises(DecodeError) as error:
        RULES.read([PropertyValue(PROP_REQREMINV, b"\0\0\0\2")])
    assert error.value.reason is Reason.BAD_BOOLEAN


def test_values_have_the_codes_of_the_end() -> None:
    """D-91."""
    values = [PropertyValue(3, bytes(4)), PropertyValue(5, b""), PropertyValue(7, b"\0\0\0\2")]
    none = BackwardRequestSupport(BackwardSupport.BKREQSUP_NONE)

    assert RULES.read(values) == (none, None, None)
    adopted = (none, DerivedStructure(), ResponseTransmissionSendLimit(2))
    assert PropertyRules(ADOPTED).read(values) == adopted
    published = (RtrSupport(0), RequestTransmissionReceiveLimit(1), None)
    assert PropertyRules(AS_PUBLISHED).read(values) == published


@pytest.mark.parametrize(
    ("said", "is_sound"), [(LENGTH, True), (LENGTH - 1, False), (0, False), (2**32 - 1, False)]
)
def test_a_structure_is_as_long_as_its_segments(said: int, *, is_sound: bool) -> None:
    """D-101."""
    structure = BufferStructure(said, STRUCTURE.xmrbuf_groups)

    assert RULES.is_sound(ReceiveBufferStructure(structure)) is is_sound
    assert RULES.is_sound(DerivedStructure())
    assert RULES.is_sound(ReceiveBufferSize(said))


# -- telling and being told


def test_an_announcement_has_every_property_and_marks_what_will_not_change() -> None:
    """xcharext 4.1; D-72."""
    start = RULES.announced(PropertyValues(8192))
    assert start == PropertyValues(8192).properties()
    assert RULES.unchanging(start, {PROP_BRS, PROP_RBSIZ}) == (0, 2)
    marked = RULES.unchanging_of_peer(property_values(GENERAL, ALLOWED), {1, 5})
    assert marked == {PROP_REQREMINV}


def test_an_announcement_replaces_and_an_update_adds() -> None:
    """xcharext 4.1 and 4.4; D-79."""
    before = PropertyValues(8192, remote_invalidation=True)
    assert RULES.connected(before, [ReceiveBufferSize(6000)]) == PropertyValues(6000)
    assert RULES.updated(before, [ReceiveBufferSize(6000)]) == before.changed(
        ReceiveBufferSize(6000)
    )


def test_what_was_left_out_is_not_asked_for() -> None:
    """xcharext 4.1."""
    assert RULES.may_request(PROP_RBSIZ, {PROP_BRS})
    assert not RULES.may_request(PROP_BRS, {PROP_BRS})


def test_one_message_without_an_answer_at_a_time() -> None:
    """D-54."""
    assert RULES.may_send(unacknowledged=False)
    assert not RULES.may_send(unacknowledged=True)


# -- lengths


def test_the_first_receives_take_what_an_unaware_peer_sends() -> None:
    """xcharext 4.1: the peer may assume the default whatever it is told."""
    assert RULES.first_length(PropertyValues(1024)) == 4096
    assert RULES.first_length(PropertyValues(8192)) == 8192


def test_a_length_is_told_when_no_shorter_receive_is_left() -> None:
    """xcharext 3.1."""
    assert not RULES.may_shorten_unasked()
    assert RULES.may_tell_length(8192, receives(8192, 9000))
    assert not RULES.may_tell_length(8192, receives(9000, 8191))
    assert RULES.may_tell_length(8192, receives())


def test_a_shorter_length_that_was_asked_for_bounds_what_is_sent() -> None:
    """xcharext 3.1."""
    peer = PropertyValues(8192)
    assert RULES.send_limit(peer, None) == 8192
    assert RULES.send_limit(peer, 2048) == 2048
    assert RULES.send_limit(peer, 9000) == 8192


# -- the peer's requests

LIMITS = PropertyLimits(
    1024, 10000, remote_invalidation=True, backward=BackwardSupport.BKREQSUP_GENL
)
POSTED = (8192, 9000)


@pytest.mark.parametrize(
    ("octets", "lengths", "judgement"),
    [
        (4096, POSTED, PropertyJudgement(DONE, ReceiveBufferSize(4096))),
        (2048, POSTED, PropertyJudgement(DONE, ReceiveBufferSize(2048))),
        (1000, POSTED, PropertyJudgement(OTHER, ReceiveBufferSize(1024))),
        (8192, POSTED, PropertyJudgement(DONE, ReceiveBufferSize(8192))),
        (9000, POSTED, PropertyJudgement(OTHER, ReceiveBufferSize(8192), later=9000)),
        (20000, POSTED, PropertyJudgement(OTHER, ReceiveBufferSize(8192), later=10000)),
        (20000, (10000,), PropertyJudgement(OTHER, ReceiveBufferSize(10000))),
        (20000, (30000,), PropertyJudgement(OTHER, ReceiveBufferSize(10000))),
        (9000, (4096, 9000), PropertyJudgement(Disposition.REJECTED, later=9000)),
        (9000, (), PropertyJudgement(DONE, ReceiveBufferSize(9000))),
    ],
)
def test_another_length_is_granted_as_far_as_receives_have_it(
    octets: int, lengths: tuple[int, ...], judgement: PropertyJudgement
) -> None:
    """xcharext 3.1 and 4.3; 4096 octets are in force."""
    at_hand = standing(None, LIMITS, *lengths)
    assert RULES.judge(ReceiveBufferSize(octets), at_hand) == judgement


def test_a_length_at_or_below_the_limits_stays() -> None:
    """No change is no partial satisfaction (xcharext 4.3)."""
    short = standing(PropertyValues(1000), PropertyLimits(1024, 1000), 4096)
    assert RULES.judge(ReceiveBufferSize(500), short) == REJECTED
    assert RULES.judge(ReceiveBufferSize(2000), short) == REJECTED


def test_what_cannot_be_told_later_is_not_begun() -> None:
    """Without ROPT_UPDPROP an enlargement would stay unknown."""
    at_hand = standing(None, LIMITS, 4096, may_update=False)
    assert RULES.judge(ReceiveBufferSize(9000), at_hand) == REJECTED


@pytest.mark.parametrize(
    ("wanted", "own", "limits", "judgement"),
    [
        (ALLOWED, FORBIDDEN, None, REJECTED),
        (ALLOWED, FORBIDDEN, LIMITS, PropertyJudgement(DONE, ALLOWED)),
        (FORBIDDEN, ALLOWED, None, PropertyJudgement(DONE, FORBIDDEN)),
        (ALLOWED, ALLOWED, None, PropertyJudgement(DONE, ALLOWED)),
        (GENERAL, INLINE, None, REJECTED),
        (GENERAL, NONE, None, PropertyJudgement(OTHER, INLINE)),
        (GENERAL, INLINE, LIMITS, PropertyJudgement(DONE, GENERAL)),
        (GENERAL, GENERAL, None, PropertyJudgement(DONE, GENERAL)),
        (NONE, GENERAL, None, PropertyJudgement(DONE, NONE)),
    ],
)
def test_a_permission_is_given_as_far_as_the_limits_allow(
    wanted: KnownProperty,
    own: KnownProperty,
    limits: PropertyLimits | None,
    judgement: PropertyJudgement,
) -> None:
    """xcharext 3.2, 3.3 and 4.3."""
    assert RULES.judge(wanted, standing(PropertyValues().changed(own), limits)) == judgement


def test_what_is_fixed_or_unknown_is_not_changed() -> None:
    """xcharext 4.1, 4.3; to ask for the value in force changes nothing."""
    fixed = standing(None, LIMITS, fixed=frozenset({PROP_RBSIZ, PROP_REQREMINV}))
    assert RULES.judge(ALLOWED, fixed) == REJECTED
    assert RULES.judge(ReceiveBufferSize(2048), fixed) == REJECTED
    assert RULES.judge(FORBIDDEN, fixed) == PropertyJudgement(DONE, FORBIDDEN)
    assert RULES.judge(None, fixed) == REJECTED


@pytest.mark.parametrize(
    ("wanted", "judgement"),
    [
        (RtrSupport(7), PropertyJudgement(DONE, RtrSupport(7))),
        (RtrSupport(3), REJECTED),
        (SAME_STRUCTURE, PropertyJudgement(DONE, SAME_STRUCTURE)),
        (DerivedStructure(), REJECTED),
        (RequestTransmissionReceiveLimit(9), REJECTED),
        (ResponseTransmissionSendLimit(5), REJECTED),
    ],
)
def test_what_reduces_round_trips_is_not_changed_on_request(
    wanted: KnownProperty, judgement: PropertyJudgement
) -> None:
    """xcharext 4.2: a value that is in force is as good as granted."""
    for known in (ADOPTED, AS_PUBLISHED):
        assert PropertyRules(known).judge(wanted, standing(REDUCING.own)) == judgement


def test_receives_may_get_longer_than_their_structure() -> None:
    """D-101: of the two sizes the smaller binds the peer; the larger one does no harm."""
    rules, longer = PropertyRules(ADOPTED), ReceiveBufferSize(LENGTH + 1)

    found = rules.judge(longer, standing(REDUCING.own, None, 65536))
    assert found == PropertyJudgement(DONE, longer)
