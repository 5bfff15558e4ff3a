"""RFC 8166 section 4.5.4, Other Operational Errors: Replies that cannot be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Disconnected
from conformance.tester.client import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from conformance.tester.wire import Wire

CLOSES: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"

UNKNOWN: Final = "nobody acknowledges the Reply, of which the oracle does not know"

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "small": build.small_call,
    "result": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(20000)),
}


@requirement(CLOSES, wider=UNKNOWN, narrower=UNKNOWN)
@pytest.mark.parametrize("form", CALLS)
def test_responder_closes_when_nobody_takes_its_reply(
    peer: Peer, connect: Callable[..., Peer], wire: Wire, form: str
) -> None:
    """Nobody acknowledges a Reply: the connection ends, and others are served meanwhile."""
    deaf = connect(retry=1)
    call = CALLS[form](deaf)

    deaf.send(call)
    wire.silence(deaf.connection)

    other = CALLS[form](peer)
    peer.send(other)
    verify.chunks.served(peer, other, breaks=CLOSES)
    verify.expect(deaf, call, Disconnected, breaks=CLOSES)
