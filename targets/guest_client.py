"""A client in a standing guest that commands bring to act: the tester is outside and listens there.

A client is started again in its guest if that will do; otherwise in another guest, with a fabric of
its own towards it; one for each `restart`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.mount3 import KERBEROS_FLAVORS, MountProgram
from targets.base import TargetError
from targets.guest_share import fabric_to
from targets.kerberos.client import CONTEXTS_PORT, ClientRealm
from targets.lab.errors import LabError
from targets.standing.addresses import neighbour_of
from targets.standing.place import GuestPlace
from targets.upper_tester.client import CommandSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.fabric.base import Address, Fabric
    from rpcrdma.roce.fabric import RoceFabric
    from rpcrdma.ulp.gss_context import GssMechanism
    from targets.base import Act, ActKind, RunningAct
    from targets.profile import Profile
    from targets.standing.run_guest import RunGuest
    from targets.usage import Usage

__all__ = ["GuestClientSession", "GuestClientTarget", "told_of_the_target"]

_ANYWHERE: Final = "0.0.0.0"  # noqa: S104  (of the guest, which nobody else can reach)


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
        with told_of_the_target():
            realm = ClientRealm()
        try:
            return GuestClientSession(self._guest, lambda: self._begin(realm), realm)
        except BaseException:
            realm.close()
            raise

    def _begin(self, realm: ClientRealm | None = None) -> CommandSession:
        """The client in the guest that is there now."""
        guest = self._guest.current
        with told_of_the_target():
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
        with told_of_the_target():
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

    def usage(self) -> Usage | None:
        """What the client holds, in the guest that is there."""
        return self._client.usage()

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
        with told_of_the_target():
            self._guest.replace(problem)
        self._client = self._begin()

    def close(self) -> None:
        """Undo what `prepare` did, and release the fabric."""
        self._client.close()
        if self._realm is not None:
            self._realm.close()


@contextmanager
def told_of_the_target() -> Iterator[None]:
    """Tell what the lab cannot do as something that the target cannot: it does not come up."""
    try:
        yield
    except LabError as error:
        raise TargetError(str(error)) from error
