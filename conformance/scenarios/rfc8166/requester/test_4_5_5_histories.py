"""rfc8166 section 4.5.5 RPC-over-RDMA Transport Errors: several calls lost, and several losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server.useless import ONE
from rpcrdma.wire import ErrChunk
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient

SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"
UNIQUE: Final = "rfc8166.2.2.2.call-xid-is-unique"
ENDS: Final = "rfc8166.4.5.error-completes-the-rpc"
ANY_ORDER: Final = "rfc8166.3.3.1.replies-in-any-order"

SEVERAL: Final = 6
LENGTH: Final = 6000
LOSSES: Final = 3

TOO_OFTEN: Final = 5
"""Losses in a row after which a client may have given its call up."""


def several(service: Service) -> tuple[ReceivedCall, ...]:
    """The calls that the client has in flight, none of them answered.

    Raises:
        Unsupported: there is one at a time.
    """
    # A slow client takes its time until its second call, too.
    seconds = service.profile.start + service.profile.grace
    service.waiting(seconds, until=lambda: len(service.in_flight()) > 1)
    held = service.waiting()
    if len(held) < 2:
        raise Unsupported("the client has one call in flight at a time")
    return held


@requirement(
    SURVIVES, UNIQUE, role="requester", interpretations=("D-157",), wider=verify.losses.TELLS
)
@pytest.mark.parametrize("kind", [ActKind.MANY, ActKind.MANY_READS], ids=str)
@pytest.mark.parametrize("answered", [0, 2])
def test_requester_repeats_each_lost_call_once(
    service: Service, client: ActingClient, kind: ActKind, answered: int
) -> None:
    """Three times a connection is lost under several calls: none is made again twice."""
    for _ in range(LOSSES):
        act = client.begin(kind, LENGTH, SEVERAL)
        held = several(service)
        for call in held[:answered]:
            service.reply(call)

        service.drop(service.line_of(held[0]))

        result = verify.calls.ended(service, act, (SURVIVES,))
        verify.losses.survived(service, client, result, (SURVIVES,))
        repeated = [call.xid for call in service.received if call.line == service.line.number]
        twice = sorted({xid for xid in repeated if repeated.count(xid) > 1})
        verify.that(
            not twice,
            "each call is made once on a connection",
            actual=f"made twice: {', '.join(map(hex, twice))}",
            breaks=UNIQUE,
        )


@requirement(
    SURVIVES,
    role="requester",
    interpretations=("D-157",),
    wider="an act may be given up over so many losses; others must go well",
)
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ], ids=str)
def test_requester_survives_a_loss_after_too_many(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Connections are lost under a call until it may be given up: a later call survives a loss.

    One is answered between them, after which there is no reason to take the server for dead.
    """
    act = client.begin(kind, LENGTH)

    def goes_on() -> bool:
        return act.poll() is not None or (service.line.connected and bool(service.in_flight()))

    for _ in range(TOO_OFTEN):
        service.waiting(service.profile.start + service.profile.deadline, until=goes_on)
        if act.poll() is None:
            service.drop()
    verify.calls.ended(service, act, (SURVIVES,))
    verify.calls.done(client.serve_good_act(), (SURVIVES,))

    again = client.begin(kind, LENGTH)
    lost = service.next_call(lambda call: service.line_of(call).connected)
    service.drop(service.line_of(lost))

    result = verify.calls.ended(service, again, (SURVIVES,))
    verify.losses.survived(service, client, result, (SURVIVES,))


@requirement(ENDS, ANY_ORDER, role="requester")
@pytest.mark.parametrize("kind", [ActKind.MANY, ActKind.MANY_READS], ids=str)
@pytest.mark.parametrize("place", [0, 1, -1], ids=["first", "second", "last"])
def test_requester_ends_the_call_that_is_refused(
    service: Service, client: ActingClient, kind: ActKind, place: int
) -> None:
    """One of several calls in flight is refused: that one ends, and the others are answered."""
    act = client.begin(kind, LENGTH, SEVERAL)
    held = several(service)
    refused = held[place]

    service.error(refused, ErrChunk())
    service.waiting()

    result = verify.calls.ended(service, act, (ENDS,))
    verify.calls.failed(result, (ENDS,))


@requirement(ENDS, ANY_ORDER, role="requester")
def test_requester_ends_each_call_that_is_refused(service: Service, client: ActingClient) -> None:
    """Every second of several calls in flight is refused, and the act ends in failure."""
    act = client.begin(ActKind.MANY, count=SEVERAL)
    held = several(service)

    for call in held[::2]:
        service.error(call, ErrChunk())
        service.send(ONE["unknown-xid"](service, call), service.line_of(call))
    service.waiting()

    result = verify.calls.ended(service, act, (ENDS,))
    verify.calls.failed(result, (ENDS,))
