"""bidir section 1.3.4, XID Values: the client, which is called and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

SAME = "bidir.1.3.4.1.same-xid-in-both-directions"
SPACES = "bidir.1.3.4.1.xid-spaces-are-independent"
TWO = "bidir.1.3.4.1.same-xid-is-two-transactions"
TOGETHER = "bidir.1.3.3.both-directions-at-once"
UNDISTURBED = "bidir.1.5.2.forward-direction-is-undisturbed"
MSG_TYPE = "bidir.1.3.4.xid-goes-with-the-msg-type"


@requirement(
    SAME,
    SPACES,
    TWO,
    MSG_TYPE,
    "bidir.1.5.4.direction-is-told-at-a-fixed-place",
    role="requester",
    needs=("backward",),
)
@pytest.mark.parametrize("answered_first", ["forward", "backward"])
def test_client_tells_two_calls_with_one_xid_apart(
    service: Service, client: ActingClient, answered_first: str
) -> None:
    """A backward Call has the XID of a forward one in flight: each gets its own Reply."""
    server = BackwardServer.of(service)
    act = client.begin(ActKind.SMALL)
    forward = service.next_call()

    if answered_first == "forward":
        service.reply(forward)
    xid = server.call(server.calls.null, xid=forward.xid)
    server.answered(xid, breaks=(SAME, SPACES, TWO, MSG_TYPE))
    if answered_first == "backward":
        service.reply(forward)

    verify.calls.done(service.serve_until(act), (SAME, SPACES, TWO, MSG_TYPE))


@requirement(
    UNDISTURBED,
    TOGETHER,
    "bidir.1.3.2.service-may-make-calls",
    role="requester",
    needs=("backward",),
)
@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.MANY])
def test_client_acts_as_before_while_it_is_called(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Forward Calls of every form are made and completed among backward ones."""
    server = BackwardServer.of(service)
    server.answered(server.call(server.calls.null))
    act = client.begin(kind, 5000, 12)

    xids = [server.call(server.calls.null) for _ in range(4)]

    broken = (UNDISTURBED, TOGETHER)
    verify.calls.done(verify.calls.ended(service, act, broken), broken)
    for xid in xids:
        server.answered(xid)
