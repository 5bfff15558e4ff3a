"""RFC 8166 section 8.1.4, Denial of Service, and 3.4.4: chunks beyond all measure, canceled Calls.

None of these asks for a certain answer.  What they ask for is that the device is still there
afterwards, for this Requester on another connection as well as for others on theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk
from conformance.tester.client import build, mutate
from conformance.tester.workload import pages
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

LARGE: Final = {"two-gigabytes": 1 << 31, "the-largest-number": 2**32 - 1}
"""Octets that a segment is told to have; its memory is as small as ever."""

SUM: Final = "rfc8166.3.4.4.chunk-length-is-the-sum"
ROOM: Final = "rfc8166.8.1.4.no-more-data-than-room"
INVALID: Final = "rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error"
SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"
SIZES: Final = (500, 1000)
"""Of the two segments of a chunk."""

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "read-chunk": lambda peer: build.with_read_chunks(
        peer, peer.workload.store(pattern(60000, 37)), ((7000,) * 8,)
    ),
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(262144)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(30000)),
    "reply-chunk": lambda peer: build.long_reply(peer, peer.workload.fetch(65536)),
}


@requirement(SURVIVES, INVALID)
@pytest.mark.parametrize("length", LARGE)
@pytest.mark.parametrize("form", ["read-chunk", "long-call"])
def test_responder_survives_an_absurd_read_chunk(
    peer: Peer, connect: Callable[..., Peer], form: str, length: str
) -> None:
    """A Read chunk of gigabytes is refused or costs the connection; others are served."""
    other = connect()
    data = pattern(sum(SIZES), 38)
    if form == "read-chunk":
        good = build.with_read_chunks(peer, peer.workload.store(data), (SIZES[:1],))
    else:
        good = build.long_call(peer, peer.workload.long_call(sum(SIZES)), SIZES[:1])
    call = mutate.read_segment(good, 0, length=LARGE[length])

    peer.send(call)

    verify.chunks.refused(peer, call, Disconnected, breaks=INVALID)
    fetch = build.with_write_chunks(other, other.workload.fetch(5000))
    other.send(fetch)
    verify.chunks.served(other, fetch, breaks=SURVIVES)


def has_results(call: Call, reply: bytes) -> bool:
    """Whether a reply has results, and is no refusal; such as cannot be decoded are wrong ones."""
    try:
        return any(call.request.layer.results(call.unreduced, reply))
    except DecodeError:
        return True


@requirement(SURVIVES, SUM, ROOM)
@pytest.mark.parametrize("length", LARGE)
@pytest.mark.parametrize("form", ["write-chunk", "reply-chunk"])
def test_responder_bears_absurd_room_for_a_result(peer: Peer, form: str, length: str) -> None:
    """A segment told to be gigabytes long takes a small result, or the Call is refused.

    By the program's own error is a warning: it may be refused, but whoever says that the result
    is too long for the room has not added the segments up.
    """
    request = peer.workload.fetch_aside(3000, pages.BEYOND_ROOM[form, length])
    if form == "write-chunk":
        call = build.with_write_chunks(peer, request, ((4000, 400),))
        told = mutate.write_segment(call, 0, 0, length=LARGE[length])
    else:
        call = build.long_reply(peer, request, (4000, 400))
        told = mutate.reply_segment(call, 0, length=LARGE[length])

    peer.send(told)

    outcome = verify.expect(peer, told, Answered, ErrChunk, Disconnected, breaks=SURVIVES)
    verify.chunks.untouched(told)
    if isinstance(outcome, Answered):
        verify.chunks.returned(told, outcome)
        reply = verify.reply_of(told, outcome, breaks=SUM)
        if has_results(told, reply.payload):
            verify.right(peer, told, outcome, breaks=SUM)
        else:
            sentence = "a Call that is refused for its chunk is not refused by the program"
            problem = told.request.check(told.unreduced, reply.payload)
            refused = reply.rpc.succeeded and problem
            verify.recommended(peer, not refused, sentence, actual=problem, breaks=SUM)


@requirement(
    INVALID,
    SURVIVES,
    "rfc8166.4.5.4.close-when-reply-cannot-be-sent",
    wider="the Call may have been executed before its memory was withdrawn",
)
@pytest.mark.parametrize("form", CALLS)
def test_responder_survives_a_canceled_call(
    peer: Peer, connect: Callable[..., Peer], form: str
) -> None:
    """Memory withdrawn while the device works on the Call costs at most the connection."""
    other = connect()
    call = CALLS[form](peer)

    peer.send(call)
    for chunk in call.chunks:
        peer.invalidate(chunk)

    # It may have been done before; then the Reply is as good as any.
    verify.expect(peer, call, Answered, ErrChunk, Disconnected)
    verify.chunks.untouched(call)
    good = CALLS[form](other)
    other.send(good)
    verify.chunks.served(other, good)


@requirement(
    SURVIVES,
    INVALID,
    wider="the Call may have been executed before its memory was withdrawn",
)
def test_responder_survives_calls_that_are_canceled_again_and_again(
    connect: Callable[..., Peer],
) -> None:
    """Ten Calls on ten connections, each canceled while it is worked on: others are served.

    The connection that stood idle meanwhile may have been ended, which no document forbids: that
    is told, and another one must do.
    """
    other = connect()

    for _ in range(10):
        canceling = connect()
        call = CALLS["write-chunk"](canceling)
        canceling.send(call)
        canceling.invalidate(call.write_chunks[0])
        verify.expect(canceling, call, Answered, ErrChunk, Disconnected)
        canceling.close()

    if isinstance(other.receive(other.profile.grace), Disconnected):
        other.case.remark("A connection was ended that stood idle while others came and went.")
        other = connect()
    good = build.with_write_chunks(other, other.workload.fetch(5000))
    other.send(good)
    verify.chunks.served(other, good, breaks=SURVIVES)
