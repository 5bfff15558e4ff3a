"""RFC 8166 section 8.1.4, Denial of Service: many of one kind, and what a client keeps of each.

A server may end connections, refuse calls and send nonsense as often as it likes: the client must
go on.  What it keeps of each is told in a note, as no document says how much it may hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.verify.wear import ActedCalls, Wear
from rpcrdma.wire import ErrChunk
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"
COMPLETES: Final = "rfc8166.4.5.error-completes-the-rpc"
DISCARDED: Final = "rfc8166.4.5.bad-reply-header-discarded"
RETIRES: Final = "rfc8166.2.2.2.reply-retires-the-xid"

MANY: Final = 16
"""Of each kind, beside the warm-up."""

NO_PROCEDURE: Final = (9).to_bytes(4, "big")
"""In the place of RDMA_MSG, what no reply has."""


@requirement(SURVIVES, role="requester")
def test_requester_makes_one_connection_after_another(
    service: Service, client: ActingClient
) -> None:
    """Each connection is lost after a call: the next call is made on a new one, as on the first."""
    good = ActedCalls(client, (SURVIVES,))
    for _ in Wear(client.session, good, "connection").each(MANY):
        service.drop()
        good.make()


@requirement(COMPLETES, role="requester")
def test_requester_ends_one_refused_call_after_another(
    service: Service, client: ActingClient
) -> None:
    """Many calls are answered by ERR_CHUNK: each fails, and others are made."""
    for _ in Wear(client.session, ActedCalls(client, (COMPLETES,)), "error").each(MANY):
        act = client.good_act()
        service.error(service.next_call(), ErrChunk())
        verify.calls.failed(service.serve_until(act), (COMPLETES,))


@requirement(
    DISCARDED,
    role="requester",
    wider="whether a bad reply ends the call is for the cases about that reply",
)
def test_requester_drops_one_bad_reply_after_another(
    service: Service, client: ActingClient
) -> None:
    """Many replies have a procedure that does not exist; a good one follows: the call ends."""
    for _ in Wear(client.session, ActedCalls(client, (DISCARDED,)), "bad reply").each(MANY):
        act = client.good_act()
        call = service.next_call()
        reply = service.draft(call).octets
        service.send(reply[:12] + NO_PROCEDURE + reply[16:])
        service.waiting(0)
        service.answer_all()
        verify.calls.ended(service, act, (DISCARDED,))


@requirement(RETIRES, role="requester", needs=("cancels",))
def test_requester_forgets_one_abandoned_call_after_another(
    service: Service, client: ActingClient
) -> None:
    """Many calls are given up before their replies come: the connection serves others."""
    for _ in Wear(client.session, ActedCalls(client, (RETIRES,)), "abandoned call").each(MANY):
        act = client.begin(ActKind.READ, 3000)
        call = service.next_call()
        act.abandon()
        service.waiting(0)
        service.send(service.draft(call).octets)  # no data: the memory may be out of reach
        call.answered = True
