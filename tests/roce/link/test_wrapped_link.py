"""A link that passes everything on; the contract of links (test_base.py) runs on one, too."""

from __future__ import annotations

import pytest

from rpcrdma.roce.link.switch import Switch, SwitchLink
from rpcrdma.roce.link.wrapped_link import WrappedLink


@pytest.fixture
def inner() -> SwitchLink:
    return Switch().link("10.9.0.2")


def test_tap_is_that_of_the_link_below(inner: SwitchLink) -> None:
    """What is seen is what that link carries."""
    link = WrappedLink(inner)
    frames: list[bytes] = []

    def show(_: float, frame: bytes) -> None:
        frames.append(frame)

    link.tap = show

    assert inner.tap is show
    assert link.tap is show


def test_what_the_link_below_is_the_other_is_too(inner: SwitchLink) -> None:
    link = WrappedLink(inner)

    assert link.counts is inner.counts
    assert (link.name, link.port, link.is_virtual) == (inner.name, inner.port, inner.is_virtual)
    assert link.path_mtu("10.9.0.1") == inner.path_mtu("10.9.0.1")


def test_what_a_subclass_does_otherwise_leaves_the_rest(inner: SwitchLink) -> None:
    """Here another name."""

    class Renamed(WrappedLink):
        @property
        def name(self) -> str:
            return f"{super().name}, renamed"

    link = Renamed(inner)

    assert (link.name, link.clock) == ("roce switch, renamed", inner.clock)
