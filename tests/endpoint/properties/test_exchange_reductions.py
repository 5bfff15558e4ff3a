"""The properties of rtrext at one end: told, heard and asked for; and unknown to other ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.endpoint.properties.exchange import PropertyExchange, Refusal
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import (
    PROPERTY_OPERATIONS,
    Disposition,
    PropertyOptions,
    PropertyOutcome,
    PropertyValues,
)
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire._generated_rtrext import BufferSegmentGroup
from rpcrdma.wire.operations import ConnProp, KnownOption, ReqProp, RespProp, UpdProp
from rpcrdma.wire.properties import (
    ADOPTED,
    AS_PUBLISHED,
    BASIC,
    PROPERTIES,
    BufferStructure,
    DefaultValue,
    DerivedStructure,
    Property,
    PropertyNumbers,
    PropertyValue,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequestTransmissionReceiveLimit,
    RtrSupport,
    property_values,
)
from rpcrdma.wire.v2 import ErrBadHeader
from tests.endpoint.properties.property_ends import (
    ALLOWED,
    FIRST,
    GENERAL,
    LENGTH,
    PLAIN,
    REDUCING,
    STRUCTURE,
    answer,
    ask,
    call,
    from_peer,
    opened,
    update,
)

PUBLISHED = replace(REDUCING, numbers=AS_PUBLISHED)
TOLD = ReceiveBufferStructure(STRUCTURE)
SHORT = ReceiveBufferStructure(BufferStructure(2048, (BufferSegmentGroup(2, PLAIN),)))
UNSOUND = ReceiveBufferStructure(BufferStructure(LENGTH + 4, STRUCTURE.xmrbuf_groups))

NUMBERINGS = pytest.mark.parametrize("options", [REDUCING, PUBLISHED], ids=["adopted", "published"])


def announced(*values: Property, known: PropertyNumbers = ADOPTED) -> ConnProp:
    return ConnProp(property_values(*values, known=known), ())


# -- what an end says


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (PropertyOptions(), [1, 2, 3]),
        (PropertyOptions(numbers=AS_PUBLISHED), [1, 2, 3]),
        (REDUCING, [1, 2, 3, 4, 5, 6, 7]),
        (PUBLISHED, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_an_end_announces_the_properties_that_it_knows(
    options: PropertyOptions, codes: list[int]
) -> None:
    """xcharext 4.1; D-91."""
    exchange = PropertyExchange(options)
    exchange.receives.posted(exchange.posted_length)
    start = property_values(*options.own.properties(options.known), known=options.known)

    assert exchange.start() == [call(FIRST, ConnProp(start, ()))]
    assert [value.pv_which for value in start] == codes
    assert exchange.own == options.own


def test_a_structure_that_is_derived_is_announced_as_the_default() -> None:
    """rtrext 8.1, note 1."""
    exchange = PropertyExchange(replace(REDUCING, own=PropertyValues()))
    (message,) = exchange.start()
    expected = property_values(*(one.default for one in PROPERTIES), known=ADOPTED)

    assert message == call(FIRST, ConnProp(expected, ()))
    assert expected[4] == PropertyValue(5, b"")


@NUMBERINGS
def test_what_will_not_change_is_marked_under_its_code(options: PropertyOptions) -> None:
    """D-72."""
    (message,) = PropertyExchange(replace(options, fixed=frozenset({5, 6}))).start()
    (start, nochg) = message.option.opticonnpr_start, message.option.opticonnpr_nochg

    assert nochg == (sum(1 << n for n, one in enumerate(start) if one.pv_which in {5, 6}),)


def test_a_limit_may_be_updated_and_the_structure_may_not() -> None:
    exchange = opened(REDUCING)
    exchange.received()
    limit = RequestTransmissionReceiveLimit(2)

    assert exchange.update(limit) == [call(FIRST + 1, update(limit, known=ADOPTED))]
    assert exchange.own.request_limit == 2
    with pytest.raises(LocalProtocolError, match="keep their structure"):
        exchange.update(SHORT)


def test_a_property_without_a_code_is_neither_asked_for_nor_changed() -> None:
    """D-91: of Backward Request Support nobody speaks under the published codes."""
    for exchange, value in (
        (opened(PropertyOptions()), RtrSupport(0)),
        (opened(PUBLISHED), GENERAL),
    ):
        with pytest.raises(LocalProtocolError, match="is not known on this connection"):
            exchange.request(value)
        with pytest.raises(LocalProtocolError, match="is not known on this connection"):
            exchange.update(value)


# -- what the peer says of itself


@NUMBERINGS
def test_what_the_peer_announces_is_taken(options: PropertyOptions) -> None:
    exchange, known = opened(options), options.known
    from_peer(exchange, announced(*options.own.properties(known), known=known))

    assert exchange.peer == options.own
    assert exchange.send_limit == LENGTH


def test_an_end_of_the_transport_properties_alone_passes_over_the_others() -> None:
    """xcharext 2.1: they are unknown, whatever they hold."""
    exchange = opened()
    odd = PropertyValue(5, b"odd")
    values = (*property_values(ALLOWED, TOLD, RtrSupport(7), known=ADOPTED), odd)

    assert from_peer(exchange, ConnProp(values, ())) == []
    assert exchange.peer == PropertyValues(remote_invalidation=True)
    assert exchange.send_limit == 4096


def test_one_code_has_two_meanings() -> None:
    """D-91."""
    adopted, published = opened(REDUCING), opened(PUBLISHED)
    value = ConnProp((PropertyValue(3, b"\0\0\0\2"),), ())
    for exchange in (adopted, published):
        assert from_peer(exchange, value) == []

    assert adopted.peer == PropertyValues().changed(GENERAL)
    assert published.peer == PropertyValues(rtr_support=2)


@pytest.mark.parametrize(
    ("values", "limit"),
    [
        ((TOLD,), LENGTH),
        ((TOLD, SHORT), 2048),
        ((SHORT, DerivedStructure()), 4096),
        ((ReceiveBufferSize(8192), TOLD), 8192),
        ((TOLD, ReceiveBufferSize(8192)), 8192),
        ((ReceiveBufferSize(8192), SHORT), 2048),
        ((ReceiveBufferSize(8192), DerivedStructure()), 8192),
    ],
)
def test_the_smaller_bound_is_obeyed_and_the_size_may_follow_from_the_structure(
    values: tuple[Property, ...], limit: int
) -> None:
    """rtrext 8.3; D-101."""
    together, one_by_one = opened(REDUCING), opened(REDUCING)
    from_peer(together, announced(*values))
    for value in values:
        from_peer(one_by_one, update(value, known=ADOPTED))

    assert together.send_limit == one_by_one.send_limit == limit


def test_a_request_bounds_what_is_sent_here_as_well() -> None:
    """xcharext 3.1."""
    exchange = opened(REDUCING)
    exchange.received()
    from_peer(exchange, announced(TOLD, ReceiveBufferSize(LENGTH)))
    exchange.request(ReceiveBufferSize(2000))

    assert exchange.send_limit == 2000


@NUMBERINGS
@pytest.mark.parametrize("kind", [ConnProp, UpdProp, ReqProp])
def test_a_structure_that_is_not_as_long_as_it_says_is_an_error(
    options: PropertyOptions, kind: type[KnownOption]
) -> None:
    """D-101; the message has no effect (D-76)."""
    exchange = opened(options)
    values = property_values(ALLOWED, UNSOUND, known=options.known)
    messages = {ConnProp: ConnProp(values, ()), UpdProp: UpdProp(values), ReqProp: ReqProp(values)}

    assert from_peer(exchange, messages[kind], 4) == [Refusal(4, ErrBadHeader())]
    assert exchange.peer == PropertyValues()
    assert exchange.own == options.own


def test_rules_of_others_may_let_it_pass() -> None:
    class Lenient(PropertyRules):
        def is_sound(self, value: object) -> bool:
            return True

    exchange = opened(REDUCING, rules=Lenient)

    assert from_peer(exchange, announced(UNSOUND)) == []
    assert exchange.send_limit == LENGTH


@pytest.mark.parametrize("value", [PropertyValue(4, b"odd"), PropertyValue(5, bytes(4))])
def test_a_value_of_another_type_is_an_error_where_it_is_known(value: PropertyValue) -> None:
    """xcharext 2.1; D-59."""
    assert from_peer(opened(REDUCING), UpdProp((value,)), 4) == [Refusal(4, ErrBadHeader())]
    assert from_peer(opened(), UpdProp((value,)), 4) == []


# -- requests


@NUMBERINGS
def test_the_peer_is_told_that_only_what_is_in_force_can_be_had(options: PropertyOptions) -> None:
    """xcharext 4.2, 4.3."""
    exchange, known = opened(options), options.known
    asked = ask(TOLD, RtrSupport(3), RequestTransmissionReceiveLimit(8), SHORT, known=known)
    again = ask(TOLD, RtrSupport(3), RequestTransmissionReceiveLimit(8), known=known)

    # Of two values for one property the last counts (D-76): the structure is in the answer twice.
    assert from_peer(exchange, asked, 9) == [answer(9, RespProp((0b100,), (0b1011,), ()))]
    assert from_peer(exchange, again, 10) == [answer(10, RespProp((0b101,), (0b010,), ()))]
    assert exchange.own == options.own


def test_an_answer_about_them_is_read() -> None:
    """xcharext 4.3."""
    exchange = opened(REDUCING)
    exchange.received()
    limit, other = RequestTransmissionReceiveLimit(9), RequestTransmissionReceiveLimit(4)
    exchange.request(RtrSupport(1), DefaultValue(5), limit)
    from_peer(exchange, RespProp((1,), (2,), property_values(other, known=ADOPTED)), FIRST + 1)

    assert exchange.outcomes == (
        PropertyOutcome(4, Disposition.DONE, RtrSupport(1)),
        PropertyOutcome(5, Disposition.REJECTED),
        PropertyOutcome(6, Disposition.OTHER, other),
    )
    assert exchange.peer == PropertyValues(rtr_support=1, request_limit=4)


def test_what_a_peer_left_out_is_not_asked_for() -> None:
    """xcharext 4.1: a peer of the transport properties alone does not know them."""
    exchange = opened(REDUCING)
    from_peer(exchange, announced(*PropertyValues().properties(BASIC)))

    with pytest.raises(LocalProtocolError, match="left out property 4"):
        exchange.request(RtrSupport(7))


def test_with_fewer_operations_nothing_of_it_is_known() -> None:
    exchange = PropertyExchange(REDUCING.supporting(PROPERTY_OPERATIONS))
    (message,) = exchange.start()

    assert len(message.option.opticonnpr_start) == 3
