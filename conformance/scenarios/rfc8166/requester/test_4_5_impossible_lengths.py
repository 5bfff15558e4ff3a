"""rfc8166 section 4.5 Error Handling: Replies that tell of more octets than a call can have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import RdmaSegment, WriteChunk
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

LENGTHS: Final = (2**31, 3 * 2**30)
"""Octets that a Reply tells of: some take such a number for a negative one."""


NAMES: Final = 30
"""Of the folder that is listed: it is looked up first, and what comes of that is used."""


@pytest.mark.destructive  # a client that fails has its kernel read where no memory is
@requirement(
    "rfc8166.4.5.bad-reply-header-discarded",
    role="requester",
    interpretations=("D-10", "D-28", "D-40"),
)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.LIST_NAMES], ids=str)
def test_requester_believes_no_impossible_length(
    service: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """A Reply tells of 2 GiB or more in a Write chunk that was not offered: no call ends well."""
    act = client.begin(kind, count=NAMES if kind is ActKind.LIST_NAMES else 1)
    call = service.next_call()
    reply = service.draft(call)
    foreign = WriteChunk((RdmaSegment(1, length, 0),))
    body = msgspec.structs.replace(reply.lists, rdma_writes=(*reply.lists.rdma_writes, foreign))

    verify.calls.reaction(service, call, act, reply.changed(body=body).octets)
