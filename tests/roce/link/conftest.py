"""Pairs of links of each kind, closed after the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.roce.link.links import Pair, switch_pair, udp_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KINDS: dict[str, Callable[[], Pair]] = {"switch": switch_pair, "udp": udp_pair}


@pytest.fixture(params=sorted(KINDS))
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Two ends of each kind of link."""
    made = KINDS[request.param]()
    yield made
    made.near.close()
    made.far.close()


@pytest.fixture
def wired() -> Iterator[Pair]:
    """Two sockets of this host."""
    made = udp_pair()
    yield made
    made.near.close()
    made.far.close()
