"""rtrext section 5.1, New Operation Support: what a Requester takes that says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.server import GroupServer
from conformance.groups.taken import GROUPED, TAKEN
from rpcrdma.wire._generated_rtrext import RTRS_XREQ, RTRS_XRESP
from rpcrdma.wire.operations import ROPT_XMTCONT, ROPT_XMTRESP
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

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


@requirement(
    UNDERSTOOD,
    role="requester",
    needs=("xmtreq", "cancels"),
    interpretations=("D-107",),
)
@pytest.mark.parametrize("what", GROUPED)
def test_requester_bears_the_response_to_a_request_that_was_given_up(
    groups: GroupServer, what: str
) -> None:
    """The application has given its request up when the response comes: others go on."""
    act, call = groups.request(*GROUPED[what])
    answer = groups.response(call)
    act.abandon()
    groups.service.waiting(groups.service.profile.grace)

    for octets in answer.sends:  # no data: their memory may be out of reach by now
        groups.service.send(octets, groups.line)
    call.answered = True

    groups.good_act((UNDERSTOOD,))
    again, other = groups.request(*GROUPED[what])
    groups.finish(again, other, (UNDERSTOOD,))


@requirement(UNDERSTOOD, role="requester", needs=("xmtreq",), interpretations=("D-107",))
def test_requester_drops_a_response_that_comes_again(groups: GroupServer) -> None:
    """While another call is in flight the response to an earlier one comes again: it is nothing."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    answer = groups.response(call)
    groups.service.reply(call, answer)
    groups.done(act, (UNDERSTOOD,))
    after = groups.client.good_act()
    other = groups.service.next_call()

    for octets in answer.sends[:1]:
        groups.service.send(octets, groups.line)
    groups.service.waiting()
    groups.service.serve(other)

    groups.done(after, (UNDERSTOOD,))
    verify.calls.stands(groups.line, "a response that came again", (UNDERSTOOD,))
