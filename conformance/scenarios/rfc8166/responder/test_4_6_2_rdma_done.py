"""RDMA_DONE, a procedure that nobody sends any more.

rfc8166 section 4.6.2  RDMA_DONE
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build, mutate
from rpcrdma import wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

DONE: Final = 3
MESSAGES: Final[dict[str, Callable[[Call], Call]]] = {
    "16-octets": lambda call: mutate.payload(mutate.body(call, wire.RdmaDone()), b""),
    "28-octets": lambda call: mutate.payload(mutate.body(call, wire.RdmaDone()), bytes(12)),
    "in-place-of-msg": lambda call: mutate.procedure(call, DONE),
    "before-garbage": lambda call: mutate.octets(mutate.procedure(call, DONE), 16, b"\xff" * 20),
}


@requirement("rfc8166.4.6.2.done-is-discarded", interpretations=("D-14",))
@pytest.mark.parametrize("name", MESSAGES)
def test_responder_discards_done(peer: Peer, name: str) -> None:
    """RDMA_DONE is dropped without an answer, whatever follows its fixed words."""
    call = MESSAGES[name](build.null_call(peer))

    peer.send(call)

    verify.discarded(peer, call)


@requirement("rfc8166.4.6.2.done-is-discarded", interpretations=("D-14",))
def test_responder_discards_done_for_a_call_that_it_has_answered(peer: Peer) -> None:
    """RDMA_DONE under the XID of a Call whose Reply has come is dropped like any other."""
    call = build.small_call(peer)
    peer.send(call)
    verify.served(peer, call)

    done = mutate.payload(mutate.body(call, wire.RdmaDone()), bytes(12))
    peer.send(done)

    verify.discarded(peer, done)


@requirement(
    "rfc8166.4.6.2.done-is-not-sent",
    "rfc8166.4.2.4.done-is-reserved",
)
def test_responder_sends_no_done_behind_a_result_in_a_write_chunk(peer: Peer) -> None:
    """When data has been moved by RDMA, nothing comes but the Reply."""
    call = build.with_write_chunks(peer, peer.workload.fetch(4096))

    peer.send(call)

    verify.served(peer, call)
    verify.silent(peer)
