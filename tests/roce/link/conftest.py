"""Pairs of links of each kind, closed after the test."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.roce.link.links import (
    Pair,
    faulty_pair,
    netdev_pair,
    switch_pair,
    udp_pair,
    wrapped_pair,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KINDS: dict[str, Callable[[], Pair]] = {
    "faulty switch": partial(faulty_pair, switch_pair),
    "faulty udp": partial(faulty_pair, udp_pair),
    "netdev": netdev_pair,
    "switch": switch_pair,
    "udp": udp_pair,
    "wrapped": wrapped_pair,
}


@pytest.fixture(params=sorted(KINDS))
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Two ends of each kind of link."""
    made = KINDS[request.param]()
    yield made
    made.close()


@pytest.fixture
def wired() -> Iterator[Pair]:
    """Two sockets of this host."""
    made = udp_pair()
    yield made
    made.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose name is short enough for a Unix socket; pytest's own is not."""
    made = Path(tempfile.mkdtemp(prefix="rq", dir="/tmp"))
    yield made
    shutil.rmtree(made)
