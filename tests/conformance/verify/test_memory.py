"""Memory that a client offers is tried, and what is wrong with its description is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server.harness import ClientHarness
from targets.base import ActKind
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.tester.server import ReceivedCall

DESCRIBED = "rfc8166.3.4.3.header-describes-the-memory"


@pytest.fixture
def start() -> Iterator[Callable[[str], ClientHarness]]:
    """Sets a client going, and makes it ready."""
    running: list[ClientHarness] = []

    def begin(name: str) -> ClientHarness:
        harness = ClientHarness(find_any_target(name))  # type: ignore[arg-type]
        running.append(harness)
        harness.begin()
        harness.ready()
        return harness

    yield begin
    for one in running:
        one.close()


@pytest.fixture
def harness(start: Callable[[str], ClientHarness]) -> ClientHarness:
    return start("reference-client")


@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE, ActKind.LONG_REPLY])
def test_what_a_good_call_offers_is_there(harness: ClientHarness, kind: ActKind) -> None:
    act = harness.client.begin(kind, 6000)
    call = harness.service.next_call()

    verify.memory.described(harness.service, call)

    harness.service.reply(call)
    assert harness.service.serve_until(act).done
    assert call.verdicts == []


@pytest.mark.parametrize(
    ("mutant", "kind", "length", "wrong"),
    [
        ("offers-more-than-it-registered", ActKind.LONG_REPLY, 6001, ("segment-length-in-octets",)),
        ("points-behind-the-start", ActKind.READ, 6001, ("segment-offset",)),
        ("names-the-first-handle-again", ActKind.WRITE, 2_500_003, ("segment-handle",)),
        (
            "leaves-memory-of-results-to-the-server",
            ActKind.READ,
            6001,
            ("segment-handle", "memory-is-the-requesters"),
        ),
    ],
)
def test_what_is_wrong_with_a_segment_is_told(
    start: Callable[[str], ClientHarness],
    mutant: str,
    kind: ActKind,
    length: int,
    wrong: tuple[str, ...],
) -> None:
    harness = start(f"mutant:{mutant}")
    harness.client.begin(kind, length)
    call = harness.service.next_call()

    with pytest.raises(Deviation, match="Memory that a call offers cannot be") as found:
        verify.memory.described(harness.service, call)

    assert found.value.breaks == (DESCRIBED, *(f"rfc8166.3.4.3.{one}" for one in wrong))
    assert [one.breaks for one in call.verdicts] == [found.value.breaks]


def test_a_call_that_does_not_come_again_says_no_more(
    start: Callable[[str], ClientHarness],
) -> None:
    harness = start("mutant:leaves-memory-of-replies-to-the-server")
    act = harness.client.begin(ActKind.LONG_REPLY, 6001)
    call = harness.service.next_call()
    act.abandon()

    with pytest.raises(Deviation) as found:
        verify.memory.described(harness.service, call)

    assert found.value.breaks == (DESCRIBED,)


@pytest.mark.parametrize(
    ("kind", "for_results", "how"),
    [(ActKind.READ, True, "written"), (ActKind.WRITE, False, "read")],
)
def test_memory_within_reach_is_found(
    harness: ClientHarness, kind: ActKind, how: str, *, for_results: bool
) -> None:
    """First of a call in progress, then when it is over."""
    service = harness.service
    act = harness.client.begin(kind, 4000)
    call = service.next_call()
    segment = call.writes[0].target[0] if for_results else call.reads[0].target
    line = service.line_of(call)

    with pytest.raises(Deviation, match=f"can still be {how}"):
        verify.memory.unreachable(service, line, segment, for_results=for_results)
    service.reply(call)
    service.serve_until(act)
    verify.memory.unreachable(service, line, segment, for_results=for_results)
    with pytest.raises(Inconclusive, match="ended before the memory could be tried"):
        verify.memory.unreachable(service, line, segment, for_results=for_results)


@pytest.mark.parametrize(
    ("name", "length", "exposed"),
    [
        ("reference-client", 2_500_003, False),
        ("mutant:leaves-the-last-segment-exposed", 2_500_003, True),
        ("mutant:leaves-the-last-segment-exposed", 6000, False),
    ],
)
def test_each_segment_of_a_call_that_is_over_is_tried(
    start: Callable[[str], ClientHarness], name: str, length: int, exposed: bool
) -> None:
    harness = start(name)
    service = harness.service
    tried: list[int] = []

    def make_and_end() -> ReceivedCall:
        act = harness.client.begin(ActKind.WRITE, length)
        call = service.next_call()
        service.reply(call)
        assert service.serve_until(act).done
        tried.append(len(call.reads))
        return call

    if exposed:
        with pytest.raises(Deviation):
            verify.memory.all_unreachable(service, make_and_end, breaks=(DESCRIBED,))
        return
    verify.memory.all_unreachable(service, make_and_end, breaks=(DESCRIBED,))
    assert tried == [tried[0]] * min(tried[0], verify.memory.MOST)


def test_a_call_without_memory_shows_nothing(harness: ClientHarness) -> None:
    act = harness.client.begin(ActKind.SMALL)
    call = harness.service.next_call()
    harness.service.reply(call)
    assert harness.service.serve_until(act).done

    with pytest.raises(Inconclusive):
        verify.memory.last_unreachable(harness.service, call, breaks=(DESCRIBED,))
