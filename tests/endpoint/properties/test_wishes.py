"""What is wanted done about properties: when it is done, and what is left."""

from __future__ import annotations

from rpcrdma.endpoint.properties.values import PropertyOptions
from rpcrdma.endpoint.properties.wishes import PropertyWishes
from rpcrdma.wire.operations import ConnProp, RespProp
from rpcrdma.wire.properties import (
    PROP_RBSIZ,
    DefaultValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    UnknownProperty,
    property_values,
)
from rpcrdma.wire.subsets import subset
from tests.endpoint.properties.property_ends import (
    FIRST,
    SILENT,
    answer,
    ask,
    call,
    from_peer,
    opened,
    update,
)

SMALL = ReceiveBufferSize(1024)
PLAIN = RequesterRemoteInvalidation(allowed=False)


def test_a_request_is_made_once() -> None:
    wishes, exchange = PropertyWishes(), opened()
    wishes.ask(SMALL)

    assert not wishes.is_empty
    assert wishes.fulfil(exchange) == [call(FIRST, ask(SMALL))]
    assert wishes.is_empty
    assert wishes.fulfil(exchange) == []


def test_a_request_waits_for_the_one_before_it() -> None:
    wishes, exchange = PropertyWishes(), opened()
    wishes.ask(SMALL)
    wishes.ask(PLAIN)
    wishes.fulfil(exchange)

    assert wishes.fulfil(exchange) == []
    exchange.received()
    from_peer(exchange, RespProp(subset({0}), (), ()), FIRST)
    assert wishes.fulfil(exchange) == [call(FIRST + 1, ask(PLAIN))]


def test_what_the_peer_left_out_is_not_asked_for() -> None:
    wishes, exchange = PropertyWishes(), opened()
    from_peer(exchange, ConnProp(property_values(PLAIN), ()))
    wishes.ask(SMALL)
    wishes.ask(PLAIN)

    assert wishes.fulfil(exchange) == [call(FIRST, ask(PLAIN))]
    assert wishes.denied == [SMALL]


def test_a_change_is_told() -> None:
    wishes, exchange = PropertyWishes(), opened()
    wishes.change(UnknownProperty(77, b""), DefaultValue(PROP_RBSIZ))

    assert wishes.fulfil(exchange) == [call(FIRST, update(ReceiveBufferSize(4096)))]


def test_what_will_not_change_stays() -> None:
    wishes = PropertyWishes()
    exchange = opened(PropertyOptions(announced=False, fixed=frozenset({PROP_RBSIZ})))
    wishes.change(ReceiveBufferSize(8192))

    assert wishes.fulfil(exchange) == []
    assert exchange.posted_length == SILENT.own.receive_buffer
    assert wishes.denied == [ReceiveBufferSize(8192)]


def test_a_request_for_nothing_that_is_known_ends_there() -> None:
    wishes, exchange = PropertyWishes(), opened()
    wishes.change(UnknownProperty(77, b""))

    assert wishes.fulfil(exchange) == []
    assert from_peer(exchange, ask(PLAIN), 9) == [answer(9, RespProp(subset({0}), (), ()))]
