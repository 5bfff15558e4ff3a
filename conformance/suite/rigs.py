"""What runs cases against a device: one rig for each role that it plays.

A *rig* is the running device together with the tester's side:
`conformance.tester.client.harness.Harness` for a device that is called,
`conformance.tester.server.harness.ClientHarness` for one that calls.  The plugin knows a rig only
by what is below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from targets.base import ClientTarget, Target, TargetError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.tester.case import CaseLog
    from conformance.tester.life_watch import LifeWatch
    from rpcrdma.fabric.base import Fabric
    from rpcrdma.fabric.trace import Trace
    from targets.profile import Profile

__all__ = ["Rig", "RunningSession", "close_rigs", "open_rigs"]


class RunningSession(Protocol):
    """What sessions of either role have in common."""

    @property
    def fabric(self) -> Fabric:
        """Where the tester stands."""
        ...


class Rig(Protocol):
    """A running device in one role, and the tester facing it."""

    @property
    def profile(self) -> Profile:
        """The device's."""
        ...

    @property
    def target(self) -> Target | ClientTarget:
        """The adapter."""
        ...

    @property
    def session(self) -> RunningSession:
        """The running device."""
        ...

    @property
    def case(self) -> CaseLog:
        """Notes of the running case."""
        ...

    @property
    def trace(self) -> Trace:
        """Of the running case."""
        ...

    @property
    def life(self) -> LifeWatch:
        """How the device died, or why it was started again, as far as the running case tells."""
        ...

    def begin(self) -> None:
        """Begin a case."""
        ...

    def preflight(self) -> None:
        """See that the device serves, or calls, at all.

        Raises:
            Inconclusive: it does not, not even after having been started again.
            Deviation: likewise.
        """
        ...

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What is known of the rig, (name, value), for the run's record."""
        ...

    @property
    def worn(self) -> bool:
        """Whether the device is to be started again before the next case, as its profile says."""
        ...

    def look(self) -> None:
        """See that the device holds what it held when it was last looked at.

        Raises:
            Deviation: it does not.
            Inconclusive: that cannot be seen.
        """
        ...

    def time_calls(self, count: int) -> tuple[float, ...]:
        """Make good calls, or have the device make them; no verdict depends on that.

        Args:
            count: how many.

        Returns:
            How long each took, in seconds of the fabric's clock; nothing if one was not served.
        """
        ...

    def renew(self, *, files_too: bool) -> None:
        """Start the device again, whatever it still does; no lapse and no death of its own.

        Args:
            files_too: its files are to be as they were at first.

        Raises:
            TargetError: the suite has no means to, or the device does not serve afterwards.
            FabricError: likewise.
        """
        ...

    def judged(self, found: BaseException | None, cited: tuple[str, ...]) -> BaseException | None:
        """What ended the case, in the light of what the rig itself has seen in it.

        Args:
            found: what ended the case, so far.
            cited: the requirements that the case is about.
        """
        ...

    def check_after(self) -> None:
        """See that the device still serves, or calls, after the case.

        Raises:
            Deviation: it does not.
        """
        ...

    def numbered(self, text: str) -> str:
        """The text with numbers in place of XIDs of the tester's own: each run has others."""
        ...

    def end(self) -> None:
        """End the case."""
        ...

    def close(self) -> None:
        """Stop the device."""
        ...


def open_rigs(target: Target | ClientTarget) -> Mapping[str, Rig]:
    """Set a target going in each role that it claims and its adapter can bring about.

    Raises:
        TargetError: it does not come up, or there is no such role.
    """
    roles = target.profile.claims.roles
    rigs: dict[str, Rig] = {}
    try:
        if "responder" in roles and isinstance(target, Target):
            rigs["responder"] = Harness(target)
        if "requester" in roles and isinstance(target, ClientTarget):
            rigs["requester"] = ClientHarness(target)
    except BaseException:
        close_rigs(rigs)
        raise
    if not rigs:
        claimed = " and ".join(roles)
        raise TargetError(f"the adapter of `{target.name}` cannot bring about the role {claimed}")
    return rigs


def close_rigs(rigs: Mapping[str, Rig]) -> None:
    """Stop everything."""
    for rig in rigs.values():
        rig.close()
