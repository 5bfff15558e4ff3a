"""v2 section 4.2 RPC-Over-RDMA Version Two XDR: the header of every call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.header import VERSION_TWO
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


HEADERS: Final = (
    "v2.4.2.header-layout",
    "v2.4.2.procedure-numbers",
    "v2.4.2.chunk-lists-as-before",
    "v2.3.2.chunk-lists-begin-with-the-direction",
    "v2.4.2.1.msg-is-followed-by-its-payload",
    "v2.4.2.1.nomsg-conveys-its-payload-by-chunks",
    "v2.4.2.2.direction-is-the-msg-type",
)


@requirement(*HEADERS, role="requester")
@pytest.mark.parametrize(
    ("kind", "length"),
    [
        (ActKind.NULL, 0),
        (ActKind.SMALL, 0),
        (ActKind.READ, 10_001),
        (ActKind.WRITE, 10_001),
        (ActKind.LONG_CALL, 3000),
        (ActKind.LONG_CALL, 10_001),
        (ActKind.LONG_REPLY, 10_001),
    ],
)
def test_requester_lays_its_headers_out_by_the_xdr(
    service_two: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """Whatever the client calls for, its headers are what the XDR describes, and all is done."""
    before = len(service_two.received)

    result = client.do(kind, length)

    calls = service_two.received[before:]
    verify.versions.spoken(calls, {VERSION_TWO}, ("v2.5.first-message-has-version-two",))
    verify.calls.obey(calls, *HEADERS)
    verify.calls.done(result)
