"""bidir section 1.3.4, XID Values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.backward import build as build_backward
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import ErrChunk
from conformance.tester.client import build
from rpcrdma import wire
from rpcrdma.ulp.backprog import Tally
from rpcrdma.wire import ErrVers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.tester.client.peer import Peer
    from rpcrdma.wire import ErrorBody

MATCHED = "bidir.1.3.4.reply-is-matched-by-xid"
MSG_TYPE = "bidir.1.3.4.xid-goes-with-the-msg-type"
SAME = "bidir.1.3.4.1.same-xid-in-both-directions"
SPACES = "bidir.1.3.4.1.xid-spaces-are-independent"
FIXED_PLACE = "bidir.1.5.4.direction-is-told-at-a-fixed-place"
TWO = "bidir.1.3.4.1.same-xid-is-two-transactions"

ENDED: Final = Tally(answered=2, failed=1)
ERRORS: Final[Mapping[str, ErrorBody]] = {"err-chunk": wire.ErrChunk(), "err-vers": ErrVers(1, 1)}


@requirement(
    "bidir.1.3.4.call-xid-is-unique",
    "bidir.2.5.call-has-a-fresh-xid",
    needs=("backward",),
    means={"bidir.2.5.call-has-a-fresh-xid": "bidir.1.3.4.call-xid-is-unique"},
)
def test_server_gives_each_call_in_flight_an_xid_of_its_own(peer: Peer) -> None:
    """Of several backward Calls at once no two have the same XID."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(4)

    client.answer(client.next_call(), credits=3)

    client.together(3)


@requirement(MATCHED, needs=("backward",), interpretations=("D-41",))
def test_server_takes_no_reply_with_an_xid_that_it_did_not_use(peer: Peer) -> None:
    """A Reply under a foreign XID ends no Call: the right one still does."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()
    foreign = build_backward.foreign(client.reply(called))

    client.send(foreign.octets, ErrChunk, breaks=MATCHED)

    client.no_call("the first Call has no Reply yet", breaks=MATCHED)
    client.answer(called)
    client.next_call(breaks=MATCHED)


@requirement(MATCHED, "bidir.2.1.2.backward-calls-within-the-grant", needs=("backward",))
def test_server_takes_a_reply_once(peer: Peer) -> None:
    """The same Reply a second time ends no other Call and frees no credit."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(3)
    called = client.next_call()
    client.answer(called, credits=1)
    client.next_call()

    client.send(client.reply(called, credits=1).octets, ErrChunk, breaks=MATCHED)

    client.no_call("the one credit is used by the second Call", breaks=MATCHED)


@requirement(MATCHED, needs=("backward",))
def test_server_gives_each_reply_to_the_call_that_it_answers(peer: Peer) -> None:
    """Three backward Calls have had their Replies: the server says that three were answered."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(3)

    for _ in range(3):
        client.answer(client.next_call())
    verify.granted.settle(peer)

    verify.equal(client.tally(), Tally(answered=3), "what became of the Calls", breaks=MATCHED)


@requirement(MATCHED, needs=("backward",), interpretations=("D-15",))
@pytest.mark.parametrize("error", ERRORS)
def test_server_gives_each_error_to_the_call_that_it_answers(peer: Peer, error: str) -> None:
    """The second of three backward Calls is refused: the server says that two were answered.

    Whether it makes the refused Call again is its Upper-Layer Protocol's affair.  One that drops
    the error gets the good Reply later (D-15).
    """
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(3)

    client.answer(client.next_call(), credits=1)
    refused = client.next_call()
    told = build.error(peer, ERRORS[error], xid=refused.xid, credits=1)
    client.answer_perhaps(refused, told.octets, breaks=MATCHED)
    ended = client.went_on()
    if not ended:
        client.answer(refused, credits=1)
    client.answer(client.next_call(), credits=1)
    verify.granted.settle(peer)

    found = client.tally()
    # One that is late may have taken the error, too.
    good = (ENDED,) if ended else (ENDED, Tally(answered=3))
    verify.that(found in good, "each Call ended as it was answered", actual=found, breaks=MATCHED)


@requirement(
    MSG_TYPE,
    needs=("backward",),
    interpretations=("D-41",),
    means={"bidir.2.1.2.backward-calls-within-the-grant": MSG_TYPE},
)
def test_server_takes_no_call_for_a_reply(peer: Peer) -> None:
    """A forward Call under the XID of a backward Call in flight is served and ends nothing."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()

    client.serve(peer.workload.small(), xid=called.xid)

    client.no_call("the backward Call has no Reply yet", breaks=MSG_TYPE)


@requirement(
    SAME,
    SPACES,
    TWO,
    FIXED_PLACE,
    needs=("backward",),
)
@pytest.mark.parametrize("answered_first", ["forward", "backward"])
def test_server_tells_two_calls_with_one_xid_apart(peer: Peer, answered_first: str) -> None:
    """While a backward Call is in flight, a forward one has its XID: each gets its own Reply."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()

    if answered_first == "forward":
        client.serve(peer.workload.small(), xid=called.xid, breaks=(SAME, SPACES, TWO))
        client.answer(called)
    else:
        client.answer(called)
        client.serve(peer.workload.small(), xid=called.xid, breaks=(SAME, SPACES, TWO))

    client.next_call(breaks=(SPACES, TWO))
    client.serve(peer.workload.null(), breaks=FIXED_PLACE)
