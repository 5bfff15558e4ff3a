"""rtrext section 4.3, Message Continuation and Credits: what a Requester sends, and provides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.client import NEEDS
from conformance.groups.server import GroupServer
from conformance.groups.taken import TAKEN
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

CREDITS: Final = "rtrext.4.3.credits-for-the-whole-request"
REPORTED: Final = "rtrext.5.4.faulty-groups-are-reported"
THERE: Final = "rtrext.4.3.reserved-receives-are-there"
UNUSED: Final = "rtrext.4.3.reserve-may-stay-unused"

ROUNDS: Final = 130
"""More broken responses than a client has Receives, of both directions and in reserve."""


@requirement(CREDITS, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-109",))
@pytest.mark.parametrize("grant", [1, 2, 3, 4])
def test_requester_has_credits_for_the_whole_group(groups: GroupServer, grant: int) -> None:
    """Under a small grant a long Call takes no more Sends than there are credits for."""
    groups.service.grant = grant
    groups.good_act()

    act = groups.client.begin(ActKind.LONG_CALL, 9000)
    groups.service.waiting()

    verify.calls.obey(groups.service.received, CREDITS)
    groups.done(act, (CREDITS,))


@requirement(CREDITS, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-109",))
def test_requester_counts_all_transmissions_in_flight(groups: GroupServer) -> None:
    """Five long Calls at a time, and credits for seven Sends: no more than these are in flight."""
    groups.service.grant = 7
    groups.good_act()

    acts = [groups.client.begin(ActKind.LONG_CALL, 9000) for _ in range(5)]
    groups.service.waiting()

    verify.calls.obey(groups.service.received, CREDITS)
    for act in acts:
        groups.done(act, (CREDITS,))


@requirement(THERE, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-97",))
@pytest.mark.parametrize("length", [9000, 60_000, 100_000, 200_000])
@pytest.mark.parametrize("count", [1, 4])
def test_requester_has_the_receives_that_it_tells_of(
    service_two: Service, client: ActingClient, length: int, count: int
) -> None:
    """Responses of as many transmissions as were told of: none finds a Receive wanting."""
    service_two.welcome = replace(service_two.welcome, rnr_retry=0)
    groups = GroupServer.of(service_two, client, replace(TAKEN, response_limit=64))
    act = client.begin(ActKind.LONG_REPLY, length, count)

    for call in groups.service.waiting():
        groups.service.serve(call)
    groups.service.waiting()

    verify.calls.stands(groups.line, "responses that use up the reserve", (THERE,))
    groups.done(act, (THERE,))


@requirement(THERE, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-97",))
def test_requester_has_its_receives_after_long_responses(
    service_two: Service, client: ActingClient
) -> None:
    """Responses of several transmissions come one after the other: no Receive gets lost by it."""
    service_two.welcome = replace(service_two.welcome, rnr_retry=0)
    groups = GroupServer.of(service_two, client, replace(TAKEN, response_limit=64))

    for _ in range(50):
        groups.done(client.begin(ActKind.LONG_REPLY, 12000), (THERE,))

    verify.calls.stands(groups.line, "fifty long responses", (THERE,))


@requirement(THERE, REPORTED, role="requester", needs=NEEDS, interpretations=("D-97", "D-119"))
def test_requester_has_its_receives_after_broken_responses(
    service_two: Service, client: ActingClient
) -> None:
    """Responses break off at their second transmission again and again: no Receive gets lost by it.

    A broken one is reported, and made good unless the client has given the Call up.
    """
    service_two.welcome = replace(service_two.welcome, rnr_retry=0)
    groups = GroupServer.of(service_two, client, replace(TAKEN, response_limit=64))

    for _ in range(ROUNDS):
        act, call = groups.request(ActKind.LONG_REPLY, 9000)
        good = groups.response(call)
        broken = good.changed(lambda one: one.with_contents(1, optxc_xnum=2).in_order(0, 1))
        groups.reported(call, broken, (REPORTED,))
        groups.goes_on(act, call, (REPORTED,))
        verify.calls.stands(groups.line, "responses that break off, and good ones", (THERE,))


@requirement(UNUSED, role="requester", needs=("xmtreq",), interpretations=("D-97",))
@pytest.mark.parametrize("chooses_memory", [False, True])
def test_requester_takes_less_than_it_provides_for(
    groups: GroupServer, *, chooses_memory: bool
) -> None:
    """Responses of fewer transmissions than were told of, again and again: RPCs go on."""
    for length in (6000, 9000) * 10:
        act, call = groups.request(ActKind.READ, length)

        groups.service.reply(call, groups.response(call, chooses_memory=chooses_memory))

        groups.done(act, (UNUSED,), reading=length)
