"""RFC 8166 section 4.5, Error Handling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import build, mutate, verify
from conformance.requirement import requirement

if TYPE_CHECKING:
    from conformance.peer import Peer


@requirement("rfc8166.4.5.short-message-discarded")
@pytest.mark.parametrize("length", range(28))
def test_responder_discards_a_message_shorter_than_a_header(peer: Peer, length: int) -> None:
    """A message of fewer than 28 octets is silently discarded."""
    call = mutate.truncate(build.null_call(peer), length)

    peer.send(call)

    verify.discarded(peer, call)
