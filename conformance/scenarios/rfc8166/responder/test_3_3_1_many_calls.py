"""rfc8166 section 3.3.1 RPC-over-RDMA Credits: more calls on a connection than any grant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

COUNTED: Final = "rfc8166.3.3.1.credit-value-is-not-a-countdown"

CALLS: Final = 300
"""More than a count of eight bits holds, and than servers grant."""

FORMS: Final[Mapping[str, Callable[[Peer], Call]]] = {
    "small": build.small_call,
    "read-chunk": lambda peer: build.with_read_chunks(
        peer, peer.workload.store(bytes(64)), sizes=((64,),)
    ),
    "long-call": lambda peer: build.long_call(peer, peer.workload.small()),
}


@requirement(COUNTED)
@pytest.mark.parametrize("form", FORMS)
def test_responder_serves_many_calls_on_one_connection(peer: Peer, form: str) -> None:
    """Three hundred calls come on one connection, each after the reply to the one before."""
    for _ in range(CALLS):
        call = FORMS[form](peer)

        peer.send(call)

        verify.chunks.served(peer, call, breaks=COUNTED)
