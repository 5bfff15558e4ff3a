"""A device in a standing guest: the tester is outside and reaches it by frames, over RoCEv2.

    with guest_of(profile) as guest:                 # boots meanwhile
        target = guest_target(profile, guest)

The guest holds the kernel's server or client, or a program that the profile's `[lab]` starts.  Its
agent starts a server anew, runs what makes a client act, and knows when the guest's kernel died.
"""

from __future__ import annotations

import ipaddress
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import DecodeError
from rpcrdma.fabric.base import Address
from rpcrdma.roce.fabric import RoceFabric
from rpcrdma.roce.link.netdev import NetdevLink
from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.mount3 import MountProgram
from targets.base import TargetError
from targets.lab.errors import LabError
from targets.lab.setup import Network
from targets.network import NetworkSession
from targets.nfs.mount_client import MountRefused, mount_request, mounted_handle
from targets.profile import Binding
from targets.standing.place import GuestPlace
from targets.standing.setup_of import setup_of
from targets.standing.stay import guest_for
from targets.upper_tester.client import CommandSession

if TYPE_CHECKING:
    from collections.abc import Iterator

    from targets.base import ClientTarget, Target
    from targets.profile import Profile
    from targets.standing.guest import StandingGuest

__all__ = ["GuestClientTarget", "GuestServerTarget", "guest_of", "guest_target", "neighbour_of"]

_MTU: Final = Network().mtu


def neighbour_of(guest: str) -> str:
    """The tester's address beside that of the guest: the next one."""
    return str(ipaddress.ip_address(guest) + 1)


class GuestServerTarget:
    """A server in a guest (see `targets.base.Target`).

    Attributes:
        profile: with the file handle that NFSv3 begins with, once it was started.
    """

    def __init__(self, profile: Profile, guest: StandingGuest) -> None:
        self.name = profile.name
        self.profile = profile
        self._guest = guest

    def start(self) -> GuestServerSession:
        """Wait until the guest is set up."""
        with _told_of_the_target():
            self._guest.await_ready()
        if self.profile.binding is Binding.NFS3 and not self.profile.extra.root_handle:
            self.profile = self._with_handle()
        fabric = _fabric(self._guest, neighbour_of(self.profile.extra.address))
        return GuestServerSession(self.profile, self._guest, fabric)

    def _with_handle(self) -> Profile:
        """What the server's MOUNT service says by TCP, which only the guest itself can ask."""
        extra = self.profile.extra
        credential = rpc.auth_sys(extra.uid, extra.gid)
        call = mount_request(extra.export, credential)
        try:
            reply = self._guest.agent.exchange(
                extra.address, extra.mount_port, call, self.profile.deadline
            )
            handle = mounted_handle(reply)
        except (LabError, DecodeError, MountRefused) as error:
            raise TargetError(
                f"the guest's server does not mount {extra.export}: {error}"
            ) from error
        known = msgspec.structs.replace(extra, root_handle=handle.hex())
        return msgspec.structs.replace(self.profile, extra=known)


class GuestServerSession(NetworkSession):
    """The running server: its kernel can die, and it can be started again."""

    def __init__(self, profile: Profile, guest: StandingGuest, fabric: RoceFabric) -> None:
        self._guest = guest
        is_ours = profile.lab is not None and (profile.lab.nfsd or bool(profile.lab.start))
        again = guest.agent.restart if is_ours else None
        super().__init__(fabric, Address(profile.extra.address, profile.extra.port), again)
        # A server that is stopped says good-bye on its connections and waits for an answer.
        guest.agent.meanwhile(fabric.device.progress)

    def alive(self) -> str | None:
        """How the guest died."""
        return self._guest.alive()


class GuestClientTarget:
    """A client in a guest that commands bring to act (see `targets.base.ClientTarget`)."""

    def __init__(self, profile: Profile, guest: StandingGuest) -> None:
        if profile.acts is None:
            raise TargetError(f"profile `{profile.name}` has no table [acts]")
        self.name = profile.name
        self._guest = guest
        self._address = profile.extra.address
        # The tester listens beside the guest, not in it.
        extra = msgspec.structs.replace(profile.extra, address=neighbour_of(profile.extra.address))
        self.profile = msgspec.structs.replace(profile, extra=extra)
        self._acts = profile.acts

    def start_client(self) -> CommandSession:
        """Wait until the guest is set up."""
        with _told_of_the_target():
            place = GuestPlace(self._guest, self._address)
        agent = self._guest.agent
        fabric = _fabric(self._guest, self.profile.extra.address)
        agent.meanwhile(fabric.device.progress)
        if not self._acts.use("mount_port"):
            return CommandSession(self.profile, self._acts, fabric, None, place)
        mounts = agent.serve_calls(self._address, MountProgram(FileStore()).execute)
        fabric.attach(agent.client.pump)
        return CommandSession(self.profile, self._acts, fabric, mounts, place)


def guest_of(profile: Profile, kernel: str = "") -> StandingGuest:
    """A guest that holds a profile's device: the one that is up, or else a new one, that boots.

    Args:
        profile: of the device.
        kernel: release or image; the profile's choice, or the newest, if empty.

    Raises:
        LabError: there is none, and none can be started.
    """
    chosen = kernel or (profile.lab.kernel if profile.lab else "")
    return guest_for(setup_of(profile), chosen or None)


def guest_target(profile: Profile, guest: StandingGuest) -> Target | ClientTarget:
    """The target that a profile's device is, in this guest.

    Raises:
        TargetError: the profile does not say how it acts.
    """
    if profile.adapter == "command":
        return GuestClientTarget(profile, guest)
    return GuestServerTarget(profile, guest)


@contextmanager
def _told_of_the_target() -> Iterator[None]:
    """Tell what the lab cannot do as something that the target cannot: it does not come up."""
    try:
        yield
    except LabError as error:
        raise TargetError(str(error)) from error


def _fabric(guest: StandingGuest, address: str) -> RoceFabric:
    link = NetdevLink(guest.files.tester_socket, guest.files.guest_socket, address, mtu=_MTU)
    return RoceFabric(link)
