"""rfc8166 section 4.3 Chunk Lists: of replies, as a Requester takes them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import RdmaNomsg, RdmaSegment, ReadSegment, WriteChunk
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.server import ReceivedCall, ReplyDraft, Service
    from conformance.tester.server.acting import ActingClient

BAD_REPLY = "rfc8166.4.5.bad-reply-header-discarded"


def with_segments(
    change: Callable[[tuple[RdmaSegment, ...]], tuple[RdmaSegment, ...]],
) -> Callable[[ReplyDraft], ReplyDraft]:
    """Changes the segments of the first Write chunk that is returned."""

    def spoil(draft: ReplyDraft) -> ReplyDraft:
        first, *rest = draft.lists.rdma_writes
        return draft.with_writes(WriteChunk(change(first.target)), *rest)

    return spoil


def with_first(**words: int) -> Callable[[ReplyDraft], ReplyDraft]:
    """Changes words of the first segment of the first Write chunk."""
    return with_segments(
        lambda segments: (msgspec.structs.replace(segments[0], **words), *segments[1:])
    )


SPOILERS = {
    "read-list": lambda draft: draft.with_reads(ReadSegment(0, RdmaSegment(1, 8, 64))),
    "no-write-list": lambda draft: draft.with_writes(),
    "a-chunk-more": lambda draft: draft.with_writes(
        *draft.lists.rdma_writes, WriteChunk((RdmaSegment(1, 8, 64),))
    ),
    "a-segment-more": with_segments(lambda segments: (*segments, RdmaSegment(1, 8, 64))),
    "no-segments": with_segments(lambda _segments: ()),
    "longer-than-the-chunk": with_first(length=2**20),
    "longest-length": with_first(length=2**32 - 1),
    "other-handle": with_first(handle=0x0BAD0BAD),
}
"""What is wrong with the lists of a reply whose result was placed as it should be."""


@requirement(
    BAD_REPLY,
    "rfc8166.4.5.header-checked-before-the-rpc-layer",
    "rfc8166.3.4.6.1.results-reassembled-in-array-order",
    role="requester",
    # What comes after the header is good: whoever takes it has not looked at the header before.
    means={BAD_REPLY: "rfc8166.4.5.header-checked-before-the-rpc-layer"},
)
@pytest.mark.parametrize("fault", SPOILERS)
def test_requester_does_not_take_wrong_lists(
    service: Service, client: ActingClient, fault: str
) -> None:
    """A reply whose lists are not those of the call: it is dropped, or the call fails."""
    act = client.begin(ActKind.READ, 4096)
    call = service.next_call(lambda one: bool(one.writes and one.writes[0].target))
    draft = service.draft(call)
    service.line_of(call).place(draft.placements)

    verify.calls.reaction(service, call, act, SPOILERS[fault](draft).octets, reading=4096)


@requirement(
    BAD_REPLY,
    role="requester",
    needs=("cancels",),
    wider=verify.losses.TELLS,
)
@pytest.mark.parametrize("fault", ["read-list", "no-write-list", "a-chunk-more"])
def test_requester_drops_wrong_lists_for_a_call_that_was_given_up(
    service: Service, client: ActingClient, fault: str
) -> None:
    """The application has given its call up when such a reply comes: others go on as before."""
    act = client.begin(ActKind.READ, 4096)
    call = service.next_call(lambda one: bool(one.writes and one.writes[0].target))
    wrong = SPOILERS[fault](service.draft(call)).octets
    act.abandon()
    service.waiting()

    service.send(wrong, service.line_of(call))
    service.reply(call)  # who makes one call at a time goes on only after this

    # The result goes where there may be no memory any more, which costs a connection.
    verify.losses.survived(service, client, client.serve_good_act(), (BAD_REPLY,))


@requirement(
    BAD_REPLY,
    "rfc8166.3.4.6.1.results-reassembled-in-array-order",
    role="requester",
)
def test_requester_uses_no_more_than_a_chunk_holds(service: Service, client: ActingClient) -> None:
    """A Write chunk is said to hold eight octets of a longer result, and does hold no more.

    A client may take those and ask for the rest, as NFS does of a READ that came back short; it
    may not take what it finds in its memory after them.
    """
    act = client.begin(ActKind.READ, 4096)
    call = service.next_call(lambda one: bool(one.writes and one.writes[0].target))
    draft = service.draft(call)
    reply = with_first(length=8)(draft).octets
    first = draft.placements[:1]  # none in the reply to a call that is at fault itself
    service.line_of(call).place(replace(one, data=one.data[:8]) for one in first)

    verify.calls.reaction(service, call, act, reply, may_ask_again=True)
    result = act.poll()
    if result is not None and result.done:
        verify.calls.reads(result, 4096)


NOWHERE: Final = WriteChunk((RdmaSegment(0x0BAD0BAD, 64, 4096),))
"""Memory that nobody has offered."""


def long(draft: ReplyDraft, chunk: WriteChunk | None) -> ReplyDraft:
    """The reply as an RDMA_NOMSG, with or without a Reply chunk that holds it."""
    return draft.changed(body=RdmaNomsg((), (), chunk))


UNOFFERED: Final[Mapping[str, Callable[[ReplyDraft], bytes]]] = {
    "a-write-list": lambda draft: draft.with_writes(NOWHERE).octets,
    "an-empty-write-chunk": lambda draft: draft.with_writes(WriteChunk(())).octets,
    "a-reply-chunk-in-nomsg": lambda draft: long(draft, NOWHERE).changed(payload=b"").octets,
    "a-reply-chunk-in-msg": lambda draft: draft.with_reply_chunk(NOWHERE).octets,
    "nomsg-without-a-list": lambda draft: long(draft, None).changed(payload=b"").octets,
    "nomsg-with-the-reply-inline": lambda draft: long(draft, None).octets,
    "presence-of-the-read-list": lambda draft: presence(draft, 16),
    "presence-of-the-write-list": lambda draft: presence(draft, 20),
    "presence-of-the-reply-chunk": lambda draft: presence(draft, 24),
}
"""Replies with lists that their call gave no occasion for, or that nobody can decode."""


def without_room(service: Service) -> ReceivedCall:
    """The first call of an act, which offers no memory for its results.

    A later one may be about something else, whatever becomes of the act.

    Raises:
        Unsupported: it does.
    """
    call = service.next_call()
    if call.writes or call.reply_chunk is not None:
        service.reply(call)
        raise Unsupported("the call of the client offers memory for its results")
    return call


def presence(draft: ReplyDraft, place: int) -> bytes:
    """The reply with a presence word of two."""
    octets = draft.octets
    return octets[:place] + (2).to_bytes(4) + octets[place + 4 :]


@requirement(
    "rfc8166.4.5.bad-reply-header-discarded",
    "rfc8166.4.5.header-checked-before-the-rpc-layer",
    role="requester",
    interpretations=("D-19", "D-22", "D-28", "D-33"),
    means={
        "rfc8166.4.5.bad-reply-header-discarded": "rfc8166.4.5.header-checked-before-the-rpc-layer"
    },
)
@pytest.mark.parametrize("what", UNOFFERED)
def test_requester_does_not_take_what_it_did_not_offer(
    service: Service, client: ActingClient, what: str
) -> None:
    """A reply with lists for which its call offered nothing: it is dropped, or the call fails."""
    # What a client calls by itself when it has connected is no call of the act.
    service.serve_while(lambda: True, service.profile.grace)
    act = client.good_act()
    call = without_room(service)

    verify.calls.reaction(service, call, act, UNOFFERED[what](service.draft(call)))
