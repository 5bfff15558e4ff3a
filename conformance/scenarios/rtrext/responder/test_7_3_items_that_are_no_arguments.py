"""rtrext section 7.3, Message DDP Structures: items that are no arguments of the Call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import SENDS, grouped, to_sends
from conformance.tester.server.misbound import Divided, Misbound
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.groups.request import Argument, Directed
    from conformance.tester.client.peer import Peer

INELIGIBLE: Final = "v2.4.2.3.ineligible-argument-is-reported"
DISPLACED: Final = "rtrext.7.3.displacement-of-an-item"
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


@requirement(INELIGIBLE, needs=NEEDS, interpretations=("D-20",), wider=HOW)
@pytest.mark.parametrize("payload", [4, None], ids=["unit", "call"])
@pytest.mark.parametrize("way", WAYS)
def test_server_takes_no_item_for_the_whole_call(
    connect_two: Callable[..., Peer], way: str, payload: int | None
) -> None:
    """A good Call is an item of a request that has a Payload stream as well: it is refused."""
    client = GroupClient.of(connect_two)
    client.place(4)
    small = client.peer.workload.small()

    def whole(call: bytes) -> tuple[DataItem, ...]:
        return (DataItem(0, len(small.encode(0))),)

    request = replace(small, encode=lambda xid: small.encode(xid) + small.encode(xid)[:payload])
    spoilt = replace(request, layer=Divided(request.layer, whole))
    call = grouped(client.peer, spoilt, (WAYS[way],))
    call = client.send(replace(call, request=request))

    faults.not_executed(client, call, breaks=INELIGIBLE)


LENGTH: Final = 1500
"""Octets of an argument, and of all that follows it in its Call."""


@requirement(DISPLACED, needs=NEEDS, interpretations=("D-106",))
@pytest.mark.parametrize("second", WAYS)
@pytest.mark.parametrize("first", WAYS)
def test_server_refuses_two_items_in_one_place(
    connect_two: Callable[..., Peer], first: str, second: str
) -> None:
    """Two entries say one displacement: one after the other they would make a good Call.

    The octets of the first are zeros, so that it comes first by its contents as well.
    """
    client = GroupClient.of(connect_two)
    client.place(LENGTH)
    store_two = client.peer.workload.store_two
    layer = store_two(b"", b"").layer

    def halves(call: bytes) -> tuple[DataItem, ...]:
        item = layer.arguments(call)[0]
        end = item.position + item.length
        return item, DataItem(end, len(call) - end)

    rest = halves(store_two(bytes(LENGTH), b"").encode(0))[1].length
    request = store_two(bytes(LENGTH), pattern(LENGTH - rest, 9))
    spoilt = replace(request, layer=Divided(request.layer, halves))
    call = grouped(client.peer, spoilt, (WAYS[first], WAYS[second]))
    place = call.draft.items[0].xmdmi_disp
    odd = call.spoiled(call.draft.with_item(1, xmdmi_disp=place))

    faults.refused(client, client.send(replace(odd, request=request)).message, breaks=DISPLACED)
