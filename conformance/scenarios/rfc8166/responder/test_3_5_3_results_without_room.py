"""RFC 8166 section 3.5.3, Long Messages: large results for which there is no room at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

CLOSE: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"
WITHIN: Final = "rfc8166.3.3.2.message-within-inline-threshold"


@requirement(WITHIN, CLOSE, interpretations=("D-21", "D-30"))
@pytest.mark.parametrize("length", [65535, 65536, 131072, 1048576])
def test_responder_misses_room_for_a_large_result(peer: Peer, length: int) -> None:
    """A result of 64 KiB and more, and neither Write nor Reply chunk: an error or the end."""
    call = build.call(peer, peer.workload.fetch(length))

    peer.send(call)

    verify.chunks.not_served(peer, call, breaks=WITHIN)
