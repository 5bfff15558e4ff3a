"""A client that is disturbed: the reference bears it, and mutants do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from conformance.tester.case import Deviation
from conformance.tester.server import useless
from conformance.tester.server.harness import ClientHarness
from conformance.verify.disturbance import Disturbed, unless_ended
from rpcrdma.fabric.completion import CompletionStatus
from targets.base import Unsupported
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.tester.server.line import Line

EXPECTED = "rfc8166.3.3.1.receives-for-expected-replies"


@pytest.fixture
def disturb() -> Iterator[Callable[[str], Disturbed]]:
    """Sets a client going, and two of its calls."""
    running: list[ClientHarness] = []

    def begin(name: str) -> Disturbed:
        harness = ClientHarness(find_any_target(name))  # type: ignore[arg-type]
        running.append(harness)
        harness.begin()
        harness.ready()
        return Disturbed.of(harness.service, harness.client, (EXPECTED,))

    yield begin
    for one in running:
        one.close()


def refuse_all(disturbed: Disturbed) -> None:
    """Refuse as many calls as use up all Receives, and use all credits."""
    for _ in range(disturbed.rounds):
        disturbed.send(useless.ONE["err-chunk"])
    disturbed.use_all_credits()


def test_the_reference_bears_it(disturb: Callable[[str], Disturbed]) -> None:
    disturbed = disturb("reference-client")

    for make in useless.ONE.values():
        disturbed.send(make)
        disturbed.send(make)

    disturbed.use_all_credits()
    assert disturbed.rounds > 0


def test_a_lost_receive_is_noticed(disturb: Callable[[str], Disturbed]) -> None:
    disturbed = disturb("mutant:loses-receives-by-refusals")

    with pytest.raises(Deviation) as caught:
        refuse_all(disturbed)

    assert caught.value.breaks == (EXPECTED,)


def test_a_call_that_goes_on_is_noticed(disturb: Callable[[str], Disturbed]) -> None:
    disturbed = disturb("mutant:hears-one-error-only")
    disturbed.send(useless.ONE["err-chunk"])

    with pytest.raises(Deviation) as caught:
        disturbed.send(useless.ONE["err-chunk"])

    assert "rfc8166.4.5.error-completes-the-rpc" in caught.value.breaks


class EndedLine:
    """Of a connection that the client has ended; what has failed before nobody has looked at."""

    connected = False
    fell_asleep = False
    lost = ""

    def __init__(self, failed: str) -> None:
        self._failed = failed

    def look(self) -> None:
        self.lost = self._failed


def test_a_connection_that_is_lost_for_want_of_a_receive_is_not_ended_by_the_client() -> None:
    unless_ended(cast("Line", EndedLine(f"Send: {CompletionStatus.RNR_RETRY_EXCEEDED.value}")))

    with pytest.raises(Unsupported, match="ended by the client"):
        unless_ended(cast("Line", EndedLine("")))
