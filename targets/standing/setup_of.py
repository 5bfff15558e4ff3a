"""What a standing guest is to set up for a profile's device."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from targets.lab.boot import guest_environment
from targets.lab.errors import LabError
from targets.lab.lab import server_of
from targets.lab.resources import resources_of
from targets.lab.setup import Network
from targets.standing.addresses import address_on_link
from targets.standing.setup import StandingSetup

if TYPE_CHECKING:
    from targets.profile import Profile

__all__ = ["setup_of"]

_MOST_LINKS: Final = 16
"""Interfaces of a machine: its bus has room for 32 devices."""


def setup_of(profile: Profile, testers: int = 1) -> StandingSetup:
    """The setup for the device of a profile.

    Args:
        profile: of the device.
        testers: how many can use the guest at one time: each has a link of its own.

    Raises:
        LabError: the profile does not say how the lab brings its device up, they are too many, or
            this machine cannot give the guest what the profile says.
    """
    if not 1 <= testers <= _MOST_LINKS:
        cause = f"it can have 1 to {_MOST_LINKS} links, and {testers} are wanted: one for a tester"
        raise LabError("setting up the guest", cause, f"give -n at most {_MOST_LINKS}")
    first = Network(interface="")
    networks = tuple(
        replace(first, address=address_on_link(first.address, link), device=f"rxe{link - 1}")
        for link in range(1, testers + 1)
    )
    given = resources_of(profile.lab)
    return StandingSetup(server_of(profile), networks, guest_environment(), resources=given)
