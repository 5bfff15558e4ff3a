"""rfc8166 section 4.6 Protocol Elements No Longer Supported: received by a Requester."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import Procedure

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


@requirement("rfc8166.4.6.1.requester-discards-msgp", role="requester")
def test_requester_drops_msgp(service: Service, client: ActingClient) -> None:
    """The reply comes as RDMA_MSGP first, aligned and complete; the call waits for another."""
    act = client.good_act()
    call = service.next_call()
    reply = service.draft(call).octets
    procedure = int(Procedure.RDMA_MSGP).to_bytes(4, "big")
    alignment = (4).to_bytes(4, "big") + (512).to_bytes(4, "big")

    verify.calls.reaction(
        service, call, act, reply[:12] + procedure + alignment + reply[16:28] + reply[28:]
    )


@requirement("rfc8166.4.6.2.done-is-discarded", role="requester")
def test_requester_drops_done(service: Service, client: ActingClient) -> None:
    """An RDMA_DONE with the XID of the call comes before its reply."""
    act = client.good_act()
    call = service.next_call()
    reply = service.draft(call).octets
    procedure = int(Procedure.RDMA_DONE).to_bytes(4, "big")

    verify.calls.reaction(service, call, act, reply[:12] + procedure + bytes(12))
