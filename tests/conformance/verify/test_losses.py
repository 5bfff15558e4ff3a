"""A client makes its lost calls again, or tells of them and goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Deviation
from conformance.tester.server.harness import ClientHarness
from conformance.verify import losses
from targets.base import ActKind, ActResult
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SURVIVES = ("rfc8166.4.5.5.rpc-survives-connection-loss",)


@pytest.fixture
def losing() -> Iterator[Callable[[str], tuple[ClientHarness, ActResult]]]:
    """Sets a client going, and ends the connection on which a call of it waits."""
    running: list[ClientHarness] = []

    def begin(name: str) -> tuple[ClientHarness, ActResult]:
        harness = ClientHarness(find_any_target(name))  # type: ignore[arg-type]
        running.append(harness)
        harness.begin()
        service = harness.ready()
        act = harness.client.begin(ActKind.SMALL)
        service.drop(service.line_of(service.next_call()))
        return harness, service.serve_until(act)

    yield begin
    for one in running:
        one.close()


def test_what_is_made_again_needs_no_note(
    losing: Callable[[str], tuple[ClientHarness, ActResult]],
) -> None:
    harness, result = losing("reference-client")

    assert losses.survived(harness.service, harness.client, result, SURVIVES)
    assert harness.case.notes == []


def test_what_is_told_to_the_application_is_a_note(
    losing: Callable[[str], tuple[ClientHarness, ActResult]],
) -> None:
    harness, result = losing("variant:tells-of-lost-calls")

    assert not losses.survived(harness.service, harness.client, result, SURVIVES)
    assert "tells its application" in harness.case.notes[0]


def test_what_is_neither_told_nor_made_again_fails(
    losing: Callable[[str], tuple[ClientHarness, ActResult]],
) -> None:
    with pytest.raises(Deviation):
        losing("mutant:forgets-lost-calls")
