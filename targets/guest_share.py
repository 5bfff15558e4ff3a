"""A server in a standing guest, as one of several testers has it: by a link of its own.

The guest has an address on each link, and the tester one beside it (`targets.standing.addresses`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.fabric.base import Address
from rpcrdma.roce.fabric import RoceFabric
from rpcrdma.roce.link.netdev import NetdevLink
from targets.lab.setup import Network
from targets.network import NetworkSession
from targets.shared import give_up, writing_apart
from targets.standing.addresses import address_on_link, neighbour_of

if TYPE_CHECKING:
    from targets.profile import Profile
    from targets.standing.guest import StandingGuest

__all__ = ["GuestServerShare", "GuestServerShareSession", "fabric_to"]

_MTU: Final = Network().mtu


class GuestServerShare:
    """The server for one tester; the guest is set up (see `targets.shared`)."""

    def __init__(self, profile: Profile, guest: StandingGuest, tester: int) -> None:
        """Take a server that is up.

        Args:
            profile: of the server, for one tester alone.
            guest: which holds it.
            tester: number, from 1: that of its link.
        """
        self.name = profile.name
        apart = writing_apart(profile, tester)
        address = address_on_link(profile.extra.address, tester)
        extra = msgspec.structs.replace(apart.extra, address=address)
        self.profile = msgspec.structs.replace(apart, extra=extra)
        self._guest = guest
        self._link = tester

    def start(self) -> GuestServerShareSession:
        """Open the link."""
        extra = self.profile.extra
        fabric = fabric_to(self._guest, neighbour_of(extra.address), self._link)
        return GuestServerShareSession(fabric, Address(extra.address, extra.port), self._guest)


class GuestServerShareSession(NetworkSession):
    """The running server, which no tester starts again: the others use it."""

    def __init__(self, fabric: RoceFabric, address: Address, guest: StandingGuest) -> None:
        super().__init__(fabric, address, give_up)
        self._guest = guest

    def alive(self) -> str | None:
        """How the guest died."""
        return self._guest.alive()

    def console(self) -> str:
        """What the guest's kernel has printed."""
        return self._guest.log()


def fabric_to(guest: StandingGuest, address: str, link: int = 1) -> RoceFabric:
    """The tester's fabric on a link to a guest.

    Args:
        guest: which is up, or will be.
        address: the tester's own.
        link: number, from 1.
    """
    own, peer = guest.files.tester_socket(link), guest.files.guest_socket(link)
    return RoceFabric(NetdevLink(own, peer, address, mtu=_MTU))
