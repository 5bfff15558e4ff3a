"""RFC 8166 section 8.1.4, Denial of Service: many of one kind, and what the device keeps of each.

Each answer must be what it always must be, and the device must serve to the end.  No document says
how much a device may hold, so what it keeps of each connection, error or Call is told in a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Disconnected, ErrChunk, ErrVers
from conformance.tester.client import build, mutate
from conformance.verify.wear import ServedCalls, Wear
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from targets.base import Session

SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"
INVALID: Final = "rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error"
UNSUPPORTED: Final = "rfc8166.4.5.1.unsupported-version-gets-err-vers"
XDR_ERROR: Final = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
ANSWERED: Final = "rfc8166.4.5.bad-call-header-answered"
XIDS: Final = "rfc8166.2.2.2.reply-xid-is-the-calls"

MANY: Final = 24
"""Of each kind, beside the warm-up: a few seconds with a device in an emulated machine."""

UNUSED: Final = 0x00DEAD00
"""A handle that nobody has given out: devices count from small numbers, loopback draws by lot."""

ERRORS: Final[dict[str, tuple[Callable[[Call], Call], type[Outcome], str]]] = {
    "err-vers": (lambda call: mutate.version(call, 99), ErrVers, UNSUPPORTED),
    "err-chunk": (lambda call: mutate.procedure(call, 7), ErrChunk, XDR_ERROR),
}
"""What is wrong with a Call -> the answer that it must get, and the requirement that says so."""


@requirement(XIDS, SURVIVES)
def test_responder_serves_one_connection_after_another(
    session: Session, connect: Callable[..., Peer]
) -> None:
    """Connections come, have a Call with a Write chunk served, and go: each is as the first."""
    for _ in Wear(session, ServedCalls(connect, SURVIVES), "connection").each(MANY):
        peer = connect()
        call = build.with_write_chunks(peer, peer.workload.fetch(1000))
        peer.send(call)
        verify.chunks.served(peer, call)
        peer.close()


@requirement(UNSUPPORTED, XDR_ERROR, ANSWERED, SURVIVES)
@pytest.mark.parametrize("error", ERRORS)
def test_responder_answers_one_error_after_another(
    session: Session, connect: Callable[..., Peer], error: str
) -> None:
    """Many Calls are refused by an error, each as the first.

    They come on one connection, unless the device ends that after an error, which is lawful.
    """
    change, answer, breaks = ERRORS[error]
    peer = connect()
    first = change(build.null_call(peer))
    peer.send(first)
    verify.expect(peer, first, answer, breaks=breaks)
    ends = isinstance(peer.receive(peer.profile.grace), Disconnected)

    for _ in Wear(session, ServedCalls(connect, SURVIVES), "error").each(2 * MANY):
        if ends:
            peer.close()
            peer = connect()
        call = change(build.null_call(peer))
        peer.send(call)
        verify.expect(peer, call, answer, breaks=(breaks, ANSWERED))


@requirement(SURVIVES)
def test_responder_serves_on_after_one_lost_call_after_another(
    session: Session, connect: Callable[..., Peer]
) -> None:
    """Many connections are lost with a Call under way: others are served."""
    for _ in Wear(session, ServedCalls(connect, SURVIVES), "lost call").each(MANY):
        peer = connect()
        peer.send(build.with_write_chunks(peer, peer.workload.fetch(60000)))
        peer.close()


@requirement(INVALID, SURVIVES)
def test_responder_refuses_one_invalid_chunk_after_another(
    session: Session, connect: Callable[..., Peer]
) -> None:
    """Many Calls name memory that is none: each is refused, or costs its connection alone."""
    for _ in Wear(session, ServedCalls(connect, SURVIVES), "invalid chunk").each(MANY):
        peer = connect()
        store = peer.workload.store(pattern(3000, 41))
        call = mutate.read_segment(build.with_read_chunks(peer, store), 0, handle=UNUSED)
        peer.send(call)
        verify.expect(peer, call, ErrChunk, Disconnected, breaks=INVALID)
        peer.close()
