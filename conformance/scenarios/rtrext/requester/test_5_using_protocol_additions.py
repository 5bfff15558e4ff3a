"""rtrext sections 2 and 5: a Requester before servers that do not know the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.server import GroupServer
from conformance.groups.taken import GROUPED, TAKEN
from conformance.oracle.announced import NOTHING_TOLD

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

SERVED = "rtrext.5.peers-without-the-extension-are-served"


@requirement(SERVED, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_gets_on_with_a_server_that_tells_nothing(
    service_two: Service, client: ActingClient, what: str
) -> None:
    """A server of Version Two announces nothing and refuses operations: all is done."""
    result = service_two.serve_until(client.begin(*GROUPED[what]))

    verify.calls.done(result, (SERVED,))


@requirement(SERVED, role="requester", needs=("xmtreq",), interpretations=("D-107", "D-108"))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_gets_on_with_a_server_that_refuses_groups(
    groups: GroupServer, what: str
) -> None:
    """XMTREQ was announced, and gets RDMA2_ERR_INVAL_OPTION all the same: RPCs go on."""
    act, call = groups.request(*GROUPED[what])
    groups.line.respond = None

    groups.service.serve(call)

    verify.calls.ended(groups.service, act, (SERVED,))
    groups.good_act((SERVED,))


@requirement(SERVED, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_gets_on_with_a_server_that_takes_it_back(
    service_two: Service, client: ActingClient, what: str
) -> None:
    """A second announcement has nothing of the extension left: all is done without it."""
    groups = GroupServer.of(service_two, client, TAKEN)
    groups.done(client.begin(*GROUPED[what]))

    groups.announce(NOTHING_TOLD)
    groups.line.respond = None

    groups.done(client.begin(*GROUPED[what]), (SERVED,))
