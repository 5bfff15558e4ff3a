"""Any client that is driven by commands: a file system client, a program with a command line.

The tester stands on the device that has the profile's address and listens there; the commands of
the profile's table `[acts]` (see `targets.acts`), or a program that stays, make the
client connect and act.  What the client stores is `pattern(length)` of `rpcrdma.ulp.pattern`,
unless its commands use no `{content}`.

A client may hang: commands are stopped by their deadlines, and whatever `release` does is tried
before each new `prepare`, so that one case leaves nothing to the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from rpcrdma.fabric.base import Address
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.mount3 import MountProgram
from rpcrdma.ulp.pattern import pattern
from targets.acts import uses
from targets.base import TargetError
from targets.fabrics import BETWEEN, OUTSIDE_OF_THE_GUEST, chosen_fabric, open_fabric
from targets.nfs.mount_service import MountService
from targets.profile import timeout_factor
from targets.upper_tester.commands import CommandActs, InTurn
from targets.upper_tester.local_place import LocalPlace

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Fabric
    from rpcrdma.ulp.gss_context import GssMechanism
    from targets.acts import Acts
    from targets.base import Act, ActKind, ClientSession, RunningAct
    from targets.profile import Profile
    from targets.upper_tester.commands import CommandRun
    from targets.upper_tester.place import ClientPlace
    from targets.usage import Usage

__all__ = ["CommandClientTarget", "CommandSession", "Mounts"]

STOP_DEADLINE: Final = 5.0
"""Seconds until stopped commands must be gone."""


class Mounts(Protocol):
    """A MOUNT service that the client can reach."""

    @property
    def port(self) -> int:
        """TCP port, at the client's own address or the tester's."""
        ...

    def close(self) -> None:
        """Serve no longer.  Twice is allowed."""
        ...


class CommandSession:
    """A client that is driven by commands (see `targets.base.ClientSession`)."""

    def __init__(
        self,
        profile: Profile,
        acts: Acts,
        fabric: Fabric,
        mounts: Mounts | None = None,
        place: ClientPlace | None = None,
        mechanism: GssMechanism | None = None,
    ) -> None:
        """Take the client as it is: nothing is run before `prepare`.

        Args:
            profile: the client's; its address is where the tester listens.
            acts: its commands.
            fabric: the tester's.
            mounts: whose port the commands name, if they do.
            place: where the client is; this machine if None.
            mechanism: gives out contexts of RPCSEC_GSS to the client; None if there are none.
        """
        self.fabric = fabric
        self.listen_address = Address(profile.extra.address, profile.extra.port)
        self.mechanism = mechanism
        self._table = acts
        self._mounts = mounts
        self._place = place or LocalPlace(kernel_log=acts.kernel_log)
        self._values: dict[str, str] = {}
        self._upper = CommandActs(acts, self._place, {"LC_ALL": "C.UTF-8"})
        self._closed = False

    @property
    def acts(self) -> frozenset[ActKind]:
        """What the profile has a command for."""
        return self._upper.kinds

    def prepare(self, address: Address) -> RunningAct:
        """Undo what an earlier `prepare` did, and have the client connect."""
        starts = [] if not self._values else self._releases()
        self._upper.abandon()
        values = {"address": address.host, "port": str(address.port), "here": self._table.here}
        values["client_address"] = self._place.address or address.host
        if self._mounts is not None:
            values["mount_port"] = str(self._mounts.port)
        if self._table.use("folder"):
            values["folder"] = self._place.make_folder()
        self._values = values
        prepare = self._table.preparing
        return InTurn(*starts, lambda: self._upper.begin("prepare", prepare, values))

    def begin(self, act: Act) -> RunningAct:
        """Run the command for an act, or tell the resident program.

        Raises:
            Unsupported: the profile has none.
            TargetError: nothing has been prepared, or the command cannot be started.
        """
        command = self._upper.command(act)
        if not self._values:
            raise TargetError("the client has not been told where to connect; prepare it first")
        length = act.length or self._table.any_length
        numbers = {"length": str(length), "offset": str(act.offset), "count": str(act.count)}
        values = {**self._values, **numbers}
        if uses(command, "content"):
            values["content"] = self._place.store(f"content-{length}", pattern(length))
        if uses(command, "output"):
            values["output"] = self._place.new_file()
        return self._upper.begin(act.kind.value, command, values)

    def alive(self) -> str | None:
        """How the client's machine died, or its resident program, if one of them did."""
        return self._place.alive() or self._upper.death() or None

    def usage(self) -> Usage | None:
        """What the client holds: its resident program, or else the kernel that it is."""
        return self._upper.usage()

    def restart(self) -> None:
        """Undo what `prepare` did; a resident program is started again by the next act.

        Raises:
            TargetError: the client's machine is dead, or the client does not let go.
        """
        died = self._place.alive()
        if died:
            raise TargetError(f"{died}; start the machine again")
        if not self._let_go():
            raise TargetError("the client's commands do not end; look for processes that hang")

    def close(self) -> None:
        """Undo what `prepare` did, and release the fabric."""
        if self._closed:
            return
        self._closed = True
        # Without a server a client gives up sooner than with one that has fallen silent.
        self.fabric.close()
        self._let_go()
        if self._mounts is not None:
            self._mounts.close()
        self._place.close()

    def _releases(self) -> list[Callable[[], CommandRun]]:
        command, values = self._table.releasing, self._values
        return [] if command is None else [lambda: self._upper.run("release", command, values)]

    def _let_go(self) -> bool:
        """Stop everything and release; returns whether nothing is left."""
        self._upper.abandon()
        for start in self._releases() if self._values else ():
            # Then it is stopped: an unmount that waits for a server ends when it is told to.
            seconds = min(self._table.deadline, STOP_DEADLINE)
            start().await_end(seconds * timeout_factor())
        self._values = {}
        return self._upper.stop(STOP_DEADLINE)


class CommandClientTarget:
    """A client by its profile: see `targets.base.ClientTarget`."""

    def __init__(self, profile: Profile, fabric: str = "") -> None:
        if fabric not in ("", *BETWEEN):
            raise TargetError(
                "a client that is driven by commands is reached over"
                f" {' or '.join(BETWEEN)}, not over {fabric}"
            )
        if profile.acts is None:
            raise TargetError(
                f"profile `{profile.name}` wants the adapter `command` and has no table [acts];"
                " add one that says which commands make the client act"
            )
        self.name = profile.name
        self.profile = profile
        self._acts = profile.acts
        self._fabric = chosen_fabric(fabric, profile)

    def start_client(self) -> ClientSession:
        """Stand at the profile's address and wait to be told to act."""
        if self.profile.claims.kerberos:
            raise TargetError(OUTSIDE_OF_THE_GUEST.format(self.name))
        host = self.profile.extra.address
        fabric = open_fabric(self._fabric, host)
        if not self._acts.use("mount_port"):
            return CommandSession(self.profile, self._acts, fabric)
        try:
            # Its own files will do: what is asked of it is the handle of the root, a name.
            mounts = MountService(MountProgram(FileStore()), host)
        except TargetError:
            fabric.close()
            raise
        return CommandSession(self.profile, self._acts, fabric, mounts)
