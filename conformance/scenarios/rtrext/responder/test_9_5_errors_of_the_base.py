"""rtrext section 9.5, Error Reporting Operation: what is reported as without the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped
from conformance.oracle.outcome import ErrChunk
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

BASE: Final = "rtrext.9.5.base-errors-are-not-reported-so"
XDR: Final = "rtrext.9.5.xdr-errors-are-not-reported-so"
RPC: Final = "rtrext.9.5.rpc-errors-are-not-reported-so"
UNKNOWN: Final = 77
"""A procedure that nobody knows."""


@requirement(BASE, needs=NEEDS)
def test_server_reports_a_bad_header_as_ever(connect_two: Callable[..., Peer]) -> None:
    """A procedure that nobody knows gets RDMA2_ERR_BAD_HEADER, and no report."""
    client = GroupClient.of(connect_two)
    odd = mutate.procedure(build.null_call(client.peer), UNKNOWN)

    client.peer.send(odd)

    verify.expect(client.peer, odd, ErrChunk, breaks=BASE)


@requirement(XDR, needs=NEEDS, interpretations=("D-59", "D-106"))
@pytest.mark.parametrize(
    "octets", [b"", bytes(8), b"\0\0\0\1" + bytes(16)], ids=["none", "short", "half-an-item"]
)
def test_server_reports_contents_that_are_none_as_a_bad_header(
    connect_two: Callable[..., Peer], octets: bytes
) -> None:
    """An XMTREQ whose contents cannot be decoded gets RDMA2_ERR_BAD_HEADER, and no report."""
    client = GroupClient.of(connect_two)
    call = grouped(client.peer, client.peer.workload.small())

    odd = client.send(call.spoiled(call.draft.with_send(0, contents=octets)))

    faults.bad_header(client, odd.message, breaks=XDR)


@requirement(RPC, needs=NEEDS)
@pytest.mark.parametrize("sizes", [(None,), (20, None)], ids=["one", "two"])
def test_server_refuses_garbage_as_ever(
    connect_two: Callable[..., Peer], sizes: tuple[int | None, ...]
) -> None:
    """A request that is whole and whose arguments are garbage gets GARBAGE_ARGS."""
    client = GroupClient.of(connect_two)

    call = client.send(grouped(client.peer, client.peer.workload.garbage(), sizes=sizes))

    answers.garbage(client, call, breaks=RPC)
