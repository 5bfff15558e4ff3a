"""What one end asks for and how it reads the answer, and what the peer refuses."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.properties.exchange import OptionMessage, PropertyExchange, Refusal
from rpcrdma.endpoint.properties.values import (
    PROPERTY_OPERATIONS,
    Disposition,
    PropertyOptions,
    PropertyOutcome,
    PropertyValues,
)
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.operations import ROPT_CONNPROP, ROPT_REQPROP, ConnProp, RespProp
from rpcrdma.wire.properties import (
    PROP_BRS,
    PROP_RBSIZ,
    PROP_REQREMINV,
    PropertyValue,
    ReceiveBufferSize,
    UnknownProperty,
    property_values,
)
from rpcrdma.wire.v2 import ErrBadHeader
from tests.endpoint.properties.property_ends import (
    ALLOWED,
    FIRST,
    GENERAL,
    LARGE,
    ask,
    call,
    from_peer,
    opened,
    replaced,
    update,
)

DONE, REJECTED, OTHER = Disposition.DONE, Disposition.REJECTED, Disposition.OTHER


# -- what this end asks for


def test_a_request_bounds_what_is_sent_until_it_is_answered() -> None:
    """xcharext 3.1, 4.3."""
    exchange = opened()
    assert exchange.request(ReceiveBufferSize(2048)) == [call(FIRST, ask(ReceiveBufferSize(2048)))]
    assert exchange.is_pending
    assert exchange.send_limit == 2048
    from_peer(exchange, update(ReceiveBufferSize(8192)))
    assert exchange.send_limit == 2048
    from_peer(exchange, RespProp((), (1,), ()), FIRST)
    assert not exchange.is_pending
    assert exchange.send_limit == 8192
    assert exchange.outcomes == (PropertyOutcome(PROP_RBSIZ, REJECTED),)


def test_an_answer_is_read_and_takes_effect() -> None:
    """xcharext 4.3: a value for what was not asked is ignored."""
    exchange = opened()
    odd = UnknownProperty(77, b"odd")
    exchange.request(odd, ReceiveBufferSize(9000), ALLOWED)
    others = property_values(ReceiveBufferSize(6000), GENERAL)
    assert from_peer(exchange, RespProp((0b101,), (), others), FIRST) == []
    assert exchange.outcomes == (
        PropertyOutcome(77, DONE),
        PropertyOutcome(PROP_RBSIZ, OTHER, ReceiveBufferSize(6000)),
        PropertyOutcome(PROP_REQREMINV, DONE, ALLOWED),
    )
    assert exchange.peer == PropertyValues(6000, remote_invalidation=True)


def test_an_overlap_or_a_gap_is_a_rejection() -> None:
    """xcharext 4.3."""
    exchange = opened()
    exchange.request(ALLOWED, ReceiveBufferSize(2048))
    from_peer(exchange, RespProp((1,), (1,), ()), FIRST)
    assert exchange.outcomes == (
        PropertyOutcome(PROP_REQREMINV, REJECTED),
        PropertyOutcome(PROP_RBSIZ, REJECTED),
    )
    assert exchange.peer == PropertyValues()


def test_an_answer_to_nothing_is_ignored() -> None:
    """Before a request, to one that is not sent, with another XID, and a second time."""
    exchange = opened(LARGE)
    full = RespProp((1,), (), ())
    assert from_peer(exchange, full, FIRST) == []
    assert exchange.request(ReceiveBufferSize(2048)) == []
    assert from_peer(exchange, full, FIRST + 1) == []
    assert exchange.is_pending
    assert replaced(exchange) == [call(FIRST + 1, ask(ReceiveBufferSize(2048)))]
    assert from_peer(exchange, full, FIRST) == []
    assert exchange.is_pending
    assert from_peer(exchange, full, FIRST + 1) == []
    assert exchange.peer == PropertyValues(2048)
    from_peer(exchange, update(ReceiveBufferSize(8192)))
    from_peer(exchange, full, FIRST + 1)
    assert exchange.peer == PropertyValues(8192)


def test_a_bad_answer_leaves_the_request_pending() -> None:
    """Nothing is applied (D-76); the peer may have shorter Receives, so the bound stays."""
    exchange = opened()
    exchange.request(ReceiveBufferSize(2048))
    bad = RespProp((1,), (), (PropertyValue(PROP_BRS, b"\0"),))
    assert from_peer(exchange, bad, FIRST) == [Refusal(FIRST, ErrBadHeader())]
    assert exchange.is_pending
    assert exchange.send_limit == 2048


def test_requests_that_the_document_rules_out_are_refused() -> None:
    """xcharext 4 and 4.1; one at a time."""
    exchange = opened()
    from_peer(exchange, ConnProp(property_values(GENERAL), ()))
    with pytest.raises(LocalProtocolError, match="left out property 2"):
        exchange.request(ALLOWED)
    with pytest.raises(LocalProtocolError, match=r"not a set of properties: \[3, 3\]"):
        exchange.request(GENERAL, GENERAL)
    exchange.request(GENERAL)
    with pytest.raises(LocalProtocolError, match="another request is pending"):
        exchange.request(GENERAL)
    unable = opened(PropertyOptions(operations=PROPERTY_OPERATIONS - {ROPT_REQPROP}))
    with pytest.raises(LocalProtocolError, match="does not support requests"):
        unable.request(GENERAL)


def test_a_request_may_be_made_before_the_version_is_agreed() -> None:
    """It is sent after the announcement; the bound holds from now on."""
    exchange = PropertyExchange()
    assert exchange.request(ReceiveBufferSize(2048)) == []
    assert exchange.send_limit == 2048
    assert [message.xid for message in exchange.start() if isinstance(message, OptionMessage)] == [
        FIRST
    ]
    exchange.receives.posted(4096)
    assert replaced(exchange) == [call(FIRST + 1, ask(ReceiveBufferSize(2048)))]


# -- what the peer refuses


def test_a_refused_announcement_leaves_the_defaults() -> None:
    """xcharext 4.1: the peer goes on assuming them."""
    exchange = opened(LARGE)
    assert exchange.refused(FIRST)
    assert exchange.own == PropertyValues()
    assert exchange.refused_operations == {ROPT_CONNPROP}
    assert not exchange.refused(FIRST)


def test_a_refused_update_is_taken_back_and_none_follows() -> None:
    """v2 3.1; what waits is dropped."""
    exchange = opened()
    exchange.update(ALLOWED)
    exchange.update(GENERAL)
    assert exchange.refused(FIRST)
    assert exchange.own == PropertyValues()
    assert replaced(exchange) == []
    assert exchange.update(ReceiveBufferSize(8192)) == []
    assert exchange.posted_length == 4096


def test_a_refused_request_is_rejected_and_so_is_every_later_one() -> None:
    """xcharext 3: the effect is that of a rejection."""
    exchange = opened()
    exchange.request(ReceiveBufferSize(2048))
    assert exchange.refused(FIRST)
    assert exchange.outcomes == (PropertyOutcome(PROP_RBSIZ, REJECTED),)
    assert exchange.send_limit == 4096
    replaced(exchange)
    assert exchange.request(ALLOWED) == []
    assert exchange.outcomes == (PropertyOutcome(PROP_REQREMINV, REJECTED),)
    assert not exchange.is_pending


def test_a_refused_message_of_another_kind_leaves_a_request_pending() -> None:
    """Errors name an XID and nothing else (D-53)."""
    exchange = opened(LARGE)
    replaced(exchange)
    exchange.request(ALLOWED)
    assert exchange.refused(FIRST)
    assert exchange.is_pending


def test_a_refused_answer_changes_nothing() -> None:
    """The peer asked, so it was done; its XID is the peer's, and an RPC may have it (D-77)."""
    exchange = opened(LARGE)
    from_peer(exchange, ask(ReceiveBufferSize(2048)), 9)
    assert not exchange.rejected(9)
    assert exchange.refused(9)
    assert exchange.own == PropertyValues(2048)
    assert exchange.refused_operations == frozenset()


def test_a_message_that_the_peer_could_not_read_has_no_effect() -> None:
    """D-59, D-76: the operation may be used again."""
    exchange = opened()
    exchange.request(ALLOWED)
    assert not exchange.rejected(1)
    assert not exchange.refused(1)
    assert exchange.rejected(FIRST)
    assert exchange.outcomes == (PropertyOutcome(PROP_REQREMINV, REJECTED),)
    assert replaced(exchange) == []
    assert exchange.request(ALLOWED) == [call(FIRST + 1, ask(ALLOWED))]
