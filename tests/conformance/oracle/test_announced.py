"""What an end has told of round-trip reductions, and what holds where it has not."""

from __future__ import annotations

import pytest

from conformance.oracle.announced import NOTHING_TOLD, Announced, announced_in
from rpcrdma.errors import DecodeError
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    XPROP_RBSTRUCT,
    XPROP_REQRXLIM,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)
from rpcrdma.wire.operations import ROPT_XMTCONT, ROPT_XMTREQ, ROPT_XMTRESP
from rpcrdma.wire.properties import PROP_RBSIZ, PropertyValue, UnknownProperty, property_values

STRUCTURE = BufferStructure(
    3072,
    (
        BufferSegmentGroup(1, BufferSegment(1024, 0, 0)),
        BufferSegmentGroup(2, BufferSegment(1024, 0, XMRSFLAG_DDP)),
    ),
)
ALL = Announced(5, STRUCTURE, 8192, 3, 4)


@pytest.mark.parametrize("told", [NOTHING_TOLD, ALL, Announced(structure=STRUCTURE)])
def test_what_is_told_is_read_again(told: Announced) -> None:
    assert announced_in(told.values()) == told


def test_the_latest_word_counts_and_no_octets_are_the_default() -> None:
    values = [PropertyValue(code, b"") for code in range(1, 8)]
    assert announced_in(values, ALL) == Announced(octets=4096)
    (unknown,) = property_values(UnknownProperty(99, b"odd!"))
    assert announced_in([unknown, *Announced(2).values()], ALL) == Announced(
        2, STRUCTURE, 8192, 1, 1
    )


@pytest.mark.parametrize("code", [PROP_RBSIZ, XPROP_RBSTRUCT, XPROP_REQRXLIM])
def test_a_value_of_another_type_is_none(code: int) -> None:
    with pytest.raises(DecodeError):
        announced_in([PropertyValue(code, b"\0\0")])


def test_buffers_are_as_long_as_all_that_was_told_allows() -> None:
    assert NOTHING_TOLD.layout.length == 4096
    assert len(NOTHING_TOLD.layout.targets) == 0
    assert Announced(octets=9000).layout.length == 9000
    assert Announced(structure=STRUCTURE).layout.length == 3072
    assert Announced(structure=STRUCTURE, octets=2048).layout.length == 2048
    assert len(ALL.layout.targets) == 2


def test_bits_say_what_is_taken() -> None:
    taken = [code for code in (ROPT_XMTREQ, ROPT_XMTRESP, ROPT_XMTCONT) if ALL.takes(code)]
    assert taken == [ROPT_XMTREQ, ROPT_XMTCONT]
