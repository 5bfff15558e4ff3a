"""Fabrics by name."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from rpcrdma.errors import DeviceUnavailable
from targets import fabrics
from targets.fabrics import chosen_fabric, fabric_towards, open_fabric, open_hosts, usual_fabric
from targets.registry import find_profile


@pytest.mark.parametrize(("is_there", "usual"), [(True, "verbs"), (False, "roce")])
def test_verbs_is_usual_where_there_is_a_device(
    is_there: bool, usual: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one, it is RoCEv2 of our own."""
    monkeypatch.setattr(fabrics, "has_rdma_device", lambda: is_there)

    assert usual_fabric() == usual


@pytest.mark.parametrize(
    ("asked", "in_profile", "chosen"),
    [("roce", "verbs", "roce"), ("", "verbs", "verbs"), ("", "", "roce")],
)
def test_whoever_asks_comes_before_the_profile_and_that_before_the_host(
    asked: str, in_profile: Literal["", "verbs"], chosen: str
) -> None:
    """The host's own choice is what is left."""
    profile = msgspec.structs.replace(find_profile("linux-server"), fabric=in_profile)

    assert chosen_fabric(asked, profile, "roce") == chosen


def test_pyverbs_is_made_importable_for_verbs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tester that speaks RoCEv2 by itself does not look for it."""
    made: list[bool] = []
    monkeypatch.setattr(fabrics, "make_pyverbs_importable", lambda: made.append(True))

    fabric_towards("roce", "127.98.0.1").close()
    assert made == []
    fabric_towards("verbs", "192.0.2.1").close()
    assert made == [True]


def test_two_ends_on_this_host_have_an_address_each() -> None:
    """And a second run finds others."""
    first, own, other = open_hosts("roce", "127.0.0.1")
    second, another, _ = open_hosts("roce", "127.0.0.1")
    with first, second, open_fabric("roce", other):
        assert len({own, other, another}) == 3
        assert first.name == "roce udp"


def test_address_elsewhere_is_no_place_for_a_process_of_ours() -> None:
    """The sentence says what to mend."""
    with pytest.raises(DeviceUnavailable, match="mend `address` in the profile"):
        open_hosts("roce", "192.0.2.1")


def test_tester_stands_where_the_way_to_the_device_begins() -> None:
    """A loopback address leads to itself."""
    with fabric_towards("roce", "127.98.0.1") as fabric:
        assert fabric.name == "roce udp"


def test_name_instead_of_an_address_is_refused() -> None:
    """Names are not looked up."""
    with pytest.raises(DeviceUnavailable, match="is no IP address"):
        fabric_towards("roce", "server.example")
