"""The way to an address, by the host's own routes."""

from __future__ import annotations

import pytest

from rpcrdma.errors import DeviceUnavailable
from rpcrdma.roce.link.route import check_same_version, find_route, parse_address, socket_address


def test_the_way_to_this_host_is_the_loopback_interface() -> None:
    route = find_route("127.0.0.1")

    assert route.source == "127.0.0.1"
    assert route.mtu >= 1500


def test_the_source_asked_for_is_the_source() -> None:
    assert find_route("127.0.0.1", "127.0.0.2").source == "127.0.0.2"


@pytest.mark.parametrize(
    ("remote", "source", "why"),
    [
        ("server", None, "'server' is no IP address"),
        ("10.9.0.300", None, "'10.9.0.300' is no IP address"),
        ("fd00::1", "127.0.0.1", "no way from 127.0.0.1 to fd00::1: one is of IPv4"),
        ("127.0.0.1", "192.0.2.77", "192.0.2.77: that is no address of this host"),
        ("fe80::1%nosuchzone", None, "no way to fe80::1%nosuchzone: no interface"),
    ],
)
def test_no_way_is_one_clear_sentence(remote: str, source: str | None, why: str) -> None:
    with pytest.raises(DeviceUnavailable) as caught:
        find_route(remote, source)

    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.9.0.1", ("10.9.0.1", "")),
        ("FD00:0::1", ("fd00::1", "")),
        ("fe80::1%eth0", ("fe80::1", "eth0")),
    ],
)
def test_addresses_become_canonical(text: str, expected: tuple[str, str]) -> None:
    assert parse_address(text) == expected


def test_a_zone_becomes_the_number_of_its_interface() -> None:
    assert socket_address("fe80::1%lo", 4791) == ("fe80::1", 4791, 0, 1)


def test_addresses_of_one_version_go_together() -> None:
    check_same_version("10.9.0.2", "10.9.0.1")
    check_same_version("fd00::2", "fd00::1")
