"""Calls that go as transmission groups, by a Requester and a Responder that face each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import PlacementType
from tests.endpoint.groups import BARE, BULKY, Facing

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS: dict[str, Callable[[int], bytes]] = {
    "null": calls.null,
    "long call": lambda xid: calls.long_call(xid, pattern(8192)),
    "long reply": lambda xid: calls.long_reply(xid, 8192),
    "store": lambda xid: calls.store(xid, pattern(20_001)),
    "fetch": lambda xid: calls.fetch(xid, 20_003),
    "fetch nothing": lambda xid: calls.fetch(xid, 0),
    "store two": lambda xid: calls.store_two(xid, pattern(5001), b"note", pattern(3002)),
    "fetch two": lambda xid: calls.fetch_two(xid, 5001, 3002, b"note"),
    "fetch one of two": lambda xid: calls.fetch_union(xid, None, 5001),
    "store beside a long text": lambda xid: calls.long_store(xid, pattern(6000), pattern(5001)),
    "fetch beside a long text": lambda xid: calls.long_fetch(xid, 6000, 5001),
}
KINDS = (
    PlacementType.XMDTYPE_EXRW,
    PlacementType.XMDTYPE_TBSN,
    PlacementType.XMDTYPE_CHOICE,
    PlacementType.XMDTYPE_BYSIZE,
)


@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_whatever_is_placed_however_the_reply_is_whole(
    name: str, kind: PlacementType, *, always: bool
) -> None:
    reductions = replace(BULKY, direction=kind, always=always, by_size=4096)
    with Facing(reductions, BULKY) as facing:
        assert facing.does(CALLS[name])
        assert facing.does(CALLS[name])


@pytest.mark.parametrize("name", CALLS)
def test_results_below_the_least_length_come_in_the_payload(name: str) -> None:
    with Facing(replace(BULKY, shortest=4000), BULKY) as facing:
        assert facing.does(CALLS[name])


@pytest.mark.parametrize("name", CALLS)
def test_ends_that_place_by_different_ways_understand_each_other(name: str) -> None:
    """rtrext 5.3: each end's buffers decide about what it receives."""
    for requester, responder in ((BULKY, BARE), (BARE, BULKY)):
        with Facing(requester, responder, credits_=4) as facing:
            assert facing.does(CALLS[name])


@pytest.mark.parametrize("name", CALLS)
def test_continuation_alone_is_enough(name: str) -> None:
    with Facing(BARE, BARE) as facing:
        assert facing.does(CALLS[name])
