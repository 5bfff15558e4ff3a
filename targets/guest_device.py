"""A device in a standing guest: the tester is outside and reaches it by frames, over RoCEv2.

    with guest_of(profile, kernel, print) as guest:  # boots meanwhile
        target = guest_target(profile, guest)

The guest holds the kernel's server or client, or a program that the profile's `[lab]` starts.  Its
agent starts a server anew, runs what makes a client act, and knows when the guest's kernel died.

A device is started again in its guest if that will do.  If the guest is dead, or does not do it,
another one takes its place, with a fabric of its own towards it; one for each `restart`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import DecodeError, FabricError
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.trace import Trace
from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.mount3 import KERBEROS_FLAVORS, MountProgram
from targets.base import TargetError
from targets.guest_share import GuestServerShare, fabric_to
from targets.kerberos.client import CONTEXTS_PORT, ClientRealm
from targets.lab.errors import LabError
from targets.network import NetworkSession
from targets.nfs.mount_client import MountRefused, mount_request, mounted_handle
from targets.ping import ping
from targets.profile import Binding
from targets.standing.addresses import neighbour_of
from targets.standing.place import GuestPlace
from targets.standing.run_guest import RunGuest
from targets.standing.setup_of import setup_of
from targets.upper_tester.client import CommandSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.fabric.base import Fabric
    from rpcrdma.roce.fabric import RoceFabric
    from rpcrdma.ulp.gss_context import GssMechanism
    from targets.base import Act, ActKind, ClientTarget, RunningAct, Target
    from targets.profile import Profile
    from targets.standing.run_guest import GuestEnd

__all__ = [
    "GuestClientSession",
    "GuestClientTarget",
    "GuestServerSession",
    "GuestServerTarget",
    "guest_of",
    "guest_target",
]


_ANYWHERE: Final = "0.0.0.0"  # noqa: S104  (of the guest, which nobody else can reach)


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

    def start(self) -> GuestServerSession:
        """Wait until the guest is set up."""
        self._await_ready()
        return GuestServerSession(self.profile, self._guest, self._replace)

    def beside(self, tester: int) -> GuestServerShare:
        """The server for one of several testers (see `targets.shared.SharedTarget`)."""
        self._await_ready()
        return GuestServerShare(self.profile, self._guest.current, tester)

    def _await_ready(self) -> None:
        if not self._was_ready:
            with _told_of_the_target():
                self._guest.current.await_ready()
            self._ask_for_handle()
            self._was_ready = True
        elif died := self._guest.current.alive():
            # Several testers have been there before, and leave a guest that has died.
            self._replace(died)

    def _replace(self, how: str) -> Profile:
        """Take a new guest; returns the profile with the file handle of the server there."""
        with _told_of_the_target():
            self._guest.replace(how)
        self._ask_for_handle()
        return self.profile

    def _ask_for_handle(self) -> None:
        if self._is_asked:
            handle = _handle(self._guest, self.profile)
            extra = msgspec.structs.replace(self.profile.extra, root_handle=handle)
            self.profile = msgspec.structs.replace(self.profile, extra=extra)


class GuestServerSession(NetworkSession):
    """The running server: its kernel can die, and it can be started again."""

    def __init__(
        self, profile: Profile, guest: RunGuest, replace: Callable[[str], Profile]
    ) -> None:
        """Take a server in a guest that is set up.

        Args:
            profile: the server's.
            guest: which holds it.
            replace: has a new guest take the place of one of no use, for the reason that it is
                given; returns the profile of the server there.
        """
        address = Address(profile.extra.address, profile.extra.port)
        super().__init__(self._reach(profile, guest), address)
        self._profile = profile
        self._guest = guest
        self._replace = replace

    def alive(self) -> str | None:
        """How the guest died."""
        return self._guest.current.alive()

    def console(self) -> str:
        """What the guest's kernel has printed."""
        return self._guest.current.log()

    def restart(self) -> None:
        """Start the server again in its guest, or else in a new guest.

        Raises:
            TargetError: the new one does not come up, or gives out another file handle.
        """
        problem = self.alive() or self._start_in_place()
        if problem:
            self._move(problem)

    def _start_in_place(self) -> str:
        """Returns why that does not do; a guest that lives may be in disorder all the same."""
        extra = self._profile.extra
        self.fabric.trace = Trace()  # it belongs to no case
        try:
            self._guest.current.agent.restart()
            program = (extra.program, extra.program_version)
            ping(self.fabric, self.address, program, self._profile.connect_deadline)
        except (LabError, FabricError, DecodeError) as error:
            return self.alive() or f"the server cannot be started again: {error}"
        return ""

    def _move(self, problem: str) -> None:
        profile = self._replace(problem)
        self.fabric.close()
        self.fabric = self._reach(profile, self._guest)
        if profile.extra.root_handle != self._profile.extra.root_handle:
            raise TargetError(
                "the server in the new guest has another file handle for"
                f" {self._profile.extra.export}; certify what is left in a run of its own"
            )

    @staticmethod
    def _reach(profile: Profile, guest: RunGuest) -> RoceFabric:
        fabric = fabric_to(guest.current, neighbour_of(profile.extra.address))
        # A server that is stopped says good-bye on its connections and waits for an answer.
        guest.current.agent.meanwhile(fabric.device.progress)
        return fabric


class GuestClientTarget:
    """A client in a guest that commands bring to act (see `targets.base.ClientTarget`)."""

    def __init__(self, profile: Profile, guest: RunGuest) -> None:
        if profile.acts is None:
            raise TargetError(f"profile `{profile.name}` has no table [acts]")
        self.name = profile.name
        self._guest = guest
        self._address = profile.extra.address
        # The tester listens beside the guest, not in it.
        extra = msgspec.structs.replace(profile.extra, address=neighbour_of(profile.extra.address))
        self.profile = msgspec.structs.replace(profile, extra=extra)
        self._acts = profile.acts

    def start_client(self) -> GuestClientSession:
        """Wait until the guest is set up, and make a Kerberos realm if the client is to use one."""
        if not self.profile.claims.kerberos:
            return GuestClientSession(self._guest, self._begin)
        with _told_of_the_target():
            realm = ClientRealm()
        try:
            return GuestClientSession(self._guest, lambda: self._begin(realm), realm)
        except BaseException:
            realm.close()
            raise

    def _begin(self, realm: ClientRealm | None = None) -> CommandSession:
        """The client in the guest that is there now."""
        guest = self._guest.current
        with _told_of_the_target():
            place = GuestPlace(guest, self._address)
        agent = guest.agent
        fabric = fabric_to(guest, self.profile.extra.address)
        agent.meanwhile(fabric.device.progress)
        if realm is not None:
            return self._in_a_realm(realm, fabric, place)
        if not self._acts.use("mount_port"):
            return CommandSession(self.profile, self._acts, fabric, None, place)
        mounts = agent.serve_calls(self._address, MountProgram(FileStore()).execute)
        fabric.attach(agent.client.pump)
        return CommandSession(self.profile, self._acts, fabric, mounts, place)

    def _in_a_realm(
        self, realm: ClientRealm, fabric: RoceFabric, place: GuestPlace
    ) -> CommandSession:
        """The client, whose contexts are made by TCP where MOUNT is, too."""
        extra, agent = self.profile.extra, self._guest.current.agent
        served = realm.by_tcp(
            extra.program, extra.program_version, MountProgram(FileStore(), KERBEROS_FLAVORS)
        )
        with _told_of_the_target():
            realm.set_up(agent, extra.address, self._address)
            by_tcp = agent.serve_calls(_ANYWHERE, served.execute, CONTEXTS_PORT, routed=True)
        fabric.attach(agent.client.pump)
        mechanism = realm.mechanism
        return CommandSession(self.profile, self._acts, fabric, by_tcp, place, mechanism)


class GuestClientSession:
    """The running client, in one guest after the other (see `targets.base.ClientSession`)."""

    def __init__(
        self,
        guest: RunGuest,
        begin: Callable[[], CommandSession],
        realm: ClientRealm | None = None,
    ) -> None:
        """Take a client.

        Args:
            guest: which holds it.
            begin: takes the client in the guest that is there.
            realm: of its contexts, which ends with the session; None if it makes none.
        """
        self._guest = guest
        self._realm = realm
        self._begin = begin
        self._client = begin()

    @property
    def fabric(self) -> Fabric:
        """The tester's, towards the guest that is there."""
        return self._client.fabric

    @property
    def listen_address(self) -> Address:
        """Beside the guest."""
        return self._client.listen_address

    @property
    def acts(self) -> frozenset[ActKind]:
        """What the profile has a command for."""
        return self._client.acts

    @property
    def mechanism(self) -> GssMechanism | None:
        """What gives out contexts, the same in each guest."""
        return None if self._realm is None else self._realm.mechanism

    def prepare(self, address: Address) -> RunningAct:
        """Have the client connect."""
        return self._client.prepare(address)

    def begin(self, act: Act) -> RunningAct:
        """Have it act."""
        return self._client.begin(act)

    def alive(self) -> str | None:
        """How the guest died."""
        return self._client.alive()

    def console(self) -> str:
        """What the guest's kernel has printed."""
        return self._guest.current.log()

    def restart(self) -> None:
        """Undo what `prepare` did, or else go on in a new guest.

        Raises:
            TargetError: the new one does not come up.
        """
        try:
            self._client.restart()
        except TargetError as error:
            problem = self.alive() or str(error)
        else:
            return
        self._client.close()
        with _told_of_the_target():
            self._guest.replace(problem)
        self._client = self._begin()

    def close(self) -> None:
        """Undo what `prepare` did, and release the fabric."""
        self._client.close()
        if self._realm is not None:
            self._realm.close()


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


@contextmanager
def _told_of_the_target() -> Iterator[None]:
    """Tell what the lab cannot do as something that the target cannot: it does not come up."""
    try:
        yield
    except LabError as error:
        raise TargetError(str(error)) from error
