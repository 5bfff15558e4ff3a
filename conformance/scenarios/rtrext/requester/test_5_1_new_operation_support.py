"""rtrext section 5.1, New Operation Support: what a Requester takes that says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups.server import GroupServer
from conformance.groups.taken import GROUPED, TAKEN
from rpcrdma.wire._generated_rtrext import RTRS_XREQ, RTRS_XRESP
from rpcrdma.wire.operations import ROPT_XMTCONT, ROPT_XMTRESP
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.harness import ActingClient

UNDERSTOOD = "rtrext.5.1.told-operations-are-understood"
HEADERS = "rtrext.5.1.headers-without-the-features"


@requirement(UNDERSTOOD, role="requester", needs=("xmtreq",), interpretations=("D-107",))
def test_requester_takes_the_responses_that_it_tells_of(groups: GroupServer) -> None:
    """A client that sets the bit of XMTRESP takes one."""
    if not groups.told.takes(ROPT_XMTRESP):
        raise Unsupported("the client does not tell of XMTRESP")
    act, call = groups.request(ActKind.LONG_CALL, 9000)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (UNDERSTOOD,))


@requirement(UNDERSTOOD, role="requester", needs=("xmtreq",), interpretations=("D-107",))
def test_requester_takes_the_continuations_that_it_tells_of(groups: GroupServer) -> None:
    """A client that sets the bit of XMTCONT takes a response of several transmissions."""
    if not groups.told.takes(ROPT_XMTCONT):
        raise Unsupported("the client does not tell of XMTCONT")
    act, call = groups.request(ActKind.LONG_REPLY, 9000)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (UNDERSTOOD,))


@requirement(HEADERS, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_gets_on_with_a_server_without_the_features(
    service_two: Service, client: ActingClient, what: str
) -> None:
    """XMTREQ and XMTRESP are announced, neither continuation nor targets: all is done."""
    plain = replace(TAKEN, support=RTRS_XREQ | RTRS_XRESP, structure=None, request_limit=1)
    groups = GroupServer.of(service_two, client, plain)

    groups.done(client.begin(*GROUPED[what]), (HEADERS,))
