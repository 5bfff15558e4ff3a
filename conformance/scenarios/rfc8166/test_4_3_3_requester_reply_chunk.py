"""rfc8166 section 4.3.3 Reply Chunk: when a Requester offers one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify_calls
from conformance.requirement import requirement
from rpcrdma.wire import chunk_length
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.client_harness import ActingClient
    from conformance.service import ReceivedCall, Service

HEADER = 28
"""Octets of a header without chunks: what a reply takes at least."""


@requirement("rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit", role="requester")
@pytest.mark.parametrize("length", [0, 1100, 60000])
def test_requester_offers_a_reply_chunk_where_it_may_be_needed(
    service: Service, client: ActingClient, length: int
) -> None:
    """A call whose largest reply may exceed 1024 octets brings a Reply chunk that takes it."""
    result = client.do(ActKind.LONG_REPLY, length)

    verify_calls.each(service.received, lambda call: without_room(service, call))
    verify_calls.done(result)


def without_room(service: Service, call: ReceivedCall) -> str:
    """Whether the largest reply to a call without Write chunks has no place."""
    largest = service.expectation(call).maximum
    if call.writes or HEADER + largest <= service.reply_threshold:
        return ""
    if call.reply_chunk is None:
        return f"A call whose reply may have {largest} octets offers no Reply chunk"
    room = chunk_length(call.reply_chunk)
    if room < largest:
        return f"A Reply chunk has room for {room} of {largest} octets"
    return ""
