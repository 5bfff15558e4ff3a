"""RFC 8166 section 8.1.1, Protection Domains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Disconnected, ErrChunk
from conformance.tester.client import build, mutate
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer


@requirement(
    "rfc8166.8.1.1.memory-belongs-to-one-connection",
)
@pytest.mark.parametrize("kind", ["read", "write"])
def test_responder_reaches_memory_on_its_own_connection_only(
    peer: Peer, connect: Callable[..., Peer], kind: str
) -> None:
    """A handle of another connection to the same Responder is of no use here."""
    other = connect()
    if kind == "read":
        foreign = other.expose(pattern(2000, 33)).told[0]
        own = build.with_read_chunks(peer, peer.workload.store(pattern(2000, 34)))
        call = mutate.read_segment(own, 0, handle=foreign.handle, offset=foreign.offset)
    else:
        foreign = other.room((2000,)).told[0]
        own = build.with_write_chunks(peer, peer.workload.fetch(2000))
        call = mutate.write_segment(own, 0, 0, handle=foreign.handle, offset=foreign.offset)

    peer.send(call)

    verify.expect(peer, call, Disconnected, ErrChunk)
    verify.chunks.untouched(call)
