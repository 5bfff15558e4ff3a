"""RFC 8166 section 4.5, Error Handling: one fault after another, and several under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.tester.client import build, mutate, unserved
from conformance.tester.histories import histories
from conformance.verify.traffic import Traffic
from rpcrdma.wire import ErrChunk, ErrVers

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from rpcrdma.wire import ErrorBody

ANSWERED: Final = "rfc8166.4.5.bad-call-header-answered"
SAME_XID: Final = "rfc8166.4.5.error-xid-echoed"
SAME_VERSION: Final = "rfc8166.4.5.error-version-echoed"
DISCARDED: Final = "rfc8166.4.2.4.responder-discards-error"
MATCHED: Final = "rfc8166.2.2.2.reply-xid-is-the-calls"

HISTORIES: Final = histories(unserved.ONE, 8)
ERRORS: Final[dict[str, ErrorBody]] = {"err-chunk": ErrChunk(), "err-vers": ErrVers(1, 1)}
TOKEN: Final = 77


@requirement(ANSWERED, SAME_XID, SAME_VERSION)
@pytest.mark.parametrize("kinds", HISTORIES, ids=map(str, range(len(HISTORIES))))
def test_responder_answers_one_fault_after_another(
    connect: Callable[..., Peer], kinds: tuple[str, ...]
) -> None:
    """Messages with faults come one by one: each gets its answer, as if it were the first."""
    borne = Traffic.borne(connect, {kind: unserved.ONE[kind] for kind in kinds})
    traffic = Traffic.on(connect, breaks=())

    for kind in kinds:
        if kind in borne:
            traffic.send_odd(unserved.ONE[kind](traffic.peer))
            traffic.settle()

    traffic.send(build.small_call(traffic.peer))
    traffic.settle()


@requirement(ANSWERED, SAME_XID, SAME_VERSION, MATCHED)
@pytest.mark.parametrize("kinds", HISTORIES, ids=map(str, range(len(HISTORIES))))
def test_responder_answers_several_faults_at_once(
    connect: Callable[..., Peer], kinds: tuple[str, ...]
) -> None:
    """Messages with faults are in flight, and good Calls between them: each gets its answer."""
    borne = Traffic.borne(connect, {kind: unserved.ONE[kind] for kind in kinds})
    traffic = Traffic.on(connect, breaks=())

    for kind in kinds:
        if kind in borne:
            traffic.send_odd(unserved.ONE[kind](traffic.peer))
        traffic.send(build.small_call(traffic.peer))

    traffic.settle()


@requirement(SAME_XID, ANSWERED, MATCHED)
@pytest.mark.parametrize("kind", unserved.ONE)
def test_responder_answers_a_fault_while_a_call_waits(
    connect: Callable[..., Peer], kind: str
) -> None:
    """A Call waits, and a message with a fault comes, twice: each gets its own answer."""
    Traffic.borne(connect, {kind: unserved.ONE[kind]})
    traffic = Traffic.on(connect, breaks=())
    peer = traffic.peer
    traffic.hold(build.call(peer, peer.workload.hold(TOKEN)))

    for _ in range(2):
        traffic.send_odd(unserved.ONE[kind](peer))
        traffic.settle()

    traffic.release(build.call(peer, peer.workload.release(TOKEN)))


@requirement(DISCARDED, MATCHED)
@pytest.mark.parametrize("error", ERRORS)
def test_responder_discards_an_error_for_a_call_that_waits(
    connect: Callable[..., Peer], error: str
) -> None:
    """An RDMA_ERROR has the XID of a Call that waits: it is dropped, and the Call is answered."""
    traffic = Traffic.on(connect, breaks=(DISCARDED,))
    peer = traffic.peer
    held = build.call(peer, peer.workload.hold(TOKEN))
    traffic.hold(held)

    traffic.send_odd(mutate.xid(build.error(peer, ERRORS[error]), held.xid))
    traffic.settle()

    traffic.release(build.call(peer, peer.workload.release(TOKEN)))
