"""RFC 8166 section 4.5.3, Responder RDMA Operational Errors: chunks whose memory cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    Silent,
    answered_xid,
)
from conformance.tester.client import build, mutate
from rpcrdma.fabric.base import Access
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

BEYOND: Final = 1 << 16
"""Octets that a segment is told to be longer than its memory."""

SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"
MATCHED: Final = "rfc8166.2.2.2.reply-xid-is-the-calls"
INVALID: Final = "rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error"

UNUSED: Final = 0x00DEAD00
"""A handle that nobody has given out: devices count from small numbers, loopback draws by lot."""

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "read-chunk": lambda peer: build.with_read_chunks(peer, peer.workload.store(pattern(3000, 31))),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(3000)),
    "write-chunk": lambda peer: build.with_write_chunks(
        peer, peer.workload.fetch(BEYOND), ((3000,),)
    ),
    "reply-chunk": lambda peer: build.call(peer, peer.workload.fetch(BEYOND), reply=(3000,)),
}
"""Calls with one chunk of 3000 octets each; what is to be written is longer than that."""


FITTING: Final[dict[str, Callable[[Peer], Call]]] = {
    "read-chunk": CALLS["read-chunk"],
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(3000)),
}
"""Calls that are good as they are."""


def told(peer: Peer, call: Call, **changes: int) -> Call:
    """The call, with other words about its one segment."""
    if call.read_chunks:
        return mutate.read_segment(call, 0, **changes)
    if call.write_chunks:
        return mutate.write_segment(call, 0, 0, **changes)
    return mutate.reply_segment(call, 0, **changes)


def enough(call: Call) -> int:
    """Octets of a segment at fault for its handle alone: of the argument, or beyond the results."""
    return call.body.rdma_reads[0].target.length if call.read_chunks else BEYOND * 2


def invalid_handle(peer: Peer, call: Call) -> Call:
    """A handle under which nothing is registered, and room for all."""
    return told(peer, call, handle=UNUSED, length=enough(call))


def too_long(peer: Peer, call: Call) -> Call:
    """A length beyond the end of the region."""
    return told(peer, call, length=BEYOND * 2)


def stale_handle(peer: Peer, call: Call) -> Call:
    """A handle that was good and has been invalidated."""
    for chunk in call.chunks:
        peer.invalidate(chunk)
    return told(peer, call, length=enough(call))


def wrong_access(peer: Peer, call: Call) -> Call:
    """A region of which the Responder may do the opposite only."""
    right = Access.LOCAL_WRITE | Access.REMOTE_WRITE if call.read_chunks else Access.REMOTE_READ
    region = peer.register(BEYOND * 2, right)
    return told(peer, call, handle=region.handle, offset=region.offset, length=enough(call))


FAULTS: Final = {
    "invalid-handle": invalid_handle,
    "region-too-short": too_long,
    "stale-handle": stale_handle,
    "wrong-access": wrong_access,
}


@requirement(
    INVALID,
    "rfc8166.4.5.4.close-when-reply-cannot-be-sent",
)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("chunk", CALLS)
def test_responder_gives_up_on_memory_that_it_cannot_use(
    peer: Peer, chunk: str, fault: str
) -> None:
    """A chunk that fails the RDMA operation ends the RPC or the connection; no results come."""
    call = FAULTS[fault](peer, CALLS[chunk](peer))

    peer.send(call)

    if (chunk, fault) == ("read-chunk", "region-too-short"):
        # The chunk is longer than its argument, too, which may be found without reading it.
        verify.chunks.refused(peer, call, Disconnected, breaks=INVALID)
    else:
        verify.expect(peer, call, Disconnected, ErrChunk, breaks=INVALID)
        verify.chunks.untouched(call)


@requirement(SURVIVES)
@pytest.mark.parametrize("chunk", CALLS)
def test_responder_serves_the_call_after_reconnection(
    peer: Peer, connect: Callable[..., Peer], chunk: str
) -> None:
    """After the loss by a bad chunk a new connection serves the same kind of call."""
    bad = invalid_handle(peer, CALLS[chunk](peer))
    peer.send(bad)
    verify.expect(peer, bad, Disconnected, ErrChunk)

    again = connect()
    good = build.with_read_chunks(again, again.workload.store(pattern(3000, 32)))
    again.send(good)

    verify.chunks.stored(again, good, pattern(3000, 32))


@requirement("rfc8166.4.5.3.err-chunk-after-reconnection", interpretations=("D-26",))
@pytest.mark.parametrize("chunk", CALLS)
def test_responder_does_not_lose_the_connection_again(
    peer: Peer, connect: Callable[..., Peer], chunk: str
) -> None:
    """The call that cost a connection, repeated on a new one, should get ERR_CHUNK.

    A device that is busy may take the repetition before it has seen why the connection was lost;
    it knows of the first loss when the call comes once more.
    """
    bad = invalid_handle(peer, CALLS[chunk](peer))
    peer.send(bad)
    verify.expect(peer, bad, Disconnected, ErrChunk)
    again = connect()
    again.send(bad)
    if isinstance(verify.expect(again, bad, ErrChunk, Disconnected), ErrChunk):
        return

    once_more = connect()
    once_more.send(bad)

    verify.expect(once_more, bad, ErrChunk, tolerated=(Disconnected,))


@requirement(
    "rfc8166.4.5.3.err-chunk-after-reconnection",
    SURVIVES,
    interpretations=("D-26",),
    wider="a device may remember that this Call has cost a connection",
)
@pytest.mark.parametrize("chunk", FITTING)
def test_responder_answers_the_call_again_with_good_memory(
    peer: Peer, connect: Callable[..., Peer], chunk: str
) -> None:
    """A call that cost a connection comes again with memory that is good: a Reply, or ERR_CHUNK."""
    bad = invalid_handle(peer, FITTING[chunk](peer))
    peer.send(bad)
    verify.expect(peer, bad, Disconnected, ErrChunk)

    again = connect()
    good = mutate.under(FITTING[chunk](again), bad.xid)
    again.send(good)

    outcome = verify.expect(again, good, Answered, ErrChunk)
    if isinstance(outcome, Answered):
        verify.right(again, good, outcome)


def answered_or_lost(peer: Peer, *calls: Call) -> None:
    """Wait until each call has had any answer, or the connection has ended."""
    waiting = {call.xid for call in calls}
    while waiting:
        outcome = peer.receive()
        if isinstance(outcome, Disconnected | Silent):
            return
        waiting.discard(answered_xid(outcome) or 0)


@requirement(SURVIVES)
@pytest.mark.parametrize("chunk", CALLS)
def test_responder_serves_the_other_calls_of_a_lost_connection(
    peer: Peer, connect: Callable[..., Peer], chunk: str
) -> None:
    """A good call before and one after a bad one may be lost with it: repeated, they are served."""
    verify.granted.require(peer, 3)
    bad = invalid_handle(peer, CALLS[chunk](peer))
    good = [build.with_write_chunks(peer, peer.workload.fetch(5000)) for _ in range(2)]
    for call in (good[0], bad, good[1]):
        peer.send(call)
    answered_or_lost(peer, bad, *good)

    again = connect()
    for lost in good:
        call = mutate.under(build.with_write_chunks(again, again.workload.fetch(5000)), lost.xid)
        again.send(call)
        verify.chunks.served(again, call, breaks=SURVIVES)


@requirement(MATCHED)
@pytest.mark.parametrize("chunk", CALLS)
def test_responder_serves_another_call_under_the_xid_of_a_lost_one(
    peer: Peer, connect: Callable[..., Peer], chunk: str
) -> None:
    """A bad call may cost the connection; on the next one its XID is another call's: it is served.

    Requesters do not know of each other's XIDs.
    """
    bad = invalid_handle(peer, CALLS[chunk](peer))
    peer.send(bad)
    answered_or_lost(peer, bad)

    again = connect()
    call = mutate.under(build.small_call(again), bad.xid)
    again.send(call)
    verify.served(again, call, breaks=MATCHED)


@requirement(INVALID)
@pytest.mark.parametrize("chunk", CALLS)
def test_responder_keeps_other_connections(
    peer: Peer, connect: Callable[..., Peer], chunk: str
) -> None:
    """What a bad chunk does to its own connection does not concern another."""
    other = connect()
    bad = invalid_handle(peer, CALLS[chunk](peer))
    good = build.with_write_chunks(other, other.workload.fetch(5000))

    peer.send(bad)
    other.send(good)

    verify.chunks.served(other, good)
    verify.expect(peer, bad, Disconnected, ErrChunk)


@requirement(
    "rfc8166.4.5.3.small-receive-is-a-length-error",
    wider="the Reply is longer than the Receive, of which neither device nor oracle knows",
)
def test_responder_survives_a_receive_that_is_too_small(connect: Callable[..., Peer]) -> None:
    """A Reply that is longer than the Receive posted for it costs at most the connection."""
    peer = connect(receives=1, receive_length=256, reposts=False)
    call = build.call(peer, peer.workload.fetch(600))

    peer.send(call)

    outcome = verify.expect(peer, call, Disconnected, Answered)
    verify.that(isinstance(outcome, Disconnected), "600 octets do not fit 256", actual=str(outcome))
