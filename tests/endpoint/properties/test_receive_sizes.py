"""The lengths of posted Receives: the oldest is used up first, the shortest bounds what is told."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.endpoint.properties.receive_sizes import ReceiveSizes
from rpcrdma.errors import LocalProtocolError


def test_no_receive_bounds_nothing() -> None:
    """Whatever is posted next may have any length."""
    sizes = ReceiveSizes()
    assert sizes.smallest is None
    assert sizes.none_below(2**32 - 1)


def test_a_message_without_a_receive_is_a_fault_of_ours() -> None:
    """Whoever posts a Receive has to tell it."""
    sizes = ReceiveSizes()
    sizes.posted(4096)
    sizes.consumed()
    with pytest.raises(LocalProtocolError, match="no Receive was posted"):
        sizes.consumed()


@given(st.lists(st.integers(1, 50) | st.none(), max_size=40))
def test_the_smallest_is_that_of_the_receives_left(steps: list[int | None]) -> None:
    """A number posts a Receive, None uses one up."""
    sizes, left = ReceiveSizes(), deque[int]()
    for octets in steps:
        if octets is not None:
            sizes.posted(octets)
            left.append(octets)
        elif left:
            sizes.consumed()
            left.popleft()
        smallest = min(left, default=None)
        assert sizes.smallest == smallest
        assert sizes.none_below(20) is (smallest is None or smallest >= 20)
