"""One verification each about a client's calls and acts."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from conformance import verify_calls
from conformance.case import Deviation, Inconclusive
from conformance.client_harness import ClientHarness
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import ErrChunk
from targets.base import ActKind, ActResult, ActState
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterator

DONE = ActResult(ActState.DONE)
FAILED = ActResult(ActState.FAILED, "input/output error")


@pytest.fixture
def harness() -> Iterator[ClientHarness]:
    running = ClientHarness(find_any_target("reference-client"))  # type: ignore[arg-type]
    running.begin()
    running.ready()
    yield running
    running.close()


def test_done_and_failed_are_told_apart() -> None:
    verify_calls.done(DONE)
    verify_calls.failed(FAILED)
    with pytest.raises(Deviation, match="failed, though its calls were answered") as found:
        verify_calls.done(FAILED)
    assert found.value.actual == "failed (input/output error)"
    with pytest.raises(Deviation, match="takes for done what was refused"):
        verify_calls.failed(DONE)


def read(data: bytes) -> ActResult:
    return ActResult(ActState.DONE, data=data, digest=hashlib.sha256(data).hexdigest())


def test_what_was_read_is_the_pattern() -> None:
    verify_calls.reads(read(pattern(100)), 100)


@pytest.mark.parametrize(
    ("data", "actual"),
    [(pattern(99), "99 octets"), (pattern(50) + bytes(50), "100 octets, wrong from 50 on")],
)
def test_what_was_read_is_something_else(data: bytes, actual: str) -> None:
    with pytest.raises(Deviation, match="other octets than were placed") as found:
        verify_calls.reads(read(data), 100)
    assert found.value.actual == actual


def test_a_digest_is_enough_to_tell() -> None:
    with pytest.raises(Deviation) as found:
        verify_calls.reads(ActResult(ActState.DONE, digest="0" * 64), 100)
    assert found.value.actual == "other octets"
    with pytest.raises(Inconclusive, match="cannot tell what the client has read"):
        verify_calls.reads(DONE, 100)


def test_calls_in_flight_are_counted(harness: ClientHarness) -> None:
    harness.client.begin(ActKind.MANY, count=3)
    harness.service.waiting()

    verify_calls.in_flight(harness.service, at_most=3, after="so")
    with pytest.raises(Deviation, match=r"^3 calls are in flight under a grant of 2\.$"):
        verify_calls.in_flight(harness.service, at_most=2, after="under a grant of 2")


def test_there_must_be_a_call_to_look_at(harness: ClientHarness) -> None:
    calls = harness.service.received

    assert verify_calls.some(calls, "at all") == tuple(calls)
    with pytest.raises(Inconclusive, match="the client made no call with chunks"):
        verify_calls.some((), "with chunks")


def test_every_call_is_looked_at(harness: ClientHarness) -> None:
    calls = harness.service.received

    verify_calls.each(calls, lambda _call: "")
    with pytest.raises(Deviation, match=r"^It is odd\.$") as found:
        verify_calls.each(calls, lambda _call: "It is odd")
    assert found.value.actual == str(calls[0])


def test_a_refused_call_is_not_to_be_seen_again(harness: ClientHarness) -> None:
    service = harness.service
    harness.client.begin(ActKind.SMALL)
    call = service.next_call()
    service.error(call, ErrChunk())
    verify_calls.not_again(service, call)

    service.received.append(call)
    with pytest.raises(Deviation, match="sends again a call that an RDMA_ERROR has ended"):
        verify_calls.not_again(service, call)
