"""Fabrics by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import DeviceUnavailable
from targets.fabrics import fabric_towards, open_fabric, open_hosts, usual_fabric

if TYPE_CHECKING:
    from pathlib import Path


def test_verbs_is_usual_where_there_is_a_device(tmp_path: Path) -> None:
    """Without one, or without the folder, it is RoCEv2 of our own."""
    assert usual_fabric(tmp_path / "missing") == "roce"
    assert usual_fabric(tmp_path) == "roce"
    (tmp_path / "rxe0").mkdir()
    assert usual_fabric(tmp_path) == "verbs"


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
