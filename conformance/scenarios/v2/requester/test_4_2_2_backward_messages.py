"""v2 section 4.2.2 Message Direction: a client that its server calls back in Version Two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import HEADER_TWO, THRESHOLD_TWO
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

ANSWERS = "v2.4.2.2.client-answers-backward-calls"
IN_TWO = "v2.4.2.2.backward-messages-are-version-two"
NO_CHUNKS = "v2.4.2.2.backward-messages-without-chunks"
LONGER = "v2.2.2.backward-messages-grow-too"
SEPARATE = "v2.4.2.2.backward-credits-are-separate"


@requirement(ANSWERS, IN_TWO, NO_CHUNKS, role="requester", needs=("backward",))
@pytest.mark.parametrize("length", [0, 100, 400])
def test_client_answers_backward_calls(service_two: Service, length: int) -> None:
    """A backward Call without chunks gets a Reply in Version Two, likewise without chunks."""
    server = BackwardServer.of(service_two)
    calls = server.calls

    xid = server.call(lambda xid: calls.note(xid, length) if length else calls.null(xid))

    server.answered(xid, breaks=ANSWERS)


@requirement(LONGER, role="requester", needs=("backward",), interpretations=("D-44",))
@pytest.mark.parametrize("length", [1100, 3000, THRESHOLD_TWO])
def test_client_takes_backward_calls_of_up_to_4096_octets(
    service_two: Service, length: int
) -> None:
    """A backward Call of as many octets as Version Two allows is executed."""
    server = BackwardServer.of(service_two)

    xid = server.call(lambda xid: server.calls.long_call(xid, length - HEADER_TWO))

    server.answered(xid, breaks=LONGER)


@requirement(
    SEPARATE,
    role="requester",
    needs=("backward",),
    interpretations=("D-42",),
    means={"v2.5.calls-within-the-grant": SEPARATE},
)
def test_client_takes_no_backward_request_for_a_forward_grant(
    service_two: Service, client: ActingClient
) -> None:
    """Backward Calls that request a hundred credits let no further forward Call out."""
    server = BackwardServer.of(service_two)
    service_two.grant = 1
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=60)
    service_two.waiting()
    before = len(service_two.in_flight())

    xids = []
    for _ in range(3):
        xids.append(server.call(server.calls.null, credits=100))
        service_two.waiting()
    other = client.begin(ActKind.SMALL)
    service_two.waiting()

    verify.calls.in_flight(service_two, at_most=before, after="after backward requests of 100")
    verify.calls.done(service_two.serve_until(act))
    verify.calls.done(service_two.serve_until(other))
    # A client with so much to do may answer late; after the case this would be nobody's Reply.
    for xid in xids:
        server.answered(xid)


@requirement("v2.3.2.xids-belong-to-a-direction", ANSWERS, role="requester", needs=("backward",))
def test_client_keeps_a_backward_call_apart_from_its_own(
    service_two: Service, client: ActingClient
) -> None:
    """A backward Call has the XID of a forward one in flight: both are answered."""
    server = BackwardServer.of(service_two)
    act = client.begin(ActKind.NULL)
    call = service_two.next_call()

    xid = server.call(server.calls.null, xid=call.xid)

    server.answered(xid, breaks=ANSWERS)
    service_two.reply(call)
    verify.calls.done(service_two.serve_until(act))
