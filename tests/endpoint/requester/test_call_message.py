"""What a call that goes as a group says in its first header."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import RdmaSegment, v2
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    MessageItem,
    PlacementType,
    ResponseDirection,
    ResponseItem,
    ResponseRange,
    ResponseSet,
    XmtReq,
)
from tests.endpoint.groups import BARE, BULKY
from tests.endpoint.lone_ends import GRANTED, LoneRequester, option_of

WHOLE = ResponseRange(0, 2**32 - 1)


def contents_of(message: bytes) -> XmtReq:
    contents = option_of(message)
    assert isinstance(contents, XmtReq)
    return contents


def directions(kind: PlacementType) -> tuple[tuple[ResponseSet, ...], tuple[RdmaSegment, ...]]:
    """What a call says about its result of 9000 octets, and the memory that it has registered."""
    end = LoneRequester(replace(BULKY, direction=kind, shortest=100, by_size=4000), BULKY)
    (message,) = end.asks(calls.fetch(7, 9000))
    memory = tuple(RdmaSegment(key, held.length, 0) for key, held in end.held.items())
    return contents_of(message).optxrq_rsd, memory


@pytest.mark.parametrize("kind", list(PlacementType)[:4])
def test_results_are_directed_with_their_memory(kind: PlacementType) -> None:
    """rtrext 7.4: for the whole call, since every operation of it is concerned (D-115)."""
    found, memory = directions(kind)
    expected: dict[PlacementType, ResponseDirection] = {
        PlacementType.XMDTYPE_EXRW: DirectToExplicitRdma(memory),
        PlacementType.XMDTYPE_TBSN: DirectToSends(),
        PlacementType.XMDTYPE_CHOICE: DirectByChoice(memory),
        PlacementType.XMDTYPE_BYSIZE: DirectBySize(4000, memory),
    }

    assert found == (ResponseSet(WHOLE, (ResponseItem(100, expected[kind]),)),)
    lengths = [segment.length for segment in memory]
    assert lengths == ([] if kind is PlacementType.XMDTYPE_TBSN else [9000])


def test_call_without_results_has_no_directions() -> None:
    """rtrext 9.2."""
    end = LoneRequester(replace(BULKY, always=True), BULKY)
    contents = contents_of(end.asks(calls.null(7))[0])

    assert contents == XmtReq((), (), 1, 0, 40)


def test_arguments_are_items_in_memory_or_in_sends() -> None:
    """rtrext 5.3, 7.3: as the peer's Receives have targets or not."""
    call = calls.store(7, pattern(5000))
    for peer, way in ((BARE, ByExplicitRdma), (BULKY, InTargetedSegments)):
        end = LoneRequester(BARE, peer)
        message, *later = end.asks(call)
        contents = contents_of(message)
        (item,) = contents.optxrq_ddp

        assert (item.xmdmi_disp, item.xmdmi_length) == (44, 5000)
        assert isinstance(item.xmdmi_where, way)
        assert contents.optxrq_pslen == 44
        assert contents.optxrq_count == 1 + len(later)
        if peer is BARE:
            (key,) = end.held
            memory = ByExplicitRdma((RdmaSegment(key, 5000, 0),))
            assert item == MessageItem(44, 5000, memory)
            assert end.held[key].data == pattern(5000)


def test_every_send_asks_for_the_same_credits() -> None:
    """rfc8166 3.3.1."""
    end = LoneRequester(BARE, BARE)
    sent = end.asks(calls.long_call(7, pattern(9000)))

    assert [v2.decode_header(message)[0].rdma_credit for message in sent] == [GRANTED] * 3
