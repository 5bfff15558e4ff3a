"""v2 sections 2.1 to 2.3: how long a Requester's messages are, and its Receives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import THRESHOLD_TWO
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


@requirement("v2.2.3.no-send-beyond-4096-octets", role="requester", interpretations=("D-55",))
@pytest.mark.parametrize("length", [900, 3000, 4018, 4024, 5000, 8000])
def test_requester_sends_no_message_beyond_the_default(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """Calls of any length are done, by messages of no more than 4096 octets."""
    result = client.do(ActKind.LONG_CALL, length)

    verify.calls.obey(service_two.received, "v2.2.3.no-send-beyond-4096-octets")
    verify.calls.done(result)


@requirement("v2.5.1.both-ends-use-4096-octets", role="requester")
@pytest.mark.parametrize("length", [1100, 3000, 4032])
def test_requester_takes_replies_of_up_to_4096_octets(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """A reply that fits 4096 octets is sent inline, and the client takes it."""
    line = service_two.line
    act = client.begin(ActKind.LONG_REPLY, length)
    call = service_two.next_call(lambda one: len(service_two.draft(one).payload) > length)

    service_two.reply(call)

    verify.calls.done(service_two.serve_until(act))
    verify.calls.stands(line, f"a reply with {length} octets of results")


@requirement("v2.2.3.receives-hold-4096-octets", role="requester")
def test_requester_has_receives_of_4096_octets(service_two: Service, client: ActingClient) -> None:
    """Messages of 4096 octets that answer nothing, one in front of each reply, are borne."""
    line = service_two.line
    for _ in range(4):
        act = client.begin(ActKind.SMALL)
        call = service_two.next_call()
        service_two.send(service_two.draft(call).stray(THRESHOLD_TWO).octets)
        service_two.waiting()
        service_two.reply(call)

        result = service_two.serve_until(act)
        verify.calls.stands(line, "a message of 4096 octets")
        verify.calls.done(result)


@requirement("v2.2.1.chunk-offered-for-a-large-reply", role="requester")
@pytest.mark.parametrize("length", [4200, 10_001])
def test_requester_offers_a_chunk_for_a_large_reply(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """Where the reply may be too long for 4096 octets, the call offers memory for it."""
    result = client.do(ActKind.LONG_REPLY, length)

    verify.calls.done(result)


@requirement("v2.2.2.memory-is-fenced-when-complete", role="requester")
@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL], ids=str)
def test_requester_fences_its_memory_when_a_call_is_over(
    service_two: Service, client: ActingClient, kind: ActKind
) -> None:
    """Memory that a call has offered is out of reach once what the client did is done."""
    verify.calls.done(client.do(kind, 10_001))
    offering = (call for call in service_two.received if call.reads or call.writes)
    call = verify.calls.some(offering, "that offers memory")[-1]

    segment = call.reads[0].target if call.reads else call.writes[0].target[0]

    line = service_two.line_of(call)
    verify.memory.unreachable(service_two, line, segment, for_results=not call.reads)
