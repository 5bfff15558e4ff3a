"""bidir section 1.5.3, Server Memory Security: backward transactions without chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.backward import build as build_backward
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk, ErrVers
from conformance.tester.client import build
from rpcrdma import wire

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer

NO_RDMA = "bidir.1.5.3.no-rdma-for-backward-transactions"
MATCHED = "bidir.1.3.4.reply-is-matched-by-xid"
ANSWERS: Final[dict[str, tuple[type[Outcome], ...]]] = {
    "version-three": (ErrVers,),
    "msg-type": (ErrChunk, Answered),
}
"""What each fault of `WORD_FAULTS` may get, if it is not dropped."""


@requirement(
    NO_RDMA,
    MATCHED,
    needs=("backward",),
    interpretations=("D-41",),
    wider="an RDMA_NOMSG may be a Reply without its payload, for which the connection may end",
)
@pytest.mark.parametrize("fault", build_backward.CHUNK_FAULTS)
def test_server_takes_no_message_with_chunks_for_a_reply(peer: Peer, fault: str) -> None:
    """A Reply with chunks ends no Call, and they are left alone; the good one after it does."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()
    room = peer.room((256,))
    spoiled = build_backward.with_chunks(client.reply(called), room.told[0], fault)

    client.send(spoiled.octets, ErrChunk, breaks=MATCHED)

    if client.hung_up(told_of_memory=True):
        return  # D-41 accepts it
    client.no_call("the Call has no good Reply yet", breaks=MATCHED)
    changed = room.overwritten(())
    verify.that(
        changed is None,
        "memory that it told of is as it was",
        actual=f"{changed} changed",
        breaks=NO_RDMA,
    )
    client.answer(called)
    client.next_call(breaks=MATCHED)


@requirement(
    MATCHED,
    needs=("backward",),
    interpretations=("D-41",),
    wider="what may be a Reply may be dropped and may end the connection, whatever it looks like",
)
@pytest.mark.parametrize("fault", build_backward.WORD_FAULTS)
def test_server_takes_no_message_with_odd_words_for_a_reply(peer: Peer, fault: str) -> None:
    """Another version or msg_type makes no Reply of it; the good one after it is one."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()
    spoiled = build_backward.with_other_words(client.reply(called), fault)

    # Who makes the Call again has not taken it for answered (D-41), and breaks another rule.
    client.send(spoiled.octets, *ANSWERS[fault], breaks=MATCHED, by_repeating=False)

    if client.hung_up():
        return  # likewise
    client.no_call("the Call has no good Reply yet", breaks=MATCHED)
    client.answer(called)
    client.next_call(breaks=MATCHED)


@requirement(MATCHED, needs=("backward",), interpretations=("D-12", "D-41"))
def test_server_bears_two_xids_in_a_reply(peer: Peer) -> None:
    """The RPC header of a Reply has an XID of its own: it ends the Call, or the good one does."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()
    odd = build_backward.with_another_xid(client.reply(called))

    client.answer_perhaps(called, odd.octets, ErrChunk, breaks=MATCHED)

    if client.hung_up():
        return  # likewise
    if not client.went_on():
        client.answer(called)
    client.next_call(breaks=MATCHED)


@requirement(MATCHED, needs=("backward",), interpretations=("D-15",))
@pytest.mark.parametrize(
    "error", [wire.ErrChunk(), wire.ErrVers(1, 1)], ids=["err-chunk", "err-vers"]
)
def test_server_bears_an_error_for_its_call(peer: Peer, error: wire.ErrorBody) -> None:
    """An RDMA_ERROR under the XID of a backward Call ends the Call, or the good Reply does."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()

    client.answer_perhaps(called, build.error(peer, error, xid=called.xid).octets, breaks=MATCHED)

    if not client.went_on():
        client.answer(called)
    client.next_call(breaks=MATCHED)
