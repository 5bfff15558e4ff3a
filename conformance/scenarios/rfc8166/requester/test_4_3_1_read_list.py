"""rfc8166 section 4.3.1 Read List: what a Requester puts into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.ulp.pattern import first_difference
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.harness import ActingClient


@requirement(
    "rfc8166.4.3.1.read-chunk-tells-where-arguments-are",
    "rfc8166.4.3.1.listed-arguments-are-reduced",
    "rfc8166.6.1.reassembly-gives-a-valid-stream",
    role="requester",
)
@pytest.mark.parametrize("length", [1500, 70001])
def test_requester_offers_the_memory_of_its_arguments(
    service: Service, client: ActingClient, length: int
) -> None:
    """What the tester fetches, put into its place in the stream, is what the application stores."""
    result = client.do(ActKind.WRITE, length)
    storing = (call for call in service.received if call.reads and stores(service, call))
    calls = verify.calls.some(storing, "that stores from Read chunks")

    verify.calls.each(calls, lambda call: other_data(service, call, length))
    verify.calls.done(result)


def stores(service: Service, call: ReceivedCall) -> bool:
    """Whether a call has arguments that may be reduced, or cannot be looked into."""
    return call.unreduced is None or bool(service.arguments(call))


def other_data(service: Service, call: ReceivedCall, length: int) -> str:
    """What is wrong with the argument of a call that stores the pattern."""
    if call.unreduced is None:
        return f"The arguments of a call cannot be had: {call.problem}"
    items = service.arguments(call)
    stored = b"".join(call.unreduced[one.position : one.position + one.length] for one in items)
    if len(stored) != length:
        return f"{len(stored)} octets are stored instead of {length}"
    wrong = first_difference(stored)
    return "" if wrong is None else f"What is stored is wrong from octet {wrong} on"


@requirement("rfc8166.4.3.1.position-zero-chunk-carries-the-call", role="requester")
def test_requester_puts_the_whole_call_into_a_position_zero_chunk(
    service: Service, client: ActingClient
) -> None:
    """A Position-Zero Read chunk holds a complete call, from its XID on."""
    result = client.do(ActKind.LONG_CALL)
    calls = (call for call in service.received if any(not one.position for one in call.reads))

    verify.calls.each(verify.calls.some(calls, "with a Position-Zero chunk"), incomplete)
    verify.calls.done(result)


def incomplete(call: ReceivedCall) -> str:
    """What a Position-Zero Read chunk lacks."""
    if call.unreduced is None:
        return f"A Position-Zero Read chunk cannot be had: {call.problem}"
    if call.payload:
        return f"{len(call.payload)} octets of the call are beside its Position-Zero Read chunk"
    if call.unreduced[:4] != call.octets[:4] or call.rpc is None:
        return "A Position-Zero Read chunk does not begin with the header of the call"
    return ""


@requirement("rfc8166.4.3.1.read-list-empty-without-need", role="requester")
@pytest.mark.parametrize("kind", [ActKind.NULL, ActKind.SMALL, ActKind.READ, ActKind.LONG_REPLY])
def test_requester_sends_no_read_list_without_arguments(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Calls without arguments that may be reduced have an empty Read list, or are Long Calls."""
    result = client.do(kind, 6000)
    calls = (call for call in service.received if not (call.is_long or service.arguments(call)))

    verify.calls.each(
        verify.calls.some(calls, "without arguments that may be reduced"),
        lambda call: f"{len(call.reads)} read segments without need" if call.reads else "",
    )
    verify.calls.done(result)


@requirement("rfc8166.4.3.1.read-list-groups-by-position", role="requester")
def test_requester_groups_the_segments_of_a_chunk(service: Service, client: ActingClient) -> None:
    """However many segments an argument takes, there is one Position for each argument."""
    result = client.do(ActKind.WRITE, 2_500_003)
    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")

    verify.calls.each(calls, lambda call: scattered(service, call))
    verify.calls.done(result)


def scattered(service: Service, call: ReceivedCall) -> str:
    """Whether there are more Positions than arguments."""
    positions = {segment.position for segment in call.reads if segment.position}
    arguments = len(service.arguments(call))
    if len(positions) <= arguments:
        return ""
    return f"There are {len(positions)} Positions for {arguments} arguments"
