"""rfc8166 section 4 RPC-over-RDMA in Operation: the calls that a Requester makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.harness import ActingClient

ACTS = [
    (ActKind.NULL, 0),
    (ActKind.SMALL, 0),
    (ActKind.READ, 16),
    (ActKind.READ, 5001),
    (ActKind.READ, 70000),
    (ActKind.WRITE, 16),
    (ActKind.WRITE, 5001),
    (ActKind.WRITE, 70000),
    (ActKind.LONG_CALL, 0),
    (ActKind.LONG_REPLY, 0),
]


@requirement(
    "rfc8166.4.header-is-xdr",
    "rfc8166.4.1.2.header-layout",
    "rfc8166.4.3.three-optional-lists",
    role="requester",
)
@pytest.mark.parametrize(("kind", "length"), ACTS, ids=[f"{kind}-{n}" for kind, n in ACTS])
def test_requester_makes_good_calls(
    service: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """Whatever the client is told to do, its messages are calls in which nothing is wrong."""
    result = client.do(kind, length)

    verify.calls.obey(service.received)
    verify.calls.done(result)


@requirement(
    "rfc8166.3.4.6.1.results-reassembled-in-array-order",
    "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    role="requester",
)
@pytest.mark.parametrize("length", [1, 4096, 70001])
def test_requester_reads_what_was_written(client: ActingClient, length: int) -> None:
    """What the client's application gets of a READ is what the tester placed, octet by octet."""
    result = client.do(ActKind.READ, length)

    verify.calls.done(result)
    verify.calls.reads(result, length)
