"""rtrext section 9.5, Error Reporting Operation: bulk data that are not where they can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped
from conformance.oracle.outcome import ErrChunk
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import (
    BadOffset,
    BadPayloadLength,
    BadTargetSegment,
    InTargetedSegments,
    TransmissionId,
)
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.request import GroupCall
    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer
    from rpcrdma.wire._generated_rtrext import ErrorInformation

PLACEMENT: Final = "rtrext.5.4.faulty-placement-is-reported"
BADTBSN: Final = "rtrext.9.5.badtbsn"
BADOFF: Final = "rtrext.9.5.badoff"
VALID: Final = "rtrext.9.5.value-and-valid-range"
UNALIGNED: Final = "rtrext.9.5.value-within-the-range-is-unaligned"
NAMES: Final = "rtrext.9.5.report-names-the-transmission"
LARGEST: Final = 2**32 - 1
LENGTH: Final = 600
"""Octets of the item."""


def _stored(client: GroupClient) -> GroupCall:
    """A good request with one item in the first target segment that is free."""
    where = client.place(LENGTH)
    request = client.peer.workload.store(pattern(LENGTH, 7))
    return grouped(client.peer, request, (where,), sizes=(None,))


def _reported(
    client: GroupClient,
    odd: GroupCall,
    *information: ErrorInformation,
    or_else: tuple[type[Outcome], ...] = (),
    breaks: str,
) -> None:
    """A fault of placement is reported; each transmission of the request may be named for it."""
    sends = range(len(odd.draft.sends))
    faults.reported(
        client,
        odd.message,
        *information,
        bad=tuple(TransmissionId(odd.xid, MessageType.CALL, number) for number in sends),
        or_else=or_else,
        breaks=breaks,
        unreported=PLACEMENT,
    )


@requirement(BADTBSN, VALID, NAMES, PLACEMENT, needs=NEEDS, interpretations=("D-118",))
@pytest.mark.parametrize("surplus", ["next", "largest"])
def test_server_reports_a_target_that_there_is_not(
    connect_two: Callable[..., Peer], surplus: str
) -> None:
    """The number of a target segment after the last one of the group is reported."""
    client = GroupClient.of(connect_two)
    call = _stored(client)
    count = len(client.announced.layout.targets)
    number = count if surplus == "next" else LARGEST

    odd = client.send(call.spoiled(call.draft.with_targets(0, numbers=(number,))))

    _reported(
        client,
        odd,
        BadTargetSegment(number, 0, count - 1),
        breaks=BADTBSN,
    )
    client.fence((BADTBSN,))


@requirement(BADTBSN, PLACEMENT, needs=NEEDS, interpretations=("D-118",))
def test_server_reports_a_target_that_the_send_does_not_reach(
    connect_two: Callable[..., Peer],
) -> None:
    """An item in a target segment that its Send ends before is reported."""
    client = GroupClient.of(connect_two)
    count = len(client.announced.layout.targets)
    call = _stored(client)
    empty = call.draft.with_send(0, bulk=())

    odd = client.send(call.spoiled(empty))

    numbers = client.place(LENGTH).xmdl_bsnum
    _reported(
        client,
        odd,
        *(BadTargetSegment(number, 0, count - 1) for number in numbers),
        *(BadTargetSegment(number, 1, 0) for number in numbers),
        BadOffset(0, 1, 0),
        breaks=BADTBSN,
    )
    client.fence((BADTBSN,))


@requirement(BADTBSN, PLACEMENT, needs=NEEDS, interpretations=("D-118",))
def test_server_reports_an_item_in_octets_of_the_payload(
    connect_two: Callable[..., Peer],
) -> None:
    """An item in a target segment that payload takes whole is reported."""
    client = GroupClient.of(connect_two)
    layout = client.announced.layout
    numbers = client.place(LENGTH).xmdl_bsnum
    end = layout.targets[numbers[-1]].end
    request = client.peer.workload.long_store(end, pattern(LENGTH, 7))
    where = client.place(LENGTH, front=end)

    call = grouped(client.peer, request, (where,), sizes=(end, None))
    odd = client.send(call.spoiled(call.draft.with_targets(0, numbers=numbers)))

    count = len(layout.targets)
    _reported(
        client,
        odd,
        *(BadTargetSegment(number, 0, 2 * count - 1) for number in numbers),
        BadOffset(0, 1, 0),
        BadPayloadLength(len(call.draft.sends[0].payload), 0, LARGEST),
        breaks=BADTBSN,
    )
    client.fence((BADTBSN,))


@requirement(BADOFF, VALID, NAMES, PLACEMENT, needs=NEEDS, interpretations=("D-111", "D-121"))
@pytest.mark.parametrize("offset", ["end", "after", "largest"])
def test_server_reports_an_offset_beyond_its_segment(
    connect_two: Callable[..., Peer], offset: str
) -> None:
    """An offset of bulk data that is not within its target segment is reported."""
    client = GroupClient.of(connect_two)
    call = _stored(client)
    where = call.draft.items[0].xmdmi_where
    assert isinstance(where, InTargetedSegments)
    _, target = client.announced.layout.target(where.xmdl_bsnum[0])
    value = {"end": target.length, "after": target.length + 4, "largest": LARGEST}[offset]

    odd = client.send(call.spoiled(call.draft.with_targets(0, offset=value)))

    _reported(
        client,
        odd,
        BadOffset(value, 0, target.length - 1),
        or_else=(ErrChunk,),
        breaks=BADOFF,
    )
    client.fence((BADOFF,))


@requirement(UNALIGNED, needs=NEEDS, interpretations=("D-121",))
@pytest.mark.parametrize("offset", [1, 2, 6])
def test_server_takes_or_reports_an_unaligned_offset(
    connect_two: Callable[..., Peer], offset: int
) -> None:
    """Bulk data at an offset that is no multiple of four are taken, or the offset reported."""
    client = GroupClient.of(connect_two)
    request = client.peer.workload.store(pattern(LENGTH, 7))
    where = client.place(LENGTH, offset=offset)

    call = client.send(grouped(client.peer, request, (where,), sizes=(None,)))

    faults.served_or_reported(client, call, BadOffset(offset, 0, LARGEST), breaks=UNALIGNED)


@requirement(PLACEMENT, BADTBSN, needs=NEEDS, interpretations=("D-118",))
def test_server_reports_one_faulty_request_after_another(connect_two: Callable[..., Peer]) -> None:
    """Three requests name a target segment that there is not: each is reported."""
    client = GroupClient.of(connect_two)
    count = len(client.announced.layout.targets)

    for _ in range(3):
        call = _stored(client)
        odd = client.send(call.spoiled(call.draft.with_targets(0, numbers=(count,))))
        _reported(client, odd, BadTargetSegment(count, 0, count - 1), breaks=PLACEMENT)
