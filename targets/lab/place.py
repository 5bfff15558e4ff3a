"""Where a run takes place: what of tester and device is in a guest of the lab.

| target | this machine has an RDMA device | it has none |
|---|---|---|
| `reference` and its mutants | here | here; over verbs, all of it in a guest |
| an adapter of one's own with `[lab]` | here | all of it in a guest |
| a profile with `[lab]` | here, over verbs | the device in a guest, the tester here, over roce |
| any other address | here, over verbs | here, over roce |
"""

from __future__ import annotations

import os
from enum import Enum
from typing import TYPE_CHECKING, Final

from targets.fabrics import chosen_fabric, usual_fabric
from targets.lab.guest import INSIDE

if TYPE_CHECKING:
    from targets.profile import Profile

__all__ = ["ELSEWHERE", "RunPlace", "place_of"]

ELSEWHERE: Final = ("network", "command")
"""Adapters whose device is not started by the suite."""


class RunPlace(Enum):
    """What is in a guest of the lab."""

    HERE = "nothing"
    DEVICE_IN_GUEST = "the device"
    ALL_IN_GUEST = "tester and device"


def place_of(profile: Profile, fabric: str, usual: str | None = None) -> RunPlace:
    """Where a target is run.

    Args:
        profile: of the target.
        fabric: that was asked for; empty: the profile's, or the usual one.
        usual: what a device elsewhere is reached over from this machine; found out if None.
    """
    if INSIDE in os.environ:
        return RunPlace.HERE
    usual = usual or usual_fabric()
    if profile.adapter not in ELSEWHERE:
        # Where the lab is to bring a device up, its adapter does that in the guest.
        wanted = fabric or profile.fabric or ("verbs" if profile.lab is not None else "")
        return RunPlace.ALL_IN_GUEST if wanted == "verbs" != usual else RunPlace.HERE
    chosen = chosen_fabric(fabric, profile, usual)
    if chosen == usual == "verbs":
        return RunPlace.HERE
    if chosen == "verbs":
        return RunPlace.ALL_IN_GUEST
    return RunPlace.DEVICE_IN_GUEST if profile.lab is not None else RunPlace.HERE
