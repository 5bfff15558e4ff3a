"""rtrext section 7.3, Message DDP Structures: items that are no arguments of the Call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import SENDS, grouped, to_sends
from conformance.tester.server.misbound import Misbound
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.groups.request import Argument, Directed
    from conformance.tester.client.peer import Peer

INELIGIBLE: Final = "v2.4.2.3.ineligible-argument-is-reported"
UNPARSABLE: Final = "v2.4.2.3.unparsable-arguments-get-garbage-args"
HOW: Final = "in which way such a request is best refused is for other cases to look at"
WAYS: Final[Mapping[str, Argument]] = {"sends": SENDS, "memory": ()}
DIRECTIONS: Final[Mapping[str, tuple[Directed, ...]]] = {"none": (), "to-sends": (to_sends(),)}
"""For the response, which has no item."""


@requirement(INELIGIBLE, needs=NEEDS, interpretations=("D-20",), wider=HOW)
@pytest.mark.parametrize("octets", [4, 8])
@pytest.mark.parametrize("directions", DIRECTIONS)
@pytest.mark.parametrize("way", WAYS)
def test_server_refuses_an_item_that_is_no_argument(
    connect_two: Callable[..., Peer], way: str, directions: str, octets: int
) -> None:
    """The last octets of a request without eligible arguments are an item of it: it is refused."""
    client = GroupClient.of(connect_two)
    client.place(octets)
    request = client.peer.workload.small()
    spoilt = replace(request, layer=Misbound(request.layer, octets))

    call = grouped(client.peer, spoilt, (WAYS[way],), directions=DIRECTIONS[directions])
    call = client.send(replace(call, request=request))

    faults.not_executed(client, call, breaks=INELIGIBLE)


@requirement(UNPARSABLE, needs=NEEDS, interpretations=("D-106",), wider=HOW)
@pytest.mark.parametrize("directions", DIRECTIONS)
@pytest.mark.parametrize("less", [4, 596])
def test_server_refuses_an_item_that_is_shorter_than_its_argument(
    connect_two: Callable[..., Peer], directions: str, less: int
) -> None:
    """The entry of an argument of 600 octets says fewer: the request is refused."""
    client = GroupClient.of(connect_two)
    where = client.place(600)
    request = client.peer.workload.store(pattern(600, 7))
    told = DIRECTIONS[directions]
    call = grouped(client.peer, request, (where,), directions=told, sizes=(None,))

    odd = client.send(call.spoiled(call.draft.with_item(0, xmdmi_length=600 - less)))

    faults.not_executed(client, odd, breaks=UNPARSABLE)
