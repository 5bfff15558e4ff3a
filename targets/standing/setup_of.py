"""What a standing guest is to set up for a profile's device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from targets.lab.boot import guest_environment
from targets.lab.lab import server_of
from targets.standing.setup import StandingSetup

if TYPE_CHECKING:
    from targets.profile import Profile

__all__ = ["setup_of"]


def setup_of(profile: Profile) -> StandingSetup:
    """The setup for the device of a profile.

    Raises:
        LabError: the profile does not say how the lab brings its device up.
    """
    return StandingSetup(server_of(profile), environment=guest_environment())
