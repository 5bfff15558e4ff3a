"""RFC 8166 section 3.4.5, Read Chunks: those of several Calls that are in flight together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

PULLED: Final = "rfc8166.3.4.5.responder-pulls-read-chunks"
OWN: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"

CALLS: Final = 4

FORMS: Final[Mapping[str, Callable[[Peer, int], Call]]] = {
    "argument": lambda peer, number: build.with_read_chunks(
        peer, peer.workload.store(pattern(1500, 60 + number))
    ),
    "long-call": lambda peer, _: build.long_call(peer, peer.workload.small()),
}
"""Calls whose chunks are of one length, and have other octets in each: a Long Call has its XID."""


@requirement(OWN, PULLED)
@pytest.mark.parametrize("form", FORMS)
def test_responder_keeps_chunks_of_calls_at_once_apart(peer: Peer, form: str) -> None:
    """Calls with Read chunks of one length come together: each is served by its own octets."""
    verify.granted.require(peer, CALLS)
    calls = [FORMS[form](peer, number) for number in range(CALLS)]

    for call in calls:
        peer.send(call)

    verify.chunks.all_served(peer, calls, breaks=OWN)
