"""What one end tells of itself, and what it makes of what the peer tells and asks."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.properties.exchange import (
    OptionMessage,
    PostedLength,
    PropertyExchange,
    Refusal,
)
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import (
    PropertyOptions,
    PropertyValues,
)
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.operations import (
    ROPT_CONNPROP,
    ROPT_REQPROP,
    ROPT_UPDPROP,
    ConnProp,
    ReqProp,
    RespProp,
    UpdProp,
)
from rpcrdma.wire.optional import Option, UnknownOption, encode_option
from rpcrdma.wire.properties import (
    PROP_BRS,
    PROP_RBSIZ,
    PROP_REQREMINV,
    DefaultValue,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    UnknownProperty,
    property_values,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import ErrBadHeader, ErrInvalidOption, Rdma2Optional
from tests.endpoint.properties.property_ends import (
    ALLOWED,
    FIRST,
    GENERAL,
    LARGE,
    SILENT,
    answer,
    ask,
    call,
    from_peer,
    opened,
    replaced,
    update,
)

# -- the start


def test_the_start_announces_every_property_once() -> None:
    """xcharext 4.1; what is announced is in force, as far as this end can tell."""
    options = PropertyOptions(PropertyValues(8192), fixed=frozenset({PROP_BRS}))
    exchange = PropertyExchange(options)
    exchange.receives.posted(exchange.posted_length)
    assert exchange.own == PropertyValues()
    start = property_values(*options.own.properties())
    assert exchange.start() == [call(FIRST, ConnProp(start, (4,)))]
    assert exchange.own == PropertyValues(8192)
    with pytest.raises(LocalProtocolError, match="announced once"):
        exchange.start()


def test_the_bits_may_be_counted_from_the_other_end() -> None:
    """D-73."""
    options = PropertyOptions(fixed=frozenset({PROP_RBSIZ}), high_bit_first=True)
    start = property_values(*PropertyValues().properties())
    assert PropertyExchange(options).start() == [call(FIRST, ConnProp(start, (1 << 31,)))]


def test_an_end_that_does_not_announce_has_the_defaults() -> None:
    """D-79; its Receives may be longer than it says."""
    exchange = opened(PropertyOptions(PropertyValues(8192), announced=False))
    assert exchange.own == exchange.peer == PropertyValues()
    assert exchange.posted_length == 8192
    assert exchange.send_limit == 4096


def test_an_announcement_tells_no_longer_receives_than_are_posted() -> None:
    """xcharext 3.1: the rest follows when the short ones are gone."""
    exchange = PropertyExchange(LARGE)
    exchange.receives.posted(4096)
    start = property_values(*PropertyValues().properties())
    assert exchange.start() == [call(FIRST, ConnProp(start, ()))]
    exchange.receives.posted(exchange.posted_length)
    assert replaced(exchange) == [call(FIRST + 1, update(ReceiveBufferSize(8192)))]
    assert exchange.own == PropertyValues(8192)


@pytest.mark.parametrize(
    "options",
    [
        PropertyOptions(PropertyValues(8192), fixed=frozenset({PROP_RBSIZ})),
        PropertyOptions(PropertyValues(8192), operations=frozenset({ROPT_CONNPROP})),
    ],
)
def test_a_length_that_may_not_change_stays_as_it_was_announced(options: PropertyOptions) -> None:
    """opticonnpr_nochg is kept, and so is silence without ROPT_UPDPROP."""
    exchange = opened(options, 4096)
    exchange.receives.posted(8192)
    assert replaced(exchange) == []
    assert exchange.own == PropertyValues()


# -- what the peer says of itself


def test_an_announcement_of_the_peer_is_taken() -> None:
    """xcharext 2.1, 4.1: unknown properties are passed over, no octets are the default."""
    exchange = opened()
    values = property_values(
        UnknownProperty(77, b"odd"), ReceiveBufferSize(1024), DefaultValue(PROP_BRS)
    )
    assert from_peer(exchange, ConnProp(values, (0b101,))) == []
    assert exchange.peer == PropertyValues(1024)
    assert exchange.peer_fixed == {77, PROP_BRS}
    assert exchange.send_limit == 1024
    assert from_peer(exchange, ConnProp(property_values(ALLOWED), ())) == []
    assert exchange.peer == PropertyValues(remote_invalidation=True)
    assert exchange.peer_fixed == frozenset()


def test_an_update_of_the_peer_leaves_the_rest() -> None:
    """xcharext 4.4; of two values the last counts (D-76)."""
    exchange = opened()
    from_peer(exchange, ConnProp(property_values(ReceiveBufferSize(8192)), ()))
    changes = update(GENERAL, ALLOWED, DefaultValue(PROP_REQREMINV))
    assert from_peer(exchange, changes) == []
    assert exchange.peer == PropertyValues(8192).changed(GENERAL)
    assert exchange.send_limit == 8192


@pytest.mark.parametrize("opttype", [0, 5, 99, ROPT_REQPROP])
def test_an_operation_that_is_not_supported_is_refused(opttype: int) -> None:
    """v2 3.1; even if its octets could not be decoded."""
    exchange = opened(PropertyOptions(operations=frozenset({ROPT_CONNPROP})))
    for direction in MessageType:
        message = Rdma2Optional(direction, opttype, b"\xff")
        assert exchange.receive(3, message) == [Refusal(3, ErrInvalidOption())]


@pytest.mark.parametrize(
    "values",
    [
        (PropertyValue(PROP_RBSIZ, bytes(8)),),
        (PropertyValue(PROP_RBSIZ, bytes(2)),),
        (PropertyValue(PROP_BRS, b"\0\0\0\3"),),
    ],
)
def test_a_message_with_a_bad_value_is_an_error_and_has_no_effect(
    values: tuple[PropertyValue, ...],
) -> None:
    """xcharext 2.1; D-59, D-76."""
    exchange = opened()
    good = property_values(ReceiveBufferSize(8192))
    bad: list[Option] = [
        ConnProp(good + values, ()),
        UpdProp(good + values),
        ReqProp(good + values),
        RespProp((), (), good + values),
    ]
    for option in bad:
        assert from_peer(exchange, option, 4) == [Refusal(4, ErrBadHeader())]
    assert exchange.own == exchange.peer == PropertyValues()


def test_octets_left_over_are_an_error() -> None:
    """D-60, D-76."""
    message = encode_option(MessageType.CALL, update(ALLOWED))
    longer = Rdma2Optional(MessageType.CALL, ROPT_UPDPROP, message.rdma_optinfo + bytes(4))
    exchange = opened()
    assert exchange.receive(4, longer) == [Refusal(4, ErrBadHeader())]
    assert exchange.peer == PropertyValues()


def test_an_end_may_be_made_to_say_nothing_or_to_swallow_what_it_does_not_know() -> None:
    """Deviations that rules of others bring about."""

    class Mute(PropertyRules):
        def unsupported(self) -> None:
            return None

    class Credulous(PropertyRules):
        def is_supported(self, opttype: int, operations: object) -> bool:
            return True

    for rules in (Mute, Credulous):
        assert from_peer(opened(rules=rules), UnknownOption(99, b"odd")) == []


# -- what the peer asks for


def test_a_shorter_length_is_done_at_once_and_answered_first() -> None:
    """xcharext 3.1: Receives are not made shorter before the answer."""
    exchange = opened(LARGE)
    assert from_peer(exchange, ask(ReceiveBufferSize(2048)), 9) == [
        answer(9, RespProp((1,), (), ())),
        PostedLength(2048),
    ]
    assert exchange.own == PropertyValues(2048)
    assert exchange.posted_length == 2048


def test_a_longer_length_is_rejected_and_told_when_the_short_receives_are_gone() -> None:
    """xcharext 3.1."""
    exchange = opened(SILENT, 4096, 4096)
    assert from_peer(exchange, ask(ReceiveBufferSize(8192)), 9) == [
        PostedLength(8192),
        answer(9, RespProp((), (1,), ())),
    ]
    assert replaced(exchange) == []
    assert exchange.own == PropertyValues()
    assert replaced(exchange) == [call(FIRST, update(ReceiveBufferSize(8192)))]
    assert exchange.own == PropertyValues(8192)


def test_a_length_that_receives_have_already_is_granted_and_kept() -> None:
    """Shorter Receives were to come: they are not posted any more."""
    exchange = opened(LARGE)
    from_peer(exchange, ask(ReceiveBufferSize(2048)))
    assert from_peer(exchange, ask(ReceiveBufferSize(8192)), 2) == [
        PostedLength(8192),
        answer(2, RespProp((1,), (), ())),
    ]
    assert exchange.own == PropertyValues(8192)


def test_each_requested_property_is_in_one_part_of_the_answer() -> None:
    """xcharext 4.3; the last of two values counts (D-76), and the value is told."""
    exchange = opened(LARGE)
    wanted = ask(
        ReceiveBufferSize(4096),
        UnknownProperty(77, b"odd"),
        ALLOWED,
        DefaultValue(PROP_BRS),
        ReceiveBufferSize(1000),
    )
    other = property_values(ReceiveBufferSize(1024))
    assert from_peer(exchange, wanted, 9) == [
        answer(9, RespProp((0b1000,), (0b110,), other)),
        PostedLength(1024),
    ]
    assert exchange.own == PropertyValues(1024)


def test_a_wish_for_shorter_receives_ends_an_enlargement() -> None:
    """Nothing longer is told while shorter ones are posted."""
    exchange = opened(LARGE)
    exchange.received()
    assert exchange.update(ReceiveBufferSize(16384)) == [PostedLength(16384)]
    from_peer(exchange, ask(ReceiveBufferSize(2048)))
    assert [replaced(exchange) for _ in range(4)] == [[]] * 4
    assert exchange.own == PropertyValues(2048)


def test_an_answer_does_not_wait_for_an_acknowledgement() -> None:
    """xcharext 2.3: it is half of a transaction, and not one of the messages of D-54."""
    exchange = opened(LARGE)
    assert exchange.update(ALLOWED) == []
    assert from_peer(exchange, ask(ALLOWED), 9) == [answer(9, RespProp((), (1,), ()))]
    assert replaced(exchange) == [call(FIRST + 1, update(ALLOWED))]


# -- what this end changes


def test_a_longer_length_is_posted_first_and_told_last() -> None:
    """xcharext 3.1; other values need not wait."""
    exchange = opened(SILENT, 4096)
    assert exchange.update(ReceiveBufferSize(8192), ALLOWED) == [
        PostedLength(8192),
        call(FIRST, update(ALLOWED)),
    ]
    assert exchange.own == PropertyValues(remote_invalidation=True)
    assert replaced(exchange) == [call(FIRST + 1, update(ReceiveBufferSize(8192)))]
    assert exchange.own == PropertyValues(8192, remote_invalidation=True)


def test_changes_wait_for_an_acknowledgement_and_go_together() -> None:
    """D-54: one message without an answer at a time; any message acknowledges it."""
    exchange = opened(PropertyOptions())
    assert exchange.update(ALLOWED) == []
    assert exchange.update(GENERAL, DefaultValue(PROP_REQREMINV)) == []
    told = update(RequesterRemoteInvalidation(allowed=False), GENERAL)
    assert replaced(exchange) == [call(FIRST + 1, told)]
    assert replaced(exchange) == []


def test_changes_that_the_document_rules_out_are_refused() -> None:
    """xcharext 3.1, 4.1; nothing is sent and nothing changes."""
    exchange = opened(PropertyOptions(fixed=frozenset({PROP_BRS})))
    with pytest.raises(LocalProtocolError, match="shorter at the peer's request"):
        exchange.update(ALLOWED, ReceiveBufferSize(4095))
    with pytest.raises(LocalProtocolError, match="property 3 will not change"):
        exchange.update(ALLOWED, GENERAL)
    with pytest.raises(LocalProtocolError, match=r"not a set of properties: \[2, 2\]"):
        exchange.update(ALLOWED, ALLOWED)
    with pytest.raises(LocalProtocolError, match="not a set of properties"):
        exchange.update()
    assert replaced(exchange) == []
    with pytest.raises(LocalProtocolError, match="before the version is agreed"):
        PropertyExchange().update(ALLOWED)
    unable = opened(PropertyOptions(operations=frozenset({ROPT_CONNPROP})))
    with pytest.raises(LocalProtocolError, match="does not support updates"):
        unable.update(ALLOWED)


# -- a peer that has no room (D-142)


def test_an_update_waits_for_room() -> None:
    """xcharext 3.1: 40 octets with one value."""
    exchange = opened()
    exchange.receives.posted(8192)
    from_peer(exchange, update(ReceiveBufferSize(43)))

    assert exchange.update(ALLOWED) == []
    assert exchange.own == PropertyValues()
    assert from_peer(exchange, update(ReceiveBufferSize(44))) == [call(FIRST, update(ALLOWED))]


def test_a_request_waits_for_room() -> None:
    exchange = opened()
    from_peer(exchange, update(ReceiveBufferSize(0)))

    assert exchange.request(ALLOWED) == []
    assert exchange.is_pending
    assert from_peer(exchange, update(ReceiveBufferSize(4096))) == [call(FIRST, ask(ALLOWED))]


def test_the_announcement_waits_for_room() -> None:
    """The peer's own may come first."""
    exchange = PropertyExchange()
    from_peer(exchange, ConnProp(property_values(ReceiveBufferSize(16)), ()))

    assert exchange.start() == []
    (told,) = from_peer(exchange, update(ReceiveBufferSize(4096)))
    assert isinstance(told, OptionMessage)
    assert isinstance(told.option, ConnProp)
    assert from_peer(exchange, update(ReceiveBufferSize(4096))) == []
