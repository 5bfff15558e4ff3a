"""All that ends which reduce round trips may choose, and calls of every form, for hypothesis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from rpcrdma.endpoint.core.reductions import ALL_OPERATIONS, Reductions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    PlacementType,
)
from rpcrdma.wire.operations import ROPT_XMTCONT, ROPT_XMTREQ, ROPT_XMTRESP
from tests.endpoint.group_ends import EndOptions

if TYPE_CHECKING:
    from collections.abc import Callable

SMALLEST = 1024
"""Octets of the shortest buffer: a threshold cannot be less."""

LARGEST = 12288
"""Octets of the longest buffer."""

MEDIUM = 16_000
"""Octets of an item that a few Sends carry."""

MOST = 40_000
"""Octets of the longest item."""

_LENGTHS = st.sampled_from((0, 1, 3, 4, 5, 36, 64, 100, 511, 512, 1000, 1024, 1025, 4096))
_ALIGNS = st.sampled_from((0, 1, 3, 4, 8, 64, 512, 1000, 4096))
_LIMITS = st.sampled_from((16, 16, 16, 8, 8, 4, 3, 2, 1))
_SIZES = st.one_of(
    st.sampled_from((0, 1, 3, 4, 5, 250, 1000, 1024, 3900, 4096, 8192)),
    st.integers(3000, MEDIUM),
    st.integers(3000, MEDIUM),
    st.integers(0, MOST),
)


def _structure(groups: list[tuple[int, int, int, bool]]) -> BufferStructure:
    """A structure whose segments have at least the smallest length together."""
    parts = [
        BufferSegmentGroup(count, BufferSegment(length, align, XMRSFLAG_DDP if is_target else 0))
        for count, length, align, is_target in groups
    ]
    total = sum(count * length for count, length, _, _ in groups)
    if total < SMALLEST:
        parts.append(BufferSegmentGroup(1, BufferSegment(SMALLEST - total, 0, 0)))
    return BufferStructure(max(total, SMALLEST), tuple(parts))


ODD = (
    st.lists(st.tuples(st.integers(1, 12), _LENGTHS, _ALIGNS, st.booleans()), max_size=4)
    .filter(lambda groups: sum(count * length for count, length, _, _ in groups) <= LARGEST)
    .map(_structure)
)
"""Any structures."""

PAGES = st.builds(
    lambda head, count, length, align: _structure(
        [(1, head, 4, False), (count, length, align, True)]
    ),
    st.sampled_from((256, 500, 1024, 4096)),
    st.integers(1, 4),
    st.sampled_from((512, 1000, 1024, 2048)),
    _ALIGNS,
)
"""Those that somebody would choose: room for header and payload, and then some pages."""

DIRECTIONS = (
    PlacementType.XMDTYPE_EXRW,
    PlacementType.XMDTYPE_TBSN,
    PlacementType.XMDTYPE_CHOICE,
    PlacementType.XMDTYPE_BYSIZE,
)
OPERATIONS = st.sampled_from(
    (
        *[ALL_OPERATIONS] * 12,
        ALL_OPERATIONS - {ROPT_XMTREQ},
        ALL_OPERATIONS - {ROPT_XMTRESP},
        ALL_OPERATIONS - {ROPT_XMTCONT},
        ALL_OPERATIONS - {ROPT_XMTREQ, ROPT_XMTCONT},
        ALL_OPERATIONS - {ROPT_XMTRESP, ROPT_XMTCONT},
        frozenset[int](),
    )
)
"""What others need is never left out (rtrext 5.4)."""


def _shaped(reductions: Reductions, structure: BufferStructure | None) -> Reductions:
    """The same with Receives of this structure."""
    octets = 4096 if structure is None else max(4096, structure.xmrbuf_length)
    return replace(reductions, structure=structure, receive_octets=octets)


CHOICES = st.builds(
    Reductions,
    OPERATIONS,
    request_limit=_LIMITS,
    response_limit=_LIMITS,
    send_limit=_LIMITS,
    reserve=st.sampled_from((20, 20, 16, 16, 8, 3, 2, 1, 0)),
    direction=st.none() | st.sampled_from(DIRECTIONS),
    by_size=st.sampled_from((0, 1000, 8192)),
    shortest=st.sampled_from((0, 0, 5, 2000)),
    always=st.booleans(),
)
REDUCTIONS = st.builds(_shaped, CHOICES, ODD | PAGES | st.none() | PAGES)

CREDITS = st.sampled_from((32, 16, 16, 16, 8, 8, 8, 5, 3, 2, 1))
CLIENTS = st.builds(EndOptions, REDUCTIONS, CREDITS, is_invalidated=st.booleans())
GRANTS = st.lists(st.sampled_from((32, 16, 8, 3, 1)), max_size=4).map(tuple)
SERVERS = st.builds(EndOptions, REDUCTIONS, CREDITS, st.booleans(), grants=GRANTS)

WILLING = st.builds(
    EndOptions,
    st.builds(
        _shaped,
        st.builds(
            Reductions,
            reserve=st.sampled_from((20, 64)),
            direction=st.none() | st.sampled_from(DIRECTIONS),
            by_size=st.sampled_from((0, 8192)),
            always=st.booleans(),
        ),
        PAGES | PAGES | st.none(),
    ),
    st.sampled_from((16, 32)),
    is_invalidated=st.booleans(),
    grants=st.just(()) | GRANTS,
)
"""Ends that do whatever they can."""

CALLS: st.SearchStrategy[Callable[[int], bytes]] = st.one_of(
    st.just(calls.null),
    st.integers(0, 512).map(lambda size: lambda xid: calls.echo(xid, pattern(size, xid))),
    _SIZES.map(lambda size: lambda xid: calls.store(xid, pattern(size, xid))),
    _SIZES.map(lambda size: lambda xid: calls.fetch(xid, size, xid % 251)),
    _SIZES.map(lambda size: lambda xid: calls.long_call(xid, pattern(size, xid))),
    _SIZES.map(lambda size: lambda xid: calls.long_reply(xid, size, xid % 251)),
    st.tuples(_SIZES, _SIZES).map(
        lambda sizes: (
            lambda xid: calls.store_two(
                xid, pattern(sizes[0], xid), b"between", pattern(sizes[1], xid + 1)
            )
        )
    ),
    st.tuples(_SIZES, _SIZES).map(
        lambda sizes: lambda xid: calls.fetch_two(xid, sizes[0], sizes[1], b"between")
    ),
    st.tuples(st.none() | _SIZES, st.none() | _SIZES).map(
        lambda sizes: lambda xid: calls.fetch_union(xid, sizes[0], sizes[1])
    ),
    st.tuples(_SIZES, _SIZES).map(
        lambda sizes: (
            lambda xid: calls.long_store(xid, pattern(sizes[0], xid), pattern(sizes[1], xid + 1))
        )
    ),
    st.tuples(_SIZES, _SIZES).map(
        lambda sizes: lambda xid: calls.long_fetch(xid, sizes[0], sizes[1])
    ),
)
"""Makes a call under an XID."""
