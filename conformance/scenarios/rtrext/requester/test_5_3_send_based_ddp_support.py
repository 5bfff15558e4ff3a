"""rtrext section 5.3, Send-based DDP Support: what a Requester asks for, and takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.server import GroupServer
from conformance.groups.taken import TAKEN, structure
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

UNPREPARED = "rtrext.5.3.unprepared-requester-directs-explicit-rdma"
PREPARED = "rtrext.5.3.prepared-requester-says-so"
SEPARATE = "rtrext.5.3.sending-and-receiving-are-separate"


@requirement(UNPREPARED, PREPARED, role="requester", needs=("xmtreq",), interpretations=("D-113",))
@pytest.mark.parametrize("length", [6000, 20000])
def test_requester_directs_results_as_its_receives_allow(groups: GroupServer, length: int) -> None:
    """Results may come by Sends if the client has told of targets, and only then."""
    act, call = groups.request(ActKind.READ, length)

    verify.calls.obey((call,), UNPREPARED, PREPARED)
    groups.finish(act, call)


@requirement(SEPARATE, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE], ids=str)
def test_requester_gets_on_with_a_server_without_targets(
    service_two: Service, client: ActingClient, kind: ActKind
) -> None:
    """The server takes no bulk data in its Sends, and places them in its own."""
    plain = replace(TAKEN, structure=structure((1, 4096, False)))
    groups = GroupServer.of(service_two, client, plain)

    groups.done(client.begin(kind, 9000), (SEPARATE,))
