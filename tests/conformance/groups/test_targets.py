"""Where the tester places results."""

from __future__ import annotations

import pytest

from conformance.groups.targets import require_targets, targets_for
from conformance.tester.case import Inconclusive
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)
from rpcrdma.wire.buffers import BufferLayout
from targets.base import Unsupported


def layout(*segments: tuple[int, bool]) -> BufferLayout:
    """Of buffers that have segments of so many octets, some of which are targets."""
    groups = tuple(
        BufferSegmentGroup(1, BufferSegment(octets, 0, XMRSFLAG_DDP if is_target else 0))
        for octets, is_target in segments
    )
    length = sum(octets for octets, _ in segments)
    return BufferLayout.of(BufferStructure(length, groups), length)


BARE = layout((4096, False))
TWO = layout((512, False), (1024, True), (512, False), (2048, True))


def test_targets_are_taken_in_order_until_the_item_fits() -> None:
    assert targets_for(TWO, 1000, 2, None).xmdl_bsnum == (0,)
    assert targets_for(TWO, 1025, 2, None).xmdl_bsnum == (0, 1)
    assert targets_for(TWO, 4000, 2, None).xmdl_bsnum == (0, 1, 2)


def test_an_order_of_the_case_leaves_out_what_there_is_not() -> None:
    assert targets_for(TWO, 2000, 1, (7, 1, 0)).xmdl_bsnum == (1,)


def test_a_target_that_header_and_payload_lie_in_is_not_taken() -> None:
    assert targets_for(layout((128, False), (1024, True), (1024, True)), 8, 1, None).xmdl_bsnum == (
        1,
    )


def test_too_few_are_a_situation_that_does_not_come_about() -> None:
    with pytest.raises(Inconclusive, match="no targets for 4000 octets in 1 Sends"):
        targets_for(TWO, 4000, 1, None)


def test_a_client_without_any_is_not_asked() -> None:
    require_targets(TWO)
    with pytest.raises(Unsupported, match="have no target segments"):
        require_targets(BARE)
    with pytest.raises(Unsupported, match="have no target segments"):
        targets_for(BARE, 8, 1, None)
