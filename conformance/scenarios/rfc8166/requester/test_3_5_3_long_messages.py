"""rfc8166 section 3.5.3 Long Messages: Long Calls of a Requester."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import THRESHOLD_ONE
from rpcrdma.wire import RdmaNomsg
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.harness import ActingClient


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
    long_calls = verify.calls.some(
        (call for call in service.received if any(read.position == 0 for read in call.reads)),
        "with a Position-Zero chunk",
    )

    breaks = (
        "rfc8166.3.5.3.long-call-in-a-read-chunk",
        "rfc8166.3.5.3.long-message-sends-the-header-only",
    )
    verify.calls.each(long_calls, wrong_form, breaks)
    verify.calls.done(result)


@requirement("rfc8166.3.5.3.still-too-large-means-long-message", role="requester")
@pytest.mark.parametrize("length", [1200, 8192, 60001])
def test_requester_makes_calls_of_any_length(
    service: Service, client: ActingClient, length: int
) -> None:
    """A call with nothing to reduce and too long for a Send is made, by a message that is not."""
    result = client.do(ActKind.LONG_CALL, length)

    verify.calls.done(result)
    verify.calls.some((call for call in service.received if is_too_long(call)), "of such a length")
    verify.calls.each(service.received, sent_whole)


def is_too_long(call: ReceivedCall) -> bool:
    """Whether a call does not fit a Send as it is."""
    return len(call.unreduced or b"") >= THRESHOLD_ONE


def sent_whole(call: ReceivedCall) -> str:
    """Whether a call that is too long for a Send was put into one."""
    octets = len(call.octets)
    return f"{octets} octets were sent" if octets > THRESHOLD_ONE else ""


@requirement("rfc8166.3.5.3.long-message-keeps-roundup", role="requester")
@pytest.mark.parametrize("length", [6001, 6002, 6003])
def test_requester_pads_long_calls(service: Service, client: ActingClient, length: int) -> None:
    """The Read chunk of a Long Call is as long as the call with all its padding."""
    result = client.do(ActKind.LONG_CALL, length)

    verify.calls.some((call for call in service.received if call.is_long), "that is long")
    verify.calls.each(service.received, unpadded)
    verify.calls.done(result)


def unpadded(call: ReceivedCall) -> str:
    """Whether the Position-Zero Read chunk does not end with the padding of its last item."""
    if not call.is_long:
        return ""
    octets = sum(read.target.length for read in call.reads if read.position == 0)
    return f"A Long Call has {octets} octets, no multiple of four" if octets % 4 else ""


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
