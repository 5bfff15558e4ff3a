"""rfc8166 section 4.5.5 RPC-over-RDMA Transport Errors: a Requester whose connection is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.wire import FrameAct, Packets
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.wire import Wire


SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"


@requirement(SURVIVES, role="requester", interpretations=("D-157",), wider=verify.losses.TELLS)
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE])
def test_requester_repeats_a_call_on_a_new_connection(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """The connection is lost before a call is answered: it, or the next, is made on a new one."""
    act = client.begin(kind, 9000)
    lost = service.next_call()

    service.drop(service.line_of(lost))

    verify.losses.survived(service, client, service.serve_until(act), (SURVIVES,))


INTACT: Final = "rfc8166.4.5.5.damaged-octets-are-not-taken"

LENGTH: Final = 20000
"""Octets of a result: several packets, whatever the path MTU."""

DAMAGED: Final = {"reply": Packets.SENDS, "result": Packets.WRITES}


@requirement(INTACT, role="requester")
@pytest.mark.parametrize("what", DAMAGED)
def test_requester_takes_no_damaged_octets(
    service: Service, client: ActingClient, wire: Wire, what: str
) -> None:
    """A packet of a reply or its result is damaged on its way: the data are right in the end."""
    wire.hit(DAMAGED[what], FrameAct.CORRUPT)

    result = client.do(ActKind.READ, LENGTH)
    verify.calls.done(result, (INTACT,))
    verify.calls.reads(result, LENGTH, (INTACT,))
    wire.require_struck()


@requirement(SURVIVES, role="requester", interpretations=("D-157",))
def test_requester_gives_no_half_of_a_result(
    service: Service, client: ActingClient, wire: Wire
) -> None:
    """The connection ends in the middle of a result: what is made of the call again is right."""
    act = client.begin(ActKind.READ, LENGTH)
    call = service.next_call(lambda one: bool(one.writes))
    line = service.line_of(call)
    wire.hit(Packets.ENDS_OF_WRITES, FrameAct.DROP, last=None)
    service.reply(call)
    service.drop(line)
    wire.heal()

    result = service.serve_until(act)
    if verify.losses.survived(service, client, result, (SURVIVES,)):
        verify.calls.reads(result, LENGTH)
