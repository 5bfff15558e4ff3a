"""The table of the negotiation, and what a client remembers of its server."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.negotiation.table import (
    KnownServer,
    Negotiation,
    NegotiationRules,
    NegotiationState,
    Signal,
)
from rpcrdma.wire import ErrVers

State = NegotiationState


def after(*signals: Signal, server: KnownServer | None = None) -> NegotiationState:
    negotiation = Negotiation(server or KnownServer())
    for signal in signals:
        negotiation.signal(signal)
    return negotiation.state


@pytest.mark.parametrize(
    ("signals", "state"),
    [
        ((), State.FRESH),
        ((Signal.OFFERED,), State.OFFERING),
        ((Signal.OFFERED, Signal.UNSENT), State.FRESH),
        ((Signal.OFFERED, Signal.ANSWERED), State.TWO),
        ((Signal.OFFERED, Signal.ERRED), State.TWO),
        ((Signal.OFFERED, Signal.REFUSED), State.ONE),
        ((Signal.OFFERED, Signal.EXCLUDED), State.NONE),
        ((Signal.OFFERED, Signal.ANSWERED, Signal.REFUSED), State.TWO),
        ((Signal.OFFERED, Signal.REFUSED, Signal.ANSWERED), State.ONE),
        ((Signal.OFFERED, Signal.EXCLUDED, Signal.ANSWERED), State.NONE),
        ((Signal.OFFERED, Signal.ANSWERED, Signal.LOST), State.LOST),
    ],
)
def test_a_version_is_settled_once(signals: tuple[Signal, ...], state: NegotiationState) -> None:
    """v2 5: by the first thing that tells, and for the life of the connection."""
    assert after(*signals) is state


@pytest.mark.parametrize(
    ("low", "high", "signal"),
    [
        (1, 1, Signal.REFUSED),
        (0, 7, Signal.REFUSED),
        (3, 9, Signal.EXCLUDED),
        (2, 2, Signal.EXCLUDED),  # it has just refused Two
        (2, 1, Signal.EXCLUDED),  # D-64
        (1, 0, Signal.EXCLUDED),
        (0, 0, Signal.EXCLUDED),
    ],
)
def test_the_range_of_a_refusal_decides(low: int, high: int, signal: Signal) -> None:
    """v2 5.2, D-64: a range without Version One, or one that is upside down, helps nobody."""
    assert NegotiationRules().choose(ErrVers(low, high)) is signal


@pytest.mark.parametrize(
    ("signals", "speaks_two"),
    [
        ((Signal.LOST,), True),
        ((Signal.OFFERED, Signal.LOST), False),
        ((Signal.OFFERED, Signal.REFUSED, Signal.LOST), False),
        ((Signal.OFFERED, Signal.EXCLUDED, Signal.LOST), True),
        ((Signal.OFFERED, Signal.ANSWERED, Signal.LOST), True),
    ],
)
def test_a_server_that_does_not_want_version_two_is_not_asked_again(
    signals: tuple[Signal, ...], speaks_two: bool
) -> None:
    """v2 5.2: no negotiation goes round in circles over reconnections."""
    server = KnownServer()

    after(*signals, server=server)

    assert server.speaks_two is speaks_two
    assert after(server=server) is (State.FRESH if speaks_two else State.ONE)
