"""rfc8166 section 4.5 Error Handling: what a Requester does about errors and about nonsense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import SHORTEST_MESSAGE
from rpcrdma.wire import ErrChunk, ErrorBody, ErrVers

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


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

    verify.calls.failed(service.serve_until(act))
    verify.calls.not_again(service, call)


WHOLE_REPLY: Final = 52
"""Octets of the shortest reply: 28 of a header without chunks, 24 of an RPC header."""


def words(*values: int) -> Callable[[bytes], bytes]:
    """Replaces the words after the XID of a message, and leaves nothing after them."""
    return lambda reply: reply[:4] + b"".join(value.to_bytes(4, "big") for value in values)


@requirement(
    "rfc8166.4.5.short-message-discarded",
    "rfc8166.4.5.header-checked-before-the-rpc-layer",
    role="requester",
)
@pytest.mark.parametrize("octets", [0, 3, 16, 27])
def test_requester_drops_a_short_message(
    service: Service, client: ActingClient, octets: int
) -> None:
    """Fewer than 28 octets of a good reply come first; the call waits for the whole of it."""
    act = client.good_act()
    call = service.next_call()

    verify.calls.reaction(service, call, act, service.draft(call).octets[:octets])


@requirement("rfc8166.4.5.short-message-discarded", role="requester")
def test_requester_drops_short_messages_of_every_length_in_a_row(
    service: Service, client: ActingClient
) -> None:
    """0 to 27 octets of a good reply come, one after the other; the call waits for the whole."""
    act = client.good_act()
    call = service.next_call()
    reply = service.draft(call).octets
    *shorter, longest = (reply[:length] for length in range(SHORTEST_MESSAGE))

    for octets in shorter:
        service.send(octets)
    verify.calls.reaction(service, call, act, longest)


@requirement("rfc8166.4.5.undecodable-error-discarded", role="requester")
@pytest.mark.parametrize(
    "spoil",
    [words(1, 8, 4, 77, 0, 0), words(1, 8, 4, 0, 0, 0)],
    ids=("code-77", "code-0"),
)
def test_requester_drops_an_unknown_error(
    service: Service, client: ActingClient, spoil: Callable[[bytes], bytes]
) -> None:
    """An RDMA_ERROR with a code that does not exist: the call waits, or fails."""
    act = client.good_act()
    call = service.next_call()

    verify.calls.reaction(service, call, act, spoil(service.draft(call).octets))


@requirement("rfc8166.4.5.bad-reply-header-discarded", role="requester")
@pytest.mark.parametrize(
    "spoil",
    [
        lambda reply: reply[:12] + (9).to_bytes(4, "big") + reply[16:],
        lambda reply: reply[:4] + (2).to_bytes(4, "big") + reply[8:],
        lambda reply: reply[:16] + (1).to_bytes(4, "big") + reply[20:28],
    ],
    ids=("procedure-9", "version-2", "cut-in-a-list"),
)
def test_requester_drops_a_bad_header(
    service: Service, client: ActingClient, spoil: Callable[[bytes], bytes]
) -> None:
    """A reply whose header is wrong: the call waits, or fails; it does not succeed."""
    act = client.good_act()
    call = service.next_call()

    verify.calls.reaction(service, call, act, spoil(service.draft(call).octets))


@requirement(
    "rfc8166.4.5.bad-reply-header-discarded",
    "rfc8166.4.5.header-checked-before-the-rpc-layer",
    role="requester",
    interpretations=("D-10", "D-28", "D-40"),
)
@pytest.mark.parametrize("octet", range(4), ids="octet-{}-of-a-word".format)
def test_requester_bears_a_reply_cut_anywhere(
    service: Service, client: ActingClient, octet: int
) -> None:
    """Good replies cut to a header or more: none completes its call as if it were whole."""
    for length in range(SHORTEST_MESSAGE + octet, WHOLE_REPLY, 4):
        act = client.good_act()
        call = service.next_call()
        verify.calls.reaction(service, call, act, service.draft(call).octets[:length])
    verify.calls.done(client.serve_good_act())
