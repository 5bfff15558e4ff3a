"""rfc8166 section 4.3.1 Read List: what a Requester puts into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient


WHERE: Final = "rfc8166.4.3.1.read-chunk-tells-where-arguments-are"
LISTED: Final = "rfc8166.4.3.1.listed-arguments-are-reduced"
VALID: Final = "rfc8166.6.1.reassembly-gives-a-valid-stream"
WHOLE: Final = "rfc8166.4.3.1.position-zero-chunk-carries-the-call"
WITHOUT_NEED: Final = "rfc8166.4.3.1.read-list-empty-without-need"
GROUPED: Final = "rfc8166.4.3.1.read-list-groups-by-position"


@requirement(
    WHERE,
    LISTED,
    VALID,
    role="requester",
    narrower="the case knows what was to be stored",
)
@pytest.mark.parametrize("length", [1500, 70001])
def test_requester_offers_the_memory_of_its_arguments(
    service: Service, client: ActingClient, length: int
) -> None:
    """What the tester fetches, put into its place in the stream, is what the application stores."""
    result = client.do(ActKind.WRITE, length)
    storing = (call for call in service.received if call.reads and stores(service, call))
    calls = verify.calls.some(storing, "that stores from Read chunks")

    verify.calls.obey(calls, LISTED, VALID)
    verify.calls.stores(service, calls, length, (WHERE,))
    verify.calls.done(result)


def stores(service: Service, call: ReceivedCall) -> bool:
    """Whether a call has arguments that may be reduced, or cannot be looked into."""
    return call.unreduced is None or bool(service.arguments(call))


@requirement(WHOLE, role="requester")
def test_requester_puts_the_whole_call_into_a_position_zero_chunk(
    service: Service, client: ActingClient
) -> None:
    """A Position-Zero Read chunk holds a complete call, from its XID on."""
    result = client.do(ActKind.LONG_CALL)
    calls = (call for call in service.received if any(not one.position for one in call.reads))

    verify.calls.obey(verify.calls.some(calls, "with a Position-Zero chunk"), WHOLE)
    verify.calls.done(result)


@requirement(WITHOUT_NEED, role="requester")
@pytest.mark.parametrize("kind", [ActKind.NULL, ActKind.SMALL, ActKind.READ, ActKind.LONG_REPLY])
def test_requester_sends_no_read_list_without_arguments(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Calls without arguments that may be reduced have an empty Read list, or are Long Calls."""
    result = client.do(kind, 6000)
    calls = (call for call in service.received if not (call.is_long or service.arguments(call)))

    found = verify.calls.some(calls, "without arguments that may be reduced")
    verify.calls.obey(found, WITHOUT_NEED)
    verify.calls.done(result)


@requirement(GROUPED, role="requester")
def test_requester_groups_the_segments_of_a_chunk(service: Service, client: ActingClient) -> None:
    """However many segments an argument takes, there is one Position for each argument."""
    result = client.do(ActKind.WRITE, 2_500_003)
    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")

    verify.calls.obey(calls, GROUPED)
    verify.calls.done(result)
