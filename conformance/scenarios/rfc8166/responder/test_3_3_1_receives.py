"""RFC 8166 section 3.3.1, RPC-over-RDMA Credits: every grant is backed by Receives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.tester.client import build, unserved
from conformance.verify.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

GRANTED: Final = "rfc8166.3.3.1.credit-is-one-transaction"
POSTED: Final = "rfc8166.2.3.2.receives-posted-before-sends"

SPARE: Final = 16
"""Receives that a device may have beside those for what it grants."""

SERVED: Final[Mapping[str, Callable[[Peer], Call]]] = {
    "short": build.small_call,
    "read-chunk": lambda peer: build.with_read_chunks(peer, peer.workload.store(bytes(64))),
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(64)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(2000)),
    "long-reply": lambda peer: build.long_reply(peer, peer.workload.long_reply(2000)),
}
"""Calls in each form."""


@requirement(GRANTED, POSTED)
@pytest.mark.parametrize("kind", unserved.ONE)
def test_responder_has_its_receives_after_what_it_does_not_serve(
    connect: Callable[..., Peer], kind: str
) -> None:
    """As many messages that are not served as it has Receives; then all credits at once."""
    traffic = Traffic.on(connect, breaks=GRANTED)

    for _ in range(traffic.credits + SPARE):
        traffic.send_odd(unserved.ONE[kind](traffic.peer))
        traffic.settle()

    traffic.use_all_credits()


@requirement(GRANTED, POSTED)
@pytest.mark.parametrize("form", SERVED)
def test_responder_has_its_receives_after_what_it_serves(
    connect: Callable[..., Peer], form: str
) -> None:
    """As many Calls of one form as it has Receives, one by one; then all credits at once."""
    traffic = Traffic.on(connect, breaks=GRANTED)

    for _ in range(traffic.credits + SPARE):
        traffic.send(SERVED[form](traffic.peer))
        traffic.settle()

    traffic.use_all_credits()
