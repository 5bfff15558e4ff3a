"""RFC 8166 section 8.1, Memory Protection: what a Responder has, and nobody asked it to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

LENGTH = 3000
"""Octets: less than a page, so that a device that keeps a page has no other left over."""


@pytest.mark.destructive  # a server that fails has damaged a file of the suite's
@requirement("rfc8166.8.1.no-new-vulnerabilities")
@pytest.mark.parametrize("stored", [500, 5000])
def test_responder_keeps_its_data_whole_behind_a_result_without_room(
    peer: Peer, connect: Callable[..., Peer], stored: int
) -> None:
    """A Call after a result that had no room in its Write chunk changes only what it says."""
    data = pattern(LENGTH, 46)
    first = build.with_read_chunks(peer, peer.workload.store(data))
    peer.send(first)
    verify.chunks.stored(peer, first, data)
    result = peer.workload.stored(data) or peer.workload.fetch(LENGTH)
    without_room = build.with_write_chunks(peer, result, ((LENGTH - 1,),))

    peer.send(without_room)

    verify.chunks.not_served(peer, without_room)
    peer = peer if peer.connected else connect()
    other = pattern(stored, 47)
    call = build.with_read_chunks(peer, peer.workload.store(other))
    peer.send(call)
    verify.chunks.stored(peer, call, other)
