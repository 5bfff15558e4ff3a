from __future__ import annotations

from random import Random

import pytest

from conformance.explore.named_memory import READABLE, REGION, WRITABLE
from fuzz.structure.numbers import draw_number, draw_segment
from rpcrdma.wire._generated_rfc8166 import decode_rdma_segment
from rpcrdma.xdr.model import Integer


@pytest.mark.parametrize(
    "item", [Integer(bits, signed=signed) for bits in (32, 64) for signed in (False, True)]
)
def test_every_number_is_one_that_the_type_takes(item: Integer) -> None:
    for seed in range(200):
        number = draw_number(Random(seed), item, "handle", old=7)
        assert number.to_bytes(item.bits // 8, "big", signed=item.signed)


def test_limits_neighbours_and_what_is_alive_are_drawn() -> None:
    draw = Random(1)
    drawn = {draw_number(draw, Integer(32, signed=False), "handle", old=77) for _ in range(2000)}

    assert drawn >= {0, 1, 2**32 - 1, 2**31, 76, 78, READABLE.handle, WRITABLE.handle}


def test_segments_lie_in_memory_that_is_there_end_beyond_it_or_wrap() -> None:
    draw = Random(1)
    drawn = [decode_rdma_segment(draw_segment(draw))[0] for _ in range(200)]
    ends = {one.offset + one.length - READABLE.offset for one in drawn if one.handle == 0x1111}

    assert {one.handle for one in drawn} == {READABLE.handle, WRITABLE.handle}
    assert {REGION, REGION + 1} <= ends
    assert any(one.offset + one.length > 2**64 for one in drawn)
