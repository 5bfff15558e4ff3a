"""rtrext section 8.1, Property List: what a client announces, and assumes of who says nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.client import NEEDS
from conformance.groups.server import GroupServer
from conformance.groups.taken import TAKEN, structure
from conformance.options import verify as verify_options
from conformance.options.server import OptionServer
from rpcrdma.wire.properties import (
    ReceiveBufferStructure,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
    propid_of,
)
from rpcrdma.wire.words import in_words
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from rpcrdma.wire.properties import KnownProperty

SUPPORT = "rtrext.8.1.code-of-rtr-support"
STRUCTURE = "rtrext.8.1.code-of-the-buffer-structure"
REQUESTS = "rtrext.8.1.code-of-the-request-limit"
RESPONSES = "rtrext.8.1.code-of-the-response-limit"
OVERLAY = "rtrext.8.1.values-overlay-the-data"
ONE = "rtrext.8.1.default-of-the-request-limit"
PLAIN = "rtrext.8.1.default-of-the-buffer-structure"

SAMPLES: Final[dict[str, KnownProperty]] = {
    SUPPORT: RtrSupport(0),
    STRUCTURE: ReceiveBufferStructure(structure((1, 4096, False))),
    REQUESTS: RequestTransmissionReceiveLimit(1),
    RESPONSES: ResponseTransmissionSendLimit(1),
}
"""A value of each property, by the statement about its code."""


@requirement(
    SUPPORT,
    STRUCTURE,
    REQUESTS,
    RESPONSES,
    OVERLAY,
    role="requester",
    needs=("connprop", *NEEDS),
    interpretations=("D-74", "D-91", "D-114"),
)
def test_client_announces_the_four_properties(service_two: Service, client: ActingClient) -> None:
    """The announcement has each property under its code, and a value of its type."""
    tester = OptionServer.of(service_two, client)
    known = service_two.state_of(tester.line).properties
    tester.call()

    problems = [one.problem for one in tester.heard if one.problem]
    verify.equal(problems, [], "the problems with its messages", breaks=(OVERLAY,))
    told = {one.pv_which for one in verify_options.announced(tester).opticonnpr_start}
    for statement, sample in SAMPLES.items():
        code = propid_of(sample, known)
        verify.that(
            code in told,
            f"property {code} is announced",
            actual=f"announced are {in_words(sorted(told))}",
            breaks=(statement,),
        )


@requirement(ONE, role="requester", needs=("xmtreq", "xmtcont"))
@pytest.mark.parametrize("kind", [ActKind.LONG_CALL, ActKind.WRITE], ids=str)
def test_requester_that_knows_no_limit_sends_one_transmission(
    service_two: Service, client: ActingClient, kind: ActKind
) -> None:
    """All operations are announced, and no limit: no request has a second transmission."""
    groups = GroupServer.of(service_two, client, replace(TAKEN, request_limit=1))

    groups.done(client.begin(kind, 9000), (ONE,))

    verify.calls.obey(groups.service.received, ONE)


@requirement(PLAIN, role="requester", needs=("xmtreq",), interpretations=("D-130",))
@pytest.mark.parametrize("length", [5000, 9000])
def test_requester_that_knows_no_structure_places_nothing(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """No structure is announced: bulk data do not go by Sends, nor does a Send get too long."""
    groups = GroupServer.of(service_two, client, replace(TAKEN, structure=None))

    groups.done(client.begin(ActKind.WRITE, length), (PLAIN,))

    verify.calls.obey(groups.service.received, PLAIN)
