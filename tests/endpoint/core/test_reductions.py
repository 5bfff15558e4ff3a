"""What an end does of the round-trip reductions."""

from __future__ import annotations

from rpcrdma.endpoint.core.reductions import ALL_OPERATIONS, NO_REDUCTIONS, Reductions
from rpcrdma.wire._generated_rtrext import (
    ROPT_REPTERR,
    ROPT_XMTCONT,
    ROPT_XMTREQ,
    ROPT_XMTRESP,
    RTRS_XCONT,
    RTRS_XREQ,
    RTRS_XRESP,
)


def test_every_operation_of_the_document_is_supported() -> None:
    """rtrext 9.1, D-90."""
    assert frozenset({ROPT_XMTREQ, ROPT_XMTRESP, ROPT_XMTCONT, ROPT_REPTERR}) == ALL_OPERATIONS
    assert Reductions().support == RTRS_XREQ | RTRS_XRESP | RTRS_XCONT


def test_support_has_a_bit_for_each_operation_but_the_report() -> None:
    """rtrext 8.2, D-107."""
    assert Reductions(frozenset({ROPT_XMTCONT, ROPT_REPTERR})).support == RTRS_XCONT
    assert NO_REDUCTIONS.support == 0


def test_a_group_has_several_transmissions_only_with_continuations() -> None:
    """rtrext 9.4."""
    assert Reductions().can_continue
    assert not Reductions(ALL_OPERATIONS - {ROPT_XMTCONT}).can_continue


def test_longest_group_is_a_request_or_a_response() -> None:
    """A response can have one transmission more than Receives are reserved (D-97)."""
    assert Reductions(request_limit=9, reserve=4).longest_group == 9
    assert Reductions(request_limit=2, reserve=4).longest_group == 5
    assert NO_REDUCTIONS.longest_group == 1
