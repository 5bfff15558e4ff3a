"""rfc8166 section 3.5.3 Long Messages: Long Calls of a Requester."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import THRESHOLD_ONE
from rpcrdma.wire import RdmaNomsg
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient


LONG_CALL: Final = (
    "rfc8166.3.5.3.long-call-in-a-read-chunk",
    "rfc8166.3.5.3.long-message-sends-the-header-only",
    "rfc8166.3.5.3.long-call-positions-are-zero",
)
TOO_LARGE: Final = "rfc8166.3.5.3.still-too-large-means-long-message"
PADDED: Final = "rfc8166.3.5.3.long-message-keeps-roundup"


@requirement(*LONG_CALL, role="requester")
def test_requester_moves_a_long_call_by_a_chunk(service: Service, client: ActingClient) -> None:
    """A call too long to be sent inline is an RDMA_NOMSG with a Position-Zero Read chunk."""
    result = client.do(ActKind.LONG_CALL)
    long_calls = verify.calls.some(
        (call for call in service.received if any(read.position == 0 for read in call.reads)),
        "with a Position-Zero chunk",
    )

    verify.calls.obey(long_calls, *LONG_CALL)
    verify.calls.done(result)


@requirement(TOO_LARGE, role="requester")
@pytest.mark.parametrize("length", [1200, 8192, 60001])
def test_requester_makes_calls_of_any_length(
    service: Service, client: ActingClient, length: int
) -> None:
    """A call with nothing to reduce and too long for a Send is made, by a message that is not."""
    result = client.do(ActKind.LONG_CALL, length)

    verify.calls.done(result)
    verify.calls.some((call for call in service.received if is_too_long(call)), "of such a length")
    verify.calls.obey(service.received, TOO_LARGE)


def is_too_long(call: ReceivedCall) -> bool:
    """Whether a call does not fit a Send as it is."""
    return len(call.unreduced or b"") >= THRESHOLD_ONE


@requirement(PADDED, role="requester")
@pytest.mark.parametrize("length", [6001, 6002, 6003])
def test_requester_pads_long_calls(service: Service, client: ActingClient, length: int) -> None:
    """The Read chunk of a Long Call is as long as the call with all its padding."""
    result = client.do(ActKind.LONG_CALL, length)

    verify.calls.some((call for call in service.received if call.is_long), "that is long")
    verify.calls.obey(service.received, PADDED)
    verify.calls.done(result)


@requirement(
    "rfc8166.3.5.3.any-item-in-a-long-message",
    "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
    role="requester",
)
@pytest.mark.parametrize("length", [1500, 8192, 60001])
def test_requester_takes_a_long_reply(service: Service, client: ActingClient, length: int) -> None:
    """A reply comes in the Reply chunk that the client has offered: the client takes it."""
    act = client.begin(ActKind.LONG_REPLY, length)
    call = service.next_call(lambda one: one.reply_chunk is not None and is_long(service, one))

    service.reply(call)

    verify.calls.done(service.serve_until(act))


def is_long(service: Service, call: ReceivedCall) -> bool:
    """Whether the reply to a call is a Long one."""
    return isinstance(service.draft(call).header.rdma_body, RdmaNomsg)
