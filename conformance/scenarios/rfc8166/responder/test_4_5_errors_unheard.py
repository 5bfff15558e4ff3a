"""RFC 8166 section 4.5, Error Handling: errors that nobody receives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

UNHEARD_ERRORS: Final = 100
"""More than a server has threads, if one of them waits until an error message has been taken."""
UNKNOWN_PROCEDURE: Final = 0xFFFF


@pytest.mark.destructive
@requirement("rfc8166.4.5.5.rpc-survives-connection-loss")
def test_responder_serves_others_while_errors_find_no_receive(
    peer: Peer, connect: Callable[..., Peer]
) -> None:
    """A Requester that posts no Receives for the answers to its bad Calls harms only itself."""
    deaf = connect(receives=0)
    call = build.null_call(peer)

    for _ in range(UNHEARD_ERRORS):
        deaf.send(mutate.procedure(build.null_call(deaf), UNKNOWN_PROCEDURE))
    peer.send(call)

    verify.served(peer, call)
