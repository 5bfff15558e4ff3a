"""RFC 8166 section 3.4.5, Read Chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import build, verify
from conformance.requirement import requirement
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.peer import Peer


@requirement("rfc8166.3.4.5.segments-join-in-list-order", "rfc8166.3.4.5.2.roundup-in-either-place")
@pytest.mark.parametrize("roundup", [False, True], ids=["without-roundup", "with-roundup"])
def test_responder_joins_the_segments_of_a_read_chunk(peer: Peer, roundup: bool) -> None:
    """An argument in three Read segments, one of odd length, is put together in list order."""
    request = peer.workload.store(pattern(2049, 9))
    call = build.with_read_chunks(peer, request, ((1000, 25),), roundup=roundup)

    peer.send(call)

    verify.served(peer, call)
