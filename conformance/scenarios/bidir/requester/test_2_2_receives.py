"""bidir section 2.2, Managing Receive Buffers: what a client refuses takes no Receive for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.backward import build as build_backward
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from conformance.tester.server import Welcome
from conformance.verify import disturbance
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaSegment
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.backward.build import BackwardMessage
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

AT_ONCE: Final = "bidir.2.1.2.as-many-calls-as-granted-are-handled"
RECEIVES: Final = "bidir.2.2.1.client-posts-receives-for-its-grant"
OWN: Final = "bidir.2.2.1.each-forward-call-has-its-own-receive"
FORWARD: Final = "bidir.2.1.2.directions-are-accounted-separately"

ENOUGH: Final = 48
"""Receives of each direction that are enough to show it."""
SPARE: Final = 8
GROWING: Final = 3
"""Replies in which a grant that begins small has grown."""
NOWHERE: Final = RdmaSegment(0x00BAD000, 64, 0)

KINDS: Final[dict[str, Callable[[BackwardMessage], bytes]]] = {
    "read-list": lambda call: build_backward.with_chunks(call, NOWHERE, "read-list").octets,
    "write-list": lambda call: build_backward.with_chunks(call, NOWHERE, "write-list").octets,
    "runt": lambda call: build_backward.cut(call, 8, credits=1),
    "unknown-version": lambda call: build_backward.with_other_words(call, "version-three").octets,
    "two-xids": lambda call: build_backward.with_another_xid(call).octets,
    "no-program": lambda call: (
        build_backward.call(call.xid, rpc.encode_call(call.xid, 0x3FFFFFFF, 1, 0)).octets
    ),
}


@requirement(AT_ONCE, RECEIVES, OWN, FORWARD, role="requester", needs=("backward",))
@pytest.mark.parametrize("kind", KINDS)
def test_client_has_its_receives_after_what_it_refuses(
    service: Service, client: ActingClient, kind: str
) -> None:
    """As many Calls that are refused as it has Receives; then all credits of both directions."""
    service.welcome = Welcome(rnr_retry=0)
    service.drop()
    verify.calls.done(client.serve_good_act())
    line = service.line
    server = BackwardServer.of(service)
    for _ in range(GROWING):
        granted = server.answered(server.call(server.calls.null, credits=ENOUGH)).credits
    if granted < 2:
        raise Unsupported(f"the client grants {granted} backward credits")
    requested = max(1, min(service.received[-1].credits, ENOUGH))  # one is always allowed
    act = client.begin(ActKind.MANY, count=requested)
    before = len(verify.calls.some(service.waiting(), "at all"))
    verify.calls.done(service.serve_until(act))

    for _ in range(requested + granted + SPARE):
        xid = server.next_xid()
        server.send(KINDS[kind](build_backward.call(xid, server.calls.null(xid))), xid)
        following = server.call(server.calls.null, credits=ENOUGH)
        server.wait_for(following)
        disturbance.unless_ended(line)
        server.answered(following, breaks=AT_ONCE)
    act = client.begin(ActKind.MANY, count=requested)
    service.waiting(
        until=lambda: act.poll() is not None or len(service.in_flight(line)) > before // 2
    )
    held = service.in_flight(line)
    verify.that(
        len(held) > before // 2,
        "the forward direction still has its credits",
        actual=f"{len(held)} calls are in flight, and {before} were before",
        breaks=FORWARD,
    )
    xids = [server.call(server.calls.null) for _ in range(min(granted, ENOUGH))]
    for call in held:
        service.reply(call)

    verify.calls.done(service.serve_until(act), (OWN,))
    for xid in xids:
        server.answered(xid, breaks=AT_ONCE)
    verify.calls.stands(line, "backward Calls that are refused", (AT_ONCE,))
