"""Messages of up to 4096 octets, to a Responder.

v2 section 2.1  Terminology (what does not fit goes by RDMA)
v2 section 2.3  Default Values
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.tester.client import build, build_sized

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

INLINE: Final = "v2.2.3.replies-up-to-4096-octets-go-inline"
NOT_BEYOND: Final = "v2.2.3.no-send-beyond-4096-octets"
HOLD: Final = "v2.2.3.receives-hold-4096-octets"
GRANTED: Final = "v2.5.granted-calls-are-served"
ENOUGH: Final = 64
"""Calls at once that are enough to show it, however many a device grants."""


@requirement(INLINE, "v2.5.1.both-ends-use-4096-octets")
@pytest.mark.parametrize("length", [1028, 4092, 4096], ids="{}-octets".format)
def test_responder_sends_a_reply_of_up_to_4096_octets_inline(peer_two: Peer, length: int) -> None:
    """A Reply that takes no more than 4096 octets with its header comes inline."""
    call = build_sized.reply_of(peer_two, length)

    peer_two.send(call)

    reply = verify.chunks.served(peer_two, call)
    verify.equal(reply.answer.length, length, "the length of the Reply", breaks=INLINE)


@requirement(NOT_BEYOND)
@pytest.mark.parametrize("length", [4100, 6000], ids="{}-octets".format)
def test_responder_sends_no_message_beyond_4096_octets(peer_two: Peer, length: int) -> None:
    """A Reply that would take more, without a Reply chunk, does not come; an error does."""
    call = build_sized.reply_of(peer_two, length)

    peer_two.send(call)

    verify.chunks.not_served(peer_two, call, breaks=NOT_BEYOND)


@requirement("v2.2.1.large-reply-goes-by-rdma", NOT_BEYOND)
@pytest.mark.parametrize("length", [4100, 20000], ids="{}-octets".format)
def test_responder_sends_a_larger_reply_by_the_reply_chunk(peer_two: Peer, length: int) -> None:
    """A Reply that would take more than 4096 octets goes into the Reply chunk that is offered."""
    call = build_sized.reply_of(peer_two, length, reply=(length,))

    peer_two.send(call)

    reply = verify.chunks.served(peer_two, call)
    verify.that(reply.answer.is_long, "the Reply is an RDMA2_NOMSG", actual=str(reply.answer))


@requirement(HOLD, GRANTED)
def test_responder_takes_calls_of_4096_octets_up_to_its_grant(
    connect_two: Callable[..., Peer],
) -> None:
    """Right after a grant of n come n Calls of 4096 octets: each finds a Receive that holds it."""
    peer = connect_two(rnr_retry=0)
    first = build.null_call(peer, credits=ENOUGH)
    peer.send(first)
    granted = min(verify.expect(peer, first, Answered).credits, ENOUGH)
    calls = [build_sized.call_of(peer, THRESHOLD_TWO) for _ in range(granted)]
    peer.post_receives(granted)

    for call in calls:
        peer.send(call)

    verify.chunks.all_served(peer, calls, breaks=(HOLD, GRANTED))
