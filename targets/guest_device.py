"""A device in a standing guest, and a server there: the tester reaches it by frames, over RoCEv2.

    with guest_of(profile, kernel, print) as guest:  # boots meanwhile
        target = guest_target(profile, guest)

The guest holds the kernel's server or client, or a program that the profile's `[lab]` starts.  Its
agent starts a server anew, runs what makes a client act, and knows when the guest's kernel died.

A device is started again in its guest if that will do.  If the guest is dead, or does not do it,
another one takes its place, with a fabric of its own towards it; one for each `restart`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rpcrdma.errors import DecodeError
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.trace import Trace
from rpcrdma.ulp import rpc
from targets.base import TargetError
from targets.guest_client import (
    GuestClientSession,
    GuestClientTarget,
    told_of_the_target,
)
from targets.guest_share import GuestServerShare, fabric_to
from targets.host_server import answers
from targets.kerberos.server import ServerRealm
from targets.lab.errors import LabError
from targets.network import NetworkSession
from targets.nfs.mount_client import MountRefused, mount_request, mounted_handle
from targets.profile import Binding
from targets.standing.addresses import neighbour_of
from targets.standing.run_guest import RunGuest
from targets.standing.setup_of import setup_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.fabric import RoceFabric
    from rpcrdma.ulp.gss_context import GssInitiator
    from targets.base import ClientTarget, Target
    from targets.profile import Profile
    from targets.standing.run_guest import GuestEnd
    from targets.usage import Usage

__all__ = [
    "GuestClientSession",
    "GuestClientTarget",
    "GuestServerSession",
    "GuestServerTarget",
    "guest_of",
    "guest_target",
]


class GuestServerTarget:
    """A server in a guest (see `targets.base.Target`).

    Attributes:
        profile: with the file handle that NFSv3 begins with, once it was started.
    """

    def __init__(self, profile: Profile, guest: RunGuest) -> None:
        self.name = profile.name
        self.profile = profile
        self._guest = guest
        self._is_asked = profile.binding is Binding.NFS3 and not profile.extra.root_handle
        self._was_ready = False
        self._realm: ServerRealm | None = None

    @property
    def initiator(self) -> GssInitiator | None:
        """What makes contexts with the server, if its profile claims Kerberos."""
        return None if self._realm is None else self._realm.initiator

    def start(self) -> GuestServerSession:
        """Wait until the guest is set up, with a Kerberos realm if the server is to use one."""
        self._await_ready()
        return GuestServerSession(self, self._guest)

    def beside(self, tester: int) -> GuestServerShare:
        """The server for one of several testers (see `targets.shared.SharedTarget`).

        Raises:
            TargetError: it is under Kerberos, where each would need a ticket of its own.
        """
        if self.profile.claims.kerberos:
            raise TargetError(f"`{self.name}` is under Kerberos, for one tester alone; drop -n")
        self._await_ready()
        return GuestServerShare(self.profile, self._guest.current, tester)

    def _await_ready(self) -> None:
        if not self._was_ready:
            with told_of_the_target():
                self._guest.current.await_ready()
            self._meet()
            self._was_ready = True
        elif died := self._guest.current.alive():
            # Several testers have been there before, and leave a guest that has died.
            self.replace(died)
        else:
            self._join()

    def replace(self, how: str) -> Profile:
        """Have a new guest take the place of one of no use.

        Args:
            how: it died, or what it cannot do any more.

        Returns:
            The profile with the file handle of the server there.

        Raises:
            TargetError: the new one does not come up.
        """
        with told_of_the_target():
            self._guest.replace(how)
        self._meet()
        return self.profile

    def asked_again(self) -> Profile:
        """The profile with the file handle of a server whose files were made anew.

        Raises:
            TargetError: it gives none out.
        """
        self._ask_for_handle()
        return self.profile

    def close(self) -> None:
        """Leave the realm, if there is one.  Twice is allowed."""
        if self._realm is not None:
            self._realm.close()
            self._realm = None

    def _meet(self) -> None:
        """Get what calls to the server in this guest need."""
        self.close()
        self._join()
        self._ask_for_handle()

    def _join(self) -> None:
        """Make a realm for the server, if it is to have one and has left the last."""
        if self.profile.claims.kerberos and self._realm is None:
            with told_of_the_target():
                self._realm = ServerRealm(self._guest.current.agent, self.profile.extra.export)

    def _ask_for_handle(self) -> None:
        if self._is_asked:
            handle = _handle(self._guest, self.profile)
            extra = msgspec.structs.replace(self.profile.extra, root_handle=handle)
            self.profile = msgspec.structs.replace(self.profile, extra=extra)


class GuestServerSession(NetworkSession):
    """The running server: its kernel can die, and it can be started again."""

    def __init__(self, target: GuestServerTarget, guest: RunGuest) -> None:
        """Take a server in a guest that is set up.

        Args:
            target: of the server.
            guest: which holds it.
        """
        profile = target.profile
        address = Address(profile.extra.address, profile.extra.port)
        super().__init__(self._reach(profile, guest), address)
        self._profile = profile
        self._guest = guest
        self._target = target
        self._is_program = profile.lab is not None and bool(profile.lab.start)

    @property
    def initiator(self) -> GssInitiator | None:
        """What makes contexts with the server in the guest that is there."""
        return self._target.initiator

    def alive(self) -> str | None:
        """How the guest died, or the server that the profile has started in it."""
        died = self._guest.current.alive()
        if died or not self._is_program:
            return died
        try:
            return self._guest.current.agent.ended() or None
        except LabError as error:
            return self._guest.current.alive() or f"the guest does not answer: {error}"

    def console(self) -> str:
        """What the guest's kernel has printed."""
        return self._guest.current.log()

    def usage(self) -> Usage | None:
        """What the server holds, which is its kernel or a program in it, and its kernel."""
        try:
            return self._guest.current.agent.usage()
        except LabError:
            return None

    def restart(self) -> None:
        """Start the server again in its guest, or else in a new guest.

        Raises:
            TargetError: the new one does not come up, or gives out another file handle.
        """
        self._again(self._guest.current.agent.restart)

    def renew(self) -> None:
        """As `restart`, with the exported files as they were at first; raises as that."""
        if self._again(self._guest.current.agent.renew):
            self._go_on(self._target.asked_again())

    def _again(self, start: Callable[[float], None]) -> bool:
        """Start the server in its guest, or else in a new one; returns whether it was the first."""
        problem = self._guest.current.alive() or self._start_in_place(start)
        if problem:
            self._move(problem)
        return not problem

    def _start_in_place(self, start: Callable[[float], None]) -> str:
        """Returns why that does not do; a guest that lives may be in disorder all the same."""
        self.fabric.trace = Trace()  # it belongs to no case
        lab = self._profile.lab
        problem: Exception | None
        try:
            start(lab.ready if lab and lab.start else 0.0)
        except LabError as error:
            problem = error
        else:
            problem = answers(self._profile, self.fabric, self._profile.connect_deadline)
        if problem is None:
            return ""
        return self._guest.current.alive() or f"the server cannot be started again: {problem}"

    def _move(self, problem: str) -> None:
        profile = self._target.replace(problem)
        self.fabric.close()
        self.fabric = self._reach(profile, self._guest)
        self._go_on(profile)

    def _go_on(self, profile: Profile) -> None:
        if profile.extra.root_handle != self._profile.extra.root_handle:
            raise TargetError(
                "the server that was started again has another file handle for"
                f" {self._profile.extra.export}; certify what is left in a run of its own"
            )

    def close(self) -> None:
        """Release the fabric, and leave the realm."""
        super().close()
        self._target.close()

    @staticmethod
    def _reach(profile: Profile, guest: RunGuest) -> RoceFabric:
        fabric = fabric_to(guest.current, neighbour_of(profile.extra.address))
        # A server that is stopped says good-bye on its connections and waits for an answer.
        guest.current.agent.meanwhile(fabric.device.progress)
        return fabric


def guest_of(
    profile: Profile, kernel: str, told: Callable[[GuestEnd], None], *, testers: int = 1
) -> RunGuest:
    """A guest that holds a profile's device: the one that is up, or else a new one, that boots.

    Args:
        profile: of the device.
        kernel: release or image; the profile's choice, or the newest, if empty.
        told: is told of each guest whose place another one takes.
        testers: how many can use it at one time.

    Raises:
        LabError: there is none, and none can be started.
    """
    chosen = kernel or (profile.lab.kernel if profile.lab else "")
    return RunGuest.begin(setup_of(profile, testers), chosen or None, told)


def guest_target(profile: Profile, guest: RunGuest) -> Target | ClientTarget:
    """The target that a profile's device is, in this guest.

    Raises:
        TargetError: the profile does not say how it acts.
    """
    if profile.adapter == "command":
        return GuestClientTarget(profile, guest)
    return GuestServerTarget(profile, guest)


def _handle(guest: RunGuest, profile: Profile) -> str:
    """What the server's MOUNT service says by TCP, which only the guest itself can ask.

    Raises:
        TargetError: it does not say.
    """
    extra = profile.extra
    call = mount_request(extra.export, rpc.auth_sys(extra.uid, extra.gid))
    try:
        reply = guest.current.agent.exchange(
            extra.address, extra.mount_port, call, profile.deadline
        )
        return mounted_handle(reply).hex()
    except (LabError, DecodeError, MountRefused) as error:
        raise TargetError(f"the guest's server does not mount {extra.export}: {error}") from error
