"""Any server at an address and port: the suite connects, and starts it where the profile says how.

The tester stands on an RDMA device of this host (verbs) or, where there is none, speaks RoCEv2 by
itself (roce).  A server that the profile starts, here or in the lab, is started again after it has
died, and so is the kernel's in the lab.  Any other is awaited: whoever supervises it may start it
again.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.base import Address
from targets.base import TargetError
from targets.fabrics import BETWEEN, OUTSIDE_OF_THE_GUEST, chosen_fabric, fabric_towards
from targets.host_server import HostServer, answers
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.lab.held_here import held_here
from targets.lab.kept import kept_server
from targets.lab.nfsd import restart_nfsd
from targets.profile import timeout_factor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpcrdma.fabric.base import Fabric
    from targets.profile import Profile
    from targets.usage import Usage

__all__ = ["NetworkSession", "NetworkTarget", "await_server", "start_again"]

_LOOK_S: Final = 0.2
"""Between two looks for a server that is not there."""


class NetworkSession:
    """A server that runs elsewhere.

    Args:
        fabric: where the tester stands.
        address: where the server listens.
        start_again: how to start it again, raising `LabError`; None if there is no way.
        alive: tells how it ended, or nothing while it runs; None if nothing can be told from here.
        awaited: waits until somebody else has started it again, raising `LabError`.
        usage: tells what it holds; None if nothing can be told from here.
        stop: ends the server, if the session is to.
    """

    def __init__(
        self,
        fabric: Fabric,
        address: Address,
        start_again: Callable[[], None] | None = None,
        alive: Callable[[], str] | None = None,
        awaited: Callable[[], None] | None = None,
        usage: Callable[[], Usage | None] | None = None,
        stop: Callable[[], None] = lambda: None,
    ) -> None:
        self.fabric = fabric
        self.address = address
        self._start_again = start_again
        self._alive = alive
        self._awaited = awaited
        self._usage = usage
        self._stop = stop

    def alive(self) -> str | None:
        """How the server ended, as far as can be told from here."""
        try:
            return None if self._alive is None else self._alive() or None
        except LabError as error:
            return str(error)

    def usage(self) -> Usage | None:
        """What the server holds, as far as can be told from here."""
        return None if self._usage is None else self._usage()

    def restart(self) -> None:
        """Start the server again, or wait until somebody else has.

        Raises:
            TargetError: it does not come up.
        """
        self._bring_back(self._start_again or self._awaited)

    def renew(self) -> None:
        """Start the server again though it may live.

        Raises:
            TargetError: there are no means to, or it does not come up.
        """
        self._bring_back(self._start_again)

    def _bring_back(self, how: Callable[[], None] | None) -> None:
        if how is None:
            raise TargetError(
                f"the server at {self.address} cannot be started from here; start it again by hand"
            )
        try:
            how()
        except LabError as error:
            raise TargetError(f"the server cannot be started again: {error}") from error

    def close(self) -> None:
        """Stop the server if this session has started it, and release the fabric."""
        self._stop()
        self.fabric.close()


class NetworkTarget:
    """A server by its profile: see `targets.base.Target`.

    Attributes:
        logs: folder in which the output of a server that is started here is left; nowhere if None.
    """

    def __init__(self, profile: Profile, fabric: str = "") -> None:
        if fabric not in ("", *BETWEEN):
            raise TargetError(
                f"`{profile.name}` is reached over {' or '.join(BETWEEN)}, not over {fabric};"
                " drop --fabric"
            )
        self.name = profile.name
        self.profile = profile
        self.logs: Path | None = None
        self._fabric = chosen_fabric(fabric, profile)

    @property
    def starts_server(self) -> bool:
        """Whether a session starts the server; in a guest that the lab's own is, it does not."""
        return bool(self.profile.extra.server) and INSIDE not in os.environ

    def start(self) -> NetworkSession:
        """Open the fabric, and start the server if the profile says how.

        Any other is contacted only by the suite.

        Raises:
            TargetError: it does not come up.
            DeviceUnavailable: there is no fabric.
        """
        if self.profile.claims.kerberos:
            raise TargetError(OUTSIDE_OF_THE_GUEST.format(self.name))
        extra = self.profile.extra
        address = Address(extra.address, extra.port)
        fabric = fabric_towards(self._fabric, extra.address)
        if server := kept_server():
            return NetworkSession(fabric, address, server.restart, server.alive, usage=server.usage)
        if self.starts_server:
            return self._started(fabric, address)
        awaited, again = partial(await_server, self.profile, fabric), start_again(self.profile)
        usage = None if again is None else held_here
        return NetworkSession(fabric, address, again, awaited=awaited, usage=usage)

    def _started(self, fabric: Fabric, address: Address) -> NetworkSession:
        server = HostServer(self.profile, fabric, self.logs)
        with ExitStack() as undo:
            undo.callback(fabric.close)
            undo.callback(server.close)
            try:
                server.start()
            except LabError as error:
                raise TargetError(str(error)) from error
            undo.pop_all()
        usage, stop = server.usage, server.close
        return NetworkSession(fabric, address, server.restart, server.alive, usage=usage, stop=stop)


def start_again(profile: Profile) -> Callable[[], None] | None:
    """What starts a profile's server again here: only in the lab, and only the kernel's."""
    if INSIDE in os.environ and profile.lab is not None and profile.lab.nfsd:
        return partial(restart_nfsd, profile.extra.port)
    return None


def await_server(profile: Profile, fabric: Fabric) -> None:
    """Wait until a server that somebody else starts again answers a NULL call.

    Args:
        profile: of the server; `comes_back` are the seconds that it has.
        fabric: where the tester stands.

    Raises:
        LabError: it does not.
    """
    extra = profile.extra
    seconds = extra.comes_back * timeout_factor()
    end = time.monotonic() + seconds
    left = seconds
    while problem := answers(profile, fabric, min(max(left, _LOOK_S), profile.connect_deadline)):
        if left <= 0:
            raise LabError(
                f"waiting for the server at {Address(extra.address, extra.port)}",
                f"it did not come back within {seconds:g} s ({problem})",
                "have it started again, or give it longer by [extra] comes_back",
            ) from problem
        time.sleep(min(_LOOK_S, left))  # who refuses a connection does so at once
        left = end - time.monotonic()
