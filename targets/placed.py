"""A target at its place: this machine, or a guest of the lab with the tester outside of it.

    with placed(target, place_of(target.profile, fabric)) as (device, facts):
        ...

The third place, a guest that holds the tester as well, is another process's: see `targets.lab.lab`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from targets.lab.place import RunPlace
from targets.network import NetworkTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from targets.base import ClientTarget, Target
    from targets.standing.run_guest import GuestEnd

__all__ = ["placed"]

Facts = tuple[tuple[str, str], ...]
"""What the place makes known of the device: names and values, for reports."""


@contextmanager
def placed(
    target: Target | ClientTarget,
    place: RunPlace,
    kernel: str = "",
    told: Callable[[GuestEnd], None] = lambda end: None,
    *,
    testers: int = 1,
    logs: Path | None = None,
) -> Iterator[tuple[Target | ClientTarget, Facts]]:
    """The target that is to be started, and what its place makes known of it.

    Args:
        target: as it is on this machine.
        place: where it is to be; tester and device are apart from one another, or both here.
        kernel: of a guest: release or image; the profile's choice, or the newest, if empty.
        told: is told of each guest that is of no use any more, and whose place another one takes.
        testers: how many processes judge the target at one time.
        logs: folder in which are left the logs of a guest, or of a server that is started here;
            nowhere if None.

    Raises:
        LabError: there is no guest, and none can be started.
        TargetError: the profile does not say how its device acts.
    """
    if place is not RunPlace.DEVICE_IN_GUEST:
        if isinstance(target, NetworkTarget):
            target.logs = logs
        yield target, ()
        return
    # Imported only now: nearly all of it is for guests, which few commands want.
    from targets.guest_device import guest_of, guest_target

    with guest_of(target.profile, kernel, told, testers=testers) as guest:
        guest.logs = logs
        facts = (("kernel", guest.release), ("guest", "replaced where it dies"))
        yield guest_target(target.profile, guest), facts
