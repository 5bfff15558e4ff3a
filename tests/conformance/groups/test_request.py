"""Requests in groups: how their arguments go, and what they direct."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace as replace_struct

from conformance.groups.request import (
    INLINE,
    SENDS,
    WHOLE,
    by_choice,
    by_size,
    grouped,
    to_memory,
    to_sends,
)
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    ResponseRange,
)
from rpcrdma.wire.operations import XmtReq
from targets.base import Unsupported
from targets.reference.roles import REDUCTIONS
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.client import GroupClient
    from conformance.groups.request import GroupCall


def contents(call: GroupCall) -> XmtReq:
    found = call.draft.sends[0].contents
    assert isinstance(found, XmtReq)
    return found


def test_arguments_go_as_they_are_told_to(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    request = client.peer.workload.store_two(pattern(700, 1), pattern(900, 2))

    call = grouped(client.peer, request, (SENDS, (500,)))

    first, second = contents(call).optxrq_ddp
    assert isinstance(first.xmdmi_where, InTargetedSegments)
    assert isinstance(second.xmdmi_where, ByExplicitRdma)
    assert [segment.length for segment in second.xmdmi_where.xmdl_ex] == [500, 400]
    assert call.arguments[0].segments[0].region.read() == pattern(900, 2)[:500]
    payload = b"".join(send.payload for send in call.draft.sends)
    assert len(payload) == len(call.unreduced) - 1600
    assert contents(grouped(client.peer, request, (INLINE, INLINE))).optxrq_ddp == ()


def test_a_place_may_be_chosen(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    where = client.place(700, send=1, offset=8)

    call = grouped(client.peer, client.peer.workload.store(bytes(700)), (where,), sizes=(None, 0))

    assert contents(call).optxrq_ddp[0].xmdmi_where == where
    assert client.last_send(where) == 1
    assert [bool(send.bulk) for send in call.draft.sends] == [False, True]


def test_sizes_leave_one_open(facing: Callable[..., GroupClient]) -> None:
    client = facing()

    call = grouped(client.peer, client.peer.workload.long_call(500), sizes=(40, None, 8))

    length = len(call.unreduced)
    assert [len(send.payload) for send in call.draft.sends] == [40, length - 48, 8]
    assert call.message.sends == tuple(one.octets for one in call.draft.messages)
    assert str(call).startswith(f"{call.title}, xid {call.xid:#010x}")


def test_directions_are_of_each_kind(facing: Callable[..., GroupClient]) -> None:
    peer = facing().peer
    directions = (
        to_sends(least=4),
        to_memory(peer, 100, 200),
        by_choice(peer, 300),
        by_size(peer, 50, 400),
    )
    here = ResponseRange(0, 4)

    whole = grouped(peer, peer.workload.fetch(10), directions=directions)
    parts = grouped(peer, peer.workload.fetch(10), ranges=((here, directions), (WHOLE, ())))

    (told,) = contents(whole).optxrq_rsd
    assert told.xmdrsds_range == WHOLE
    assert [type(one.xmdrsdi_loc) for one in told.xmdrsds_items] == [
        DirectToSends,
        DirectToExplicitRdma,
        DirectByChoice,
        DirectBySize,
    ]
    assert told.xmdrsds_items[0].xmdrsdi_minlen == 4
    assert [one.xmdrsds_range for one in contents(parts).optxrq_rsd] == [here, WHOLE]
    assert [room.length for room in whole.rooms] == [0, 300, 300, 400]


def limited(requests: int, responses: int) -> Parts:
    return Parts(reductions=replace(REDUCTIONS, request_limit=requests, response_limit=responses))


def test_a_device_gets_no_more_transmissions_than_it_takes(
    facing: Callable[..., GroupClient],
) -> None:
    peer = facing(limited(2, 16)).peer
    request = peer.workload.long_call(500)

    assert len(grouped(peer, request, sizes=(40, None)).draft.sends) == 2
    with pytest.raises(Unsupported, match="takes requests of 2 transmissions, not of 3"):
        grouped(peer, request, sizes=(40, 40, None))
    more = grouped(peer, request, sizes=(40, 40, None), beyond_limits=True)
    assert len(more.draft.sends) == 3


def test_a_device_is_asked_for_no_longer_response_than_it_sends(
    facing: Callable[..., GroupClient],
) -> None:
    peer = facing(limited(16, 1)).peer
    request = peer.workload.long_reply(6000)

    assert grouped(peer, peer.workload.long_reply(1000)).draft.sends
    with pytest.raises(Unsupported, match="sends responses of 1 transmissions at most"):
        grouped(peer, request)
    assert grouped(peer, request, beyond_limits=True).draft.sends
    # What the request itself does not provide for is not the device's limit.
    assert grouped(peer, request, reserve=1).draft.sends
    assert grouped(peer, peer.workload.garbage()).draft.sends


def test_a_device_whose_buffers_hold_no_bulk_data_gets_none(
    facing: Callable[..., GroupClient],
) -> None:
    plain = Parts(reductions=replace(REDUCTIONS, structure=None))
    peer = facing(plain).peer

    with pytest.raises(Unsupported, match="the device: its buffers take no message of"):
        grouped(peer, peer.workload.store_two(pattern(300, 1), pattern(4, 2)), (SENDS,))


def test_garbage_needs_no_binding(facing: Callable[..., GroupClient]) -> None:
    peer = facing().peer
    assert grouped(peer, peer.workload.garbage()).arguments == ()


def test_what_is_no_way_is_refused(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    with pytest.raises(ValueError, match="cannot be cut"):
        grouped(client.peer, client.peer.workload.small(), sizes=(4,))


def test_a_device_gets_no_more_memory_in_chunks_than_it_claims(
    facing: Callable[..., GroupClient],
) -> None:
    peer = facing().peer
    claims = replace_struct(
        peer.profile.claims, max_segments=2, max_read_chunks=1, max_write_chunks=1
    )
    peer.profile = replace_struct(peer.profile, claims=claims)
    request = peer.workload.store_two(pattern(700, 1), pattern(900, 2))

    assert grouped(peer, request, (SENDS, (500,))).arguments
    with pytest.raises(Unsupported, match="claims to take 1 arguments in memory, not 2"):
        grouped(peer, request, ((), ()))
    with pytest.raises(Unsupported, match="claims to take 2 segments, not 3"):
        grouped(peer, request, ((100, 100), INLINE))
    results = peer.workload.fetch_two(700, 900)
    assert grouped(peer, results, directions=(to_sends(), to_memory(peer, 900))).rooms
    with pytest.raises(Unsupported, match="claims to take 1 results in memory, not 2"):
        grouped(peer, results, directions=(to_memory(peer, 900), to_memory(peer, 900)))
