"""rfc8166 section 3.2 Message Framing: of a Requester's calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


FRAMING: Final = (
    "rfc8166.3.2.one-rpc-message-each",
    "rfc8166.3.2.payload-begins-with-xid",
    "rfc8166.3.2.payload-follows-the-header",
    "rfc8166.3.2.no-other-framing",
    "rfc8166.2.2.2.call-msg-type",
    "rfc8166.4.rpc-layout-is-unchanged",
    "rfc8166.3.5.1.short-message-is-one-send",
)


@requirement(*FRAMING, role="requester")
@pytest.mark.parametrize("kind", [ActKind.NULL, ActKind.SMALL, ActKind.READ, ActKind.WRITE])
def test_requester_frames_each_call_by_its_send(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """A message is a transport header and right after it one RPC call, with nothing about it."""
    act = client.begin(kind, 5000)
    service.waiting()

    verify.calls.obey(service.received, *FRAMING)
    verify.calls.done(service.serve_until(act))
