"""One device that several testers judge side by side (`certify -n`), each by a link of its own.

Other devices are started once for each tester.  A device that is there once gives every tester
what it would get alone, as long as it serves.  Once it has to be started again, nobody can tell
whose case that is due to, and starting it ends what the others do: then one tester goes on alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn, Protocol, runtime_checkable

import msgspec

if TYPE_CHECKING:
    from targets.base import Target
    from targets.profile import Profile

__all__ = ["DeviceLost", "SharedTarget", "give_up", "writing_apart"]

_ROOM: Final = 1 << 20
"""Octets of the writable file for each tester: the longest argument of a case has 60000."""


class DeviceLost(KeyboardInterrupt):
    """A shared device has to be started again.

    It ends the tester as an interruption from the keyboard does, with every connection closed:
    nothing on the way may take it for an outcome of the case.
    """


@runtime_checkable
class SharedTarget(Protocol):
    """A device that is there once, whoever judges it; by itself it is a `Target` for one tester."""

    def beside(self, tester: int) -> Target:
        """What one of several testers starts; waits until the device is there.

        Its session raises `DeviceLost` in place of starting the device again.

        Args:
            tester: number, from 1.

        Raises:
            TargetError: the device does not come up.
        """
        ...


def give_up() -> NoReturn:
    """What a session of a shared device does in place of starting it again."""
    raise DeviceLost("others use the device")


def writing_apart(profile: Profile, tester: int) -> Profile:
    """The profile for one of several testers: what they write does not meet."""
    extra = msgspec.structs.replace(profile.extra, write_offset=(tester - 1) * _ROOM)
    return msgspec.structs.replace(profile, extra=extra)
