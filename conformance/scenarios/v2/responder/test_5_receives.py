"""v2 section 5, Protocol Version Negotiation: every grant is backed by Receives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped
from conformance.tester.client import unserved
from conformance.verify.traffic import Traffic
from rpcrdma.wire._generated_rtrext import BadSequence, TransmissionId
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer

GRANTED: Final = "v2.5.granted-calls-are-served"

SPARE: Final = 16
"""Receives that a device may have beside those for what it grants."""

ROUNDS: Final = 40
"""Groups, each of three transmissions: a device that posts one Receive for each runs out."""


def _served(client: GroupClient) -> None:
    request = client.peer.workload.long_call(1000)
    call = client.send(grouped(client.peer, request, sizes=(40, 400, None)))
    answers.served(client, call, breaks=GRANTED)


def _broken(client: GroupClient) -> None:
    call = grouped(client.peer, client.peer.workload.long_call(1000), sizes=(40, 400, None))
    odd = client.send(call.spoiled(call.draft.in_order(0, 2)))
    bad = (TransmissionId(call.xid, MessageType.CALL, 2),)
    faults.reported(
        client,
        odd.message,
        BadSequence(1, 2),
        bad=bad,
        breaks=faults.FAULTY_GROUP,  # another report takes a Receive as well
        unreported=GRANTED,
    )


GROUPS: Final[Mapping[str, Callable[[GroupClient], None]]] = {"good": _served, "broken": _broken}


@requirement(GRANTED)
@pytest.mark.parametrize("kind", unserved.TWO)
def test_responder_has_its_receives_after_what_it_does_not_serve(
    connect_two: Callable[..., Peer], kind: str
) -> None:
    """As many messages that are not served as it has Receives; then all credits at once."""
    traffic = Traffic.on(connect_two, breaks=GRANTED)

    for _ in range(traffic.credits + SPARE):
        traffic.send_odd(unserved.TWO[kind](traffic.peer))
        traffic.settle()

    traffic.use_all_credits()


@requirement(GRANTED, needs=NEEDS, interpretations=("D-109",))
@pytest.mark.parametrize("kind", GROUPS)
def test_responder_has_its_receives_after_groups(
    connect_two: Callable[..., Peer], kind: str
) -> None:
    """More requests of several transmissions than it has Receives; then all credits at once."""
    client = GroupClient.of(partial(connect_two, rnr_retry=0))

    for _ in range(ROUNDS):
        GROUPS[kind](client)

    Traffic(client.peer, GRANTED).use_all_credits()
