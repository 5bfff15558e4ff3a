"""rfc8166 section 4.3.3 Reply Chunk: when a Requester offers one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import HEADER_ONE
from rpcrdma.ulp.file_tree import LISTINGS
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from rpcrdma.ulp.file_tree import TreeDirectory


NEEDED: Final = (
    "rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit",
    "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
    "rfc8166.3.5.3.reply-chunk-holds-the-largest-reply",
)


@requirement(*NEEDED, role="requester")
@pytest.mark.parametrize("length", [0, 1100, 60000])
def test_requester_offers_a_reply_chunk_where_it_may_be_needed(
    service: Service, client: ActingClient, length: int
) -> None:
    """A call whose largest reply may exceed 1024 octets brings a Reply chunk that takes it."""
    result = client.do(ActKind.LONG_REPLY, length)

    verify.calls.obey(service.received, *NEEDED)
    verify.calls.done(result)


@requirement(*NEEDED, role="requester")
@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
def test_requester_lists_folders_of_any_size(
    service: Service, client: ActingClient, listing: TreeDirectory
) -> None:
    """However many names there are, each is listed once, by calls in which nothing is wrong."""
    result = client.do(ActKind.LIST_NAMES, count=len(listing.entries))

    verify.calls.obey(service.received)
    verify.calls.done(result)
    verify.contents.given(result, "\n".join(sorted(listing.entries)).encode(), NEEDED)


@requirement("rfc8166.4.3.3.reply-chunk-absent-otherwise", role="requester")
@pytest.mark.parametrize("kind", [ActKind.NULL, ActKind.SMALL, ActKind.WRITE])
def test_requester_offers_no_reply_chunk_without_need(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Calls whose largest reply is short bring no Reply chunk, or it is worth a warning."""
    verify.calls.done(client.do(kind, 3000))

    short = (call for call in service.received if fits(service, call))
    verify.calls.some(short, "whose reply must be short")


def fits(service: Service, call: ReceivedCall) -> bool:
    """Whether the largest reply to a call fits a Send by far; the oracle judges those."""
    expectation = service.expectation(call)
    far = HEADER_ONE + expectation.maximum + 100 <= service.reply_threshold
    return far and not expectation.guessed
