"""rfc8166 section 2.3.2 RDMA Transport Requirements: memory that a Responder reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.harness import ActingClient

STRAYS_ARE_DROPPED = (
    "rfc8166.2.2.2.reply-retires-the-xid",
    "rfc8166.3.3.1.replies-in-any-order",
)
"""What a client breaks that does anything else about a reply to no call."""


@requirement(
    "rfc8166.2.3.2.read-memory-freed-after-next-send",
    "rfc8166.3.4.5.1.read-memory-released-after-reply",
    role="requester",
    narrower="the case reads the memory of a call again, which is nothing that a message shows",
)
@pytest.mark.parametrize(
    ("kind", "length"),
    [(ActKind.WRITE, 6000), (ActKind.WRITE, 2_500_000), (ActKind.LONG_CALL, 6000)],
    ids=str,
)
def test_requester_keeps_arguments_until_the_reply(
    service: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """Read chunks can be read again after a while and after a message that is no reply to them."""
    act = client.begin(kind, length)
    call = service.next_call(lambda one: bool(one.reads))
    line = service.line_of(call)
    verify.calls.each((call,), unreadable)

    service.send(service.draft(call).stray(100).octets, line)
    service.waiting()

    verify.calls.stands(line, "a reply to no call", STRAYS_ARE_DROPPED)
    verify.calls.each((call,), lambda one: changed(service, one))
    service.reply(call)
    verify.calls.done(service.serve_until(act))


def unreadable(call: ReceivedCall) -> str:
    """Whether the Read chunks could not be read when the call came."""
    return f"The call's memory is out of reach: {call.problem}" if call.unreduced is None else ""


def changed(service: Service, call: ReceivedCall) -> str:
    """Whether the Read chunks hold no longer what they held; each is part of the call."""
    targets = [read.target for read in call.reads]
    again = service.line_of(call).fetch(targets, service.profile.deadline)
    if again is None:
        return "Memory of a call that has no reply yet cannot be read any more"
    held = call.unreduced or b""
    return "" if again in held else "Memory of a call that has no reply yet holds other octets"
