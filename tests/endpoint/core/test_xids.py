"""XIDs of a client."""

from __future__ import annotations

from rpcrdma.endpoint.core.xids import XidSource


def test_no_two_calls_have_the_same_xid() -> None:
    source = XidSource()

    assert len({source.take() for _ in range(100)}) == 100


def test_xids_go_on_from_zero_behind_the_largest() -> None:
    source = XidSource(0xFFFFFFFF)

    assert (source.take(), source.take()) == (0xFFFFFFFF, 0)
