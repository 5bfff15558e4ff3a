"""rfc8166 section 4.5 Error Handling: what a Requester does about errors and about nonsense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify_calls
from conformance.case import Deviation
from conformance.requirement import requirement
from rpcrdma.wire import ErrChunk, ErrorBody, ErrVers, RdmaDone, TransportHeader, encode_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.client_harness import ActingClient
    from conformance.service import ReceivedCall, Service


@requirement(
    "rfc8166.4.5.error-completes-the-rpc", "rfc8166.4.5.error-is-permanent", role="requester"
)
@pytest.mark.parametrize(
    "error",
    [ErrChunk(), ErrVers(1, 1), ErrVers(2, 4)],
    ids=("err-chunk", "err-vers-1-1", "err-vers-2-4"),
)
def test_requester_ends_a_call_that_is_refused(
    service: Service, client: ActingClient, error: ErrorBody
) -> None:
    """A call is answered by an RDMA_ERROR: it fails, and is not made again."""
    act = client.good_act()
    call = service.next_call()

    service.error(call, error)

    verify_calls.failed(service.serve_until(act))
    verify_calls.not_again(service, call)


def short(call: ReceivedCall) -> bytes:
    """A message of 24 octets."""
    return call.octets[:4] + bytes(20)


def done(call: ReceivedCall) -> bytes:
    """An RDMA_DONE."""
    return encode_header(TransportHeader(call.xid, 1, 8, RdmaDone())).ljust(28, b"\0")


def unknown_error(call: ReceivedCall) -> bytes:
    """An RDMA_ERROR with a code that does not exist."""
    words = (call.xid, 1, 8, 4, 77, 0, 0)
    return b"".join(word.to_bytes(4, "big") for word in words)


def unknown_procedure(call: ReceivedCall) -> bytes:
    """A message of procedure 9."""
    words = (call.xid, 1, 8, 9, 0, 0, 0)
    return b"".join(word.to_bytes(4, "big") for word in words)


@requirement(
    "rfc8166.4.5.bad-reply-header-discarded",
    "rfc8166.4.5.short-message-discarded",
    "rfc8166.4.5.undecodable-error-discarded",
    "rfc8166.4.6.2.done-is-discarded",
    role="requester",
)
@pytest.mark.parametrize("nonsense", [short, done, unknown_error, unknown_procedure])
def test_requester_lives_with_what_is_no_reply(
    service: Service, client: ActingClient, nonsense: Callable[[ReceivedCall], bytes]
) -> None:
    """What cannot be a reply comes before the reply: the client drops it and keeps the connection.

    To end the call is allowed where the message names it; to hang up is not.
    """
    act = client.good_act()
    call = service.next_call()
    line = service.line_of(call)

    service.send(nonsense(call), line)
    service.waiting()
    if not line.connected:
        raise Deviation("The client hung up.", expected=("the message is dropped",))
    service.reply(call)

    service.serve_until(act)
