"""Inline thresholds: at least 1024 octets, and swapped for the backward direction."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.thresholds import DEFAULT, MINIMUM, InlineThresholds
from rpcrdma.errors import LocalProtocolError


def test_both_are_1024_octets_unless_somebody_says_otherwise() -> None:
    """rfc8166 3.3.3."""
    assert (DEFAULT.call, DEFAULT.reply, MINIMUM) == (1024, 1024, 1024)


@pytest.mark.parametrize(("call", "reply"), [(1023, 1024), (1024, 0)])
def test_less_is_refused(call: int, reply: int) -> None:
    with pytest.raises(LocalProtocolError, match="less than 1024 octets"):
        InlineThresholds(call, reply)


def test_backward_calls_go_where_replies_went() -> None:
    """D-44."""
    assert InlineThresholds(2048, 4096).backward == InlineThresholds(4096, 2048)
