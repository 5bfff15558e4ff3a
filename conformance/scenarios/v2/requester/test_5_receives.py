"""v2 section 5 Protocol Version Negotiation: what completes no call takes no Receive for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server import Welcome, useless
from conformance.verify.disturbance import ENOUGH, Disturbed
from rpcrdma.wire.operations import ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.rpc import MessageType
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from rpcrdma.wire.optional import Option

HOLD: Final = "v2.2.3.receives-hold-4096-octets"

SPARE: Final = 24
"""Receives that a client may have beside those for what it requests: of the backward direction,
and for optional messages."""

REQUEST: Final = ReqProp(())
STRAY: Final = RespProp((), (), ())
NEWS: Final = UpdProp(())

OPTIONS: Final[dict[str, tuple[Option, MessageType]]] = {
    "unknown-operation": (UnknownOption(77, b""), MessageType.CALL),
    "unknown-answer": (UnknownOption(77, b""), MessageType.REPLY),
    "request": (REQUEST, MessageType.CALL),
    "stray-answer": (STRAY, MessageType.REPLY),
    "announcement": (NEWS, MessageType.CALL),
}


@requirement(HOLD, role="requester")
@pytest.mark.parametrize("kind", useless.TWO)
def test_requester_has_its_receives_after_what_completes_no_call(
    service_two: Service, client: ActingClient, kind: str
) -> None:
    """As many messages that complete no call as it has Receives; then all Replies come at once."""
    disturbed = Disturbed.of(service_two, client, (HOLD,))

    for _ in range(disturbed.rounds):
        disturbed.send(useless.TWO[kind])

    disturbed.use_all_credits()


@requirement(HOLD, role="requester")
@pytest.mark.parametrize("kind", OPTIONS)
def test_requester_has_its_receives_after_optional_messages(
    service_two: Service, client: ActingClient, kind: str
) -> None:
    """As many optional messages as it has Receives, each between two calls; then many Replies."""
    service = service_two
    service.welcome = Welcome(rnr_retry=0, version_one_only=False)
    service.drop()
    service.waiting(service.profile.grace)
    verify.calls.done(client.serve_good_act())
    line = service.line
    option, direction = OPTIONS[kind]
    rounds = min(service.received[-1].credits, ENOUGH) + SPARE

    for _ in range(rounds):
        act = client.good_act()
        call = service.next_call()
        service.options.send(option, direction)
        service.reply(call)
        verify.calls.done(service.serve_until(act), (HOLD,))
        verify.calls.stands(line, f"optional messages ({kind})", (HOLD,))
    act = client.begin(ActKind.MANY, count=ENOUGH)
    service.waiting()
    for call in service.in_flight(line):
        service.reply(call)
    verify.calls.done(service.serve_until(act), (HOLD,))

    verify.calls.stands(line, "Replies to all calls in flight", (HOLD,))
