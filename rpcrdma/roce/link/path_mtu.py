"""From the MTU of a link to the path MTU of InfiniBand: how much payload one packet has at most.

InfiniBand Architecture volume 1, 9.2 (BTH), 9.3.3 (RETH), 7.8.1 (ICRC)
InfiniBand Architecture volume 1, annex A17 (RoCEv2): IP and UDP before the BTH
"""

from __future__ import annotations

from typing import Final

__all__ = ["PATH_MTUS", "path_mtu_of"]

PATH_MTUS: Final = (256, 512, 1024, 2048, 4096)
"""Octets of payload; the only path MTUs that there are."""

_INTERNET: Final = {4: 20, 6: 40}  # octets of an IP header without options, by version
_TRANSPORT: Final = 8 + 12 + 16 + 4  # UDP, BTH, RETH, ICRC
_MARGIN: Final = 20
"""For tags and extension headers on the way; by it, Soft-RoCE comes to the same results."""


def path_mtu_of(link_mtu: int, version: int) -> int:
    """The largest path MTU whose packets fit into `link_mtu` octets of IP; at least 256."""
    room = link_mtu - _INTERNET[version] - _TRANSPORT - _MARGIN
    return max((mtu for mtu in PATH_MTUS if mtu <= room), default=PATH_MTUS[0])
