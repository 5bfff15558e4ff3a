"""rfc8166 section 2.3.2 RDMA Transport Requirements: memory that is read, and what is delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.wire import FrameAct, Packets
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.wire import Wire

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


ONCE: Final = "rfc8166.2.2.2.reply-retires-the-xid"
IN_ORDER: Final = "rfc8166.2.3.2.sends-complete-in-order"
PLACED: Final = "rfc8166.2.3.2.writes-precede-a-later-send"

LENGTH: Final = 20000
"""Octets of a result: several packets, whatever the path MTU."""

ROUNDS: Final = 3

WRITTEN: Final = {
    "first": Packets.WRITES,
    "middle": Packets.WITHIN_WRITES,
    "last": Packets.ENDS_OF_WRITES,
}


@requirement(ONCE, role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE], ids=str)
def test_requester_takes_a_reply_once_that_comes_twice(
    service: Service, client: ActingClient, wire: Wire, kind: ActKind
) -> None:
    """Replies whose packets the network doubles end their calls, and no others."""
    wire.hit(Packets.SENDS, FrameAct.DUPLICATE, last=None)

    for _ in range(ROUNDS):
        verify.calls.done(client.do(kind, LENGTH))

    wire.heal()
    verify.calls.done(client.serve_good_act())
    wire.require_struck()


@requirement(IN_ORDER, role="requester")
@pytest.mark.parametrize("act", [FrameAct.DROP, FrameAct.REORDER], ids=lambda act: act.value)
def test_requester_takes_every_reply_when_one_comes_late(
    service: Service, client: ActingClient, wire: Wire, act: FrameAct
) -> None:
    """One of several replies is lost on its way, or overtaken: every call ends well."""
    wire.hit(Packets.SENDS, act, first=2)

    verify.calls.done(client.do(ActKind.MANY, count=6))

    wire.require_struck()


@requirement(PLACED, role="requester")
@pytest.mark.parametrize(
    "act", [FrameAct.DROP, FrameAct.REORDER, FrameAct.DUPLICATE], ids=lambda act: act.value
)
@pytest.mark.parametrize("which", WRITTEN)
def test_requester_has_its_data_before_the_reply(
    service: Service, client: ActingClient, wire: Wire, which: str, act: FrameAct
) -> None:
    """A packet of a result is lost, overtaken or doubled: the application gets the right data."""
    wire.hit(WRITTEN[which], act)

    result = client.do(ActKind.READ, LENGTH)
    verify.calls.done(result, (PLACED,))
    verify.calls.reads(result, LENGTH, (PLACED,))
    wire.require_struck()
