"""Addresses of a standing guest and of its testers: each link is a network by itself."""

from __future__ import annotations

import ipaddress

from targets.lab.setup import Network

__all__ = ["address_on_link", "neighbour_of"]


def neighbour_of(guest: str) -> str:
    """The tester's address beside that of the guest: the next one."""
    return str(ipaddress.ip_address(guest) + 1)


def address_on_link(address: str, link: int) -> str:
    """What an address of the first link is on another.

    Args:
        address: on the first link.
        link: number, from 1.
    """
    hosts = 1 << (32 - Network().prefix)
    return str(ipaddress.ip_address(address) + hosts * (link - 1))
