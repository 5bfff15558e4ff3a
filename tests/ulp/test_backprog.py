"""The program that has a server call back, on a service that only notes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp import backprog, rpc, testprog_calls
from rpcrdma.wire import _generated_backprog as wire

if TYPE_CHECKING:
    from collections.abc import Callable


class Noting:
    """A service that accepts the clients of its list."""

    def __init__(self, known: tuple[int, ...] = (1, 2)) -> None:
        self.known = known
        self.made: list[tuple[int, bytes]] = []

    def ready(self, identity: int) -> bool:
        return identity in self.known

    def call(self, identity: int, encode: Callable[[int], bytes]) -> None:
        self.made.append((identity, encode(99)))

    def tally(self, identity: int) -> backprog.Tally:
        return backprog.Tally(len(self.made), identity, 5)


def answer(service: Noting, call: bytes) -> bytes:
    (reply,) = backprog.BackwardProgram(service).execute(call)
    assert len(reply) <= backprog.BackwardProgram(service).expectation(call).maximum
    return reply


def test_a_client_announces_itself() -> None:
    """A service may refuse it."""
    assert backprog.decode_state(answer(Noting(), backprog.ready(7, 1))) == backprog.Tally(0, 1, 5)
    assert backprog.decode_state(answer(Noting(), backprog.ready(7, 9))) is None


@pytest.mark.parametrize("length", [0, 1, 100])
def test_calls_are_made_to_the_client_that_is_named(length: int) -> None:
    """NULL, or LONG_CALL with an argument of that length."""
    service = Noting()
    assert backprog.decode_state(answer(service, backprog.call(7, 2, 3, length))) is not None
    assert service.made == [(2, backprog.wanted_call(length)(99))] * 3
    (payload,) = {payload for _, payload in service.made}
    assert len(payload) == 40 + (4 + -(-length // 4) * 4 if length else 0)
    assert rpc.decode_reply(testprog_calls.expected_reply(payload))[0].succeeded


@pytest.mark.parametrize(
    ("count", "length"),
    [(wire.BACKWARD_MAX_CALLS + 1, 0), (1, wire.BACKWARD_MAX_LENGTH + 1)],
)
def test_too_much_is_refused_and_changes_nothing(count: int, length: int) -> None:
    """A call over the wire must not cost the service its memory."""
    service = Noting()
    assert backprog.decode_state(answer(service, backprog.call(7, 2, count, length))) is None
    assert service.made == []


def test_the_state_can_be_asked_for() -> None:
    """And NULL does nothing."""
    assert backprog.decode_state(answer(Noting(), backprog.state(7, 2))) == backprog.Tally(0, 2, 5)
    null = rpc.encode_call(7, wire.BACKWARD_PROGRAM, wire.BACKWARD_VERSION, 0)
    assert answer(Noting(), null) == rpc.accepted(7)
