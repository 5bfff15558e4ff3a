"""rtrext section 8.3, Receive Buffer Structure Property."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.server import GroupServer
from conformance.groups.taken import TAKEN, structure
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.properties import (
    DefaultValue,
    DerivedStructure,
    property_values,
    propid_of,
    structure_octets,
)
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

AS_TOLD = "rtrext.8.3.receives-are-as-told"
AGREES = "rtrext.8.3.structure-agrees-with-the-size"
DEFAULT = "xcharext.2.1.zero-length-means-the-default"
FOLLOWS = "rtrext.8.3.size-follows-from-the-structure"
SIZE = "xcharext.3.1.no-send-beyond-the-announced-size"


@requirement(AS_TOLD, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-101",))
@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.LONG_REPLY], ids=str)
def test_requester_has_receives_of_the_structure_told(groups: GroupServer, kind: ActKind) -> None:
    """Sends that fill the client's buffers are taken, until all of these have been used."""
    for _ in range(40):
        act, call = groups.request(kind, 9000)

        groups.service.reply(call, groups.response(call))

        groups.done(act, (AS_TOLD,))
        # A client that loses the connection may have what it wants by the next one.
        verify.calls.stands(groups.line, "Sends that fill the buffers", (AS_TOLD,))


@requirement(AGREES, role="requester", needs=("xmtreq",), interpretations=("D-101",))
def test_requester_tells_a_size_that_agrees_with_its_structure(groups: GroupServer) -> None:
    """The lengths of the segments are together the size that is told."""
    told = groups.told
    if told.structure is None:
        raise Unsupported("the client tells of no structure")

    octets = structure_octets(told.structure)

    if told.octets not in (None, octets):
        reason = f"The size is {told.octets}, and the structure has {octets} octets."
        groups.service.case.let_pass(reason, (AGREES,))


@requirement(FOLLOWS, role="requester", needs=("xmtreq",), interpretations=("D-101", "D-130"))
@pytest.mark.parametrize("kind", [ActKind.LONG_CALL, ActKind.WRITE], ids=str)
@pytest.mark.parametrize("octets", [1024, 2048, 3000, 8192])
def test_requester_derives_the_size_from_the_structure(
    service_two: Service, client: ActingClient, kind: ActKind, octets: int
) -> None:
    """A structure is announced, and no size: no Send is longer than all segments together."""
    segments = structure((1, octets - 512, False), (1, 512, True))
    told = replace(TAKEN, structure=segments, octets=None)
    groups = GroupServer.of(service_two, client, told)

    groups.done(client.begin(kind, 6000), (FOLLOWS,))

    verify.calls.obey(groups.service.received, FOLLOWS)


@requirement(SIZE, role="requester", needs=("xmtreq",), interpretations=("D-101",))
@pytest.mark.parametrize("kind", [ActKind.LONG_CALL, ActKind.WRITE], ids=str)
def test_requester_keeps_to_a_size_below_the_structure(
    service_two: Service, client: ActingClient, kind: ActKind
) -> None:
    """Segments are announced that have more octets than the size: no Send is longer than the size.

    The tester contradicts itself, as an end does that was asked for a smaller size.
    """
    segments = structure((1, 6000, False), (1, 2192, True))
    told = replace(TAKEN, support=0, structure=segments, octets=6000)
    groups = GroupServer.of(service_two, client, told)

    groups.done(client.begin(kind, 7000), (SIZE,))

    verify.calls.obey(groups.service.received, SIZE)


@requirement(DEFAULT, role="requester", needs=("xmtreq",), interpretations=("D-101", "D-130"))
@pytest.mark.parametrize("octets", [None, 2048], ids=["no-size", "a-size"])
@pytest.mark.parametrize("kind", [ActKind.LONG_CALL, ActKind.WRITE], ids=str)
def test_requester_takes_a_structure_of_no_octets(
    service_two: Service, client: ActingClient, kind: ActKind, octets: int | None
) -> None:
    """A structure without a value is one segment, of the size told or else of the default."""
    groups = GroupServer.of(service_two, client, None)
    told, known = replace(TAKEN, structure=None, octets=octets), groups.numbers
    empty = property_values(DefaultValue(propid_of(DerivedStructure(), known)), known=known)
    service_two.options.send(ConnProp((*empty, *told.values(known)), ()))
    groups.good_act((DEFAULT,))

    groups.done(client.begin(kind, 6000), (DEFAULT,))

    verify.calls.obey(groups.service.received, FOLLOWS)
