"""v2 section 4.2.3, Transport Errors: one fault after another, and several under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.tester.client import build, mutate, unserved
from conformance.tester.histories import histories
from conformance.verify.traffic import Traffic
from rpcrdma.wire import v2

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

ANSWERED: Final = "v2.4.2.3.bad-call-gets-bad-header"
SAME_XID: Final = "v2.4.2.3.error-echoes-the-xid"
UNSUPPORTED: Final = "v2.3.1.unsupported-operation-is-answered"
NEVER_ANSWERED: Final = "v2.4.2.3.errors-are-not-answered"
AS_REPLIES: Final = "v2.4.2.2.errors-count-as-replies"

HISTORIES: Final = histories(unserved.TWO, 11)
ERRORS: Final[dict[str, v2.Rdma2ErrorBody]] = {
    "bad-header": v2.ErrBadHeader(),
    "invalid-option": v2.ErrInvalidOption(),
}
TOKEN: Final = 78


@requirement(ANSWERED, SAME_XID, UNSUPPORTED)
@pytest.mark.parametrize("kinds", HISTORIES, ids=map(str, range(len(HISTORIES))))
def test_responder_answers_one_fault_after_another(
    connect_two: Callable[..., Peer], kinds: tuple[str, ...]
) -> None:
    """Messages with faults come one by one: each gets its answer, as if it were the first."""
    borne = Traffic.borne(connect_two, {kind: unserved.TWO[kind] for kind in kinds})
    traffic = Traffic.on(connect_two, breaks=())

    for kind in kinds:
        if kind in borne:
            traffic.send_odd(unserved.TWO[kind](traffic.peer))
            traffic.settle()

    traffic.send(build.small_call(traffic.peer))
    traffic.settle()


@requirement(ANSWERED, SAME_XID, UNSUPPORTED)
@pytest.mark.parametrize("kinds", HISTORIES, ids=map(str, range(len(HISTORIES))))
def test_responder_answers_several_faults_at_once(
    connect_two: Callable[..., Peer], kinds: tuple[str, ...]
) -> None:
    """Messages with faults are in flight, and good Calls between them: each gets its answer."""
    borne = Traffic.borne(connect_two, {kind: unserved.TWO[kind] for kind in kinds})
    traffic = Traffic.on(connect_two, breaks=())

    for kind in kinds:
        if kind in borne:
            traffic.send_odd(unserved.TWO[kind](traffic.peer))
        traffic.send(build.small_call(traffic.peer))

    traffic.settle()


@requirement(NEVER_ANSWERED, AS_REPLIES)
@pytest.mark.parametrize("error", ERRORS)
def test_responder_ends_no_call_that_waits_over_an_error(
    connect_two: Callable[..., Peer], error: str
) -> None:
    """An RDMA2_ERROR has the XID of a Call that waits: it is dropped, and the Call is answered."""
    traffic = Traffic.on(connect_two, breaks=AS_REPLIES)
    peer = traffic.peer
    held = build.call(peer, peer.workload.hold(TOKEN))
    traffic.hold(held)

    traffic.send_odd(mutate.xid(build.error(peer, ERRORS[error]), held.xid))
    traffic.settle()

    traffic.release(build.call(peer, peer.workload.release(TOKEN)))
