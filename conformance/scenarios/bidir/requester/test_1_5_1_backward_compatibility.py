"""bidir section 1.5.1, Backward Compatibility, and 3.2: clients and servers without support."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify
from conformance.backward import build as build_backward
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

COMPATIBLE = "bidir.1.5.1.interoperates-without-support"


@requirement(COMPATIBLE, role="requester")
def test_client_works_with_a_server_that_never_calls_back(
    service: Service, client: ActingClient
) -> None:
    """Nothing comes but Replies: the client makes its Calls and sends nothing else."""
    server = BackwardServer(service)

    verify.calls.done(client.do(ActKind.MANY, count=8))

    server.silent(breaks=COMPATIBLE)


@requirement(COMPATIBLE, role="requester")
def test_client_without_support_drops_backward_calls(
    service: Service, client: ActingClient
) -> None:
    """A client that claims no backward direction bears a Call and goes on.

    Such clients typically drop it (bidir 3.2), which forbids no answer.
    """
    if service.profile.claims.backward:
        raise Unsupported("the profile claims the backward direction")
    server = BackwardServer(service)
    xid = server.next_xid()
    good = build_backward.call(xid, server.calls.null(xid))

    server.send(good.octets, xid)

    service.serve_while(lambda: True, service.profile.grace)
    if any(isinstance(answer, Answered) for answer in server.answers(xid)):
        service.case.remark("A backward Call is answered, though the profile claims none are.")
    verify.calls.done(client.serve_good_act(), (COMPATIBLE,))
