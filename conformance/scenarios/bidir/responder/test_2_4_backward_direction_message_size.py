"""bidir section 2.4, Backward Direction Message Size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.backward import build as build_backward
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

SIZE = "bidir.2.4.no-larger-than-the-receives"
ONE_RECEIVE = "bidir.1.5.4.backward-messages-fit-one-receive"
NO_EFFECT = "bidir.2.4.runt-has-no-effect"
WITHIN = "bidir.2.1.2.backward-calls-within-the-grant"
CREDIT = "bidir.2.4.runt-credit-is-ignored"
DROPPED = "bidir.2.4.runt-is-dropped"
REPLY_HEADER = 24
"""Octets of the RPC header of a Reply that was accepted, with an empty verifier."""

CUT = (ErrChunk, Answered)
"""What a message with a cut RPC header may get, if it is not dropped (D-40)."""


@requirement(SIZE, ONE_RECEIVE, needs=("backward",), interpretations=("D-44",))
@pytest.mark.parametrize("beyond", [-4, 0])
def test_server_makes_calls_as_large_as_the_client_receives(peer: Peer, beyond: int) -> None:
    """Calls up to the reply inline threshold come."""
    client = BackwardClient.of(peer)
    client.announce()

    client.provoke(1, client.workload.longest(peer.profile.claims.reply_inline_threshold) + beyond)

    client.next_call()


@requirement(
    SIZE,
    ONE_RECEIVE,
    needs=("backward",),
    interpretations=("D-44",),
    means={SIZE: ONE_RECEIVE},
)
@pytest.mark.parametrize("beyond", [4, 2000])
def test_server_makes_no_call_larger_than_the_client_receives(peer: Peer, beyond: int) -> None:
    """A Call that does not fit the client's Receives is not sent in any form; the next one is."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(1, client.workload.longest(peer.profile.claims.reply_inline_threshold) + beyond)

    client.provoke(1)

    client.next_call()
    client.no_call("the other Call is too large", breaks=(SIZE, ONE_RECEIVE))


@requirement(NO_EFFECT, DROPPED, needs=("backward",), interpretations=("D-40",))
@pytest.mark.parametrize("length", [0, 4, 8, 20])
def test_server_drops_a_message_that_is_too_small(peer: Peer, length: int) -> None:
    """A Reply that is cut within its RPC header ends no Call and costs nothing else."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()

    client.send(build_backward.cut(client.reply(called), length, credits=1), *CUT, breaks=NO_EFFECT)

    if client.hung_up(tolerated=DROPPED):
        return
    client.no_call("the Call has no whole Reply", breaks=NO_EFFECT)
    client.serve(peer.workload.small())
    client.answer(called)
    client.next_call(breaks=DROPPED)


@requirement(NO_EFFECT, DROPPED, needs=("backward",), interpretations=("D-40",))
@pytest.mark.parametrize("octet", range(4), ids="octet-{}-of-a-word".format)
def test_server_bears_a_reply_cut_anywhere(peer: Peer, octet: int) -> None:
    """A Reply cut to any length within its RPC header ends no Call and costs nothing else."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()

    for length in range(octet, REPLY_HEADER, 4):
        cut = build_backward.cut(client.reply(called), length, credits=1)
        client.send(cut, *CUT, breaks=NO_EFFECT)
        if client.hung_up(tolerated=DROPPED):
            return

    client.no_call("the Call has no whole Reply", breaks=NO_EFFECT)
    client.answer(called)
    client.next_call(breaks=DROPPED)


@requirement(
    CREDIT,
    NO_EFFECT,
    needs=("backward",),
    interpretations=("D-40",),
    means={WITHIN: CREDIT},
)
@pytest.mark.parametrize("length", [0, 4, 8, 20])
def test_server_ignores_the_credit_of_a_message_that_is_too_small(peer: Peer, length: int) -> None:
    """A cut Reply that would grant fifty credits lets no further Call out."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(4)
    called = client.next_call()

    client.send(
        build_backward.cut(client.reply(called), length, credits=50), *CUT, breaks=NO_EFFECT
    )

    if client.hung_up(tolerated=DROPPED):
        return
    client.no_call("nothing has been granted", breaks=CREDIT)
