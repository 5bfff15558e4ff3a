"""rfc8166 section 3.5.3 Long Messages: Long Calls of a Requester."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify_calls
from conformance.requirement import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.client_harness import ActingClient
    from conformance.service import ReceivedCall, Service


def wrong_form(call: ReceivedCall) -> str:
    """What is wrong with a call that brings its whole payload in a chunk."""
    if not call.is_long:
        return "A call with a Position-Zero Read chunk is no RDMA_NOMSG"
    if call.payload:
        return f"{len(call.payload)} octets follow the header of an RDMA_NOMSG"
    return ""


@requirement(
    "rfc8166.3.5.3.long-call-in-a-read-chunk",
    "rfc8166.3.5.3.long-message-sends-the-header-only",
    "rfc8166.3.5.3.long-call-positions-are-zero",
    role="requester",
)
def test_requester_moves_a_long_call_by_a_chunk(service: Service, client: ActingClient) -> None:
    """A call too long to be sent inline is an RDMA_NOMSG with a Position-Zero Read chunk."""
    result = client.do(ActKind.LONG_CALL)
    long_calls = (
        call for call in service.received if any(read.position == 0 for read in call.reads)
    )

    verify_calls.each(verify_calls.some(long_calls, "with a Position-Zero chunk"), wrong_form)
    verify_calls.done(result)
