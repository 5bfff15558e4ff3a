"""A server that a profile starts on this host (`[extra] server`), watched by whoever tests it.

    server = HostServer(profile, fabric, OUT / "lab")
    server.start()      # ready when it has answered a NULL call
    server.alive()      # "", or "the server was ended by SIGSEGV; it said last: ..."

In a guest `[lab] start` does that (`targets.lab.server`), where one sign more tells that a server
is ready: the kernel's list of listeners.  A server over UDP is in no list, so here it is called.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, FabricError
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.trace import Trace
from targets.lab.held_here import held_here
from targets.lab.logs import SERVER_LOG
from targets.lab.server import Sign, StartedServer
from targets.lab.setup import LabServer, ServerKind
from targets.ping import ping
from targets.profile import timeout_factor
from targets.usage import Usage

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Fabric
    from targets.profile import Profile

__all__ = ["HostServer", "answers"]

_ANSWER_S: Final = 1.0
"""For one NULL call; a server that is not there yet may leave it without any answer."""


class HostServer(StartedServer):
    """The profile's server on this host, as a process of ours.

    Args:
        profile: whose `[extra]` says how to start it, and where it is then.
        fabric: where the tester stands.
        logs: folder in which its output is left; nowhere if None.
    """

    def __init__(self, profile: Profile, fabric: Fabric, logs: Path | None) -> None:
        extra = profile.extra
        self._folder = None if logs else tempfile.TemporaryDirectory(prefix="rpcrdma-server-")
        folder = logs or Path(self._folder.name if self._folder else "")
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / SERVER_LOG

        def look() -> int | None:
            problem = answers(profile, fabric, _ANSWER_S * timeout_factor())
            return None if problem else 0

        super().__init__(
            LabServer(
                ServerKind.COMMAND,
                extra.server,
                extra.port,
                ready_s=extra.ready * timeout_factor(),
            ),
            log,
            Sign(
                look,
                f"nothing answers a call at {Address(extra.address, extra.port)}",
                f"its output is in {log}" if logs else "start it by hand to see what it says",
                "`ready` of [extra]",
            ),
        )

    def usage(self) -> Usage:
        """What it holds, with all of its group; this host's kernel has others to serve as well."""
        return held_here(self.process) or Usage()

    def close(self) -> None:
        """Stop it, and forget its output unless that was to be left.  Twice is allowed."""
        self.stop()
        if self._folder is not None:
            self._folder.cleanup()


def answers(profile: Profile, fabric: Fabric, seconds: float) -> Exception | None:
    """Whether a profile's server answers a NULL call; returns what is wrong if it does not.

    Args:
        profile: of the server.
        fabric: where the tester stands; its trace, which is a case's, is spared.
        seconds: for the connection, and for the call.
    """
    extra = profile.extra
    trace, fabric.trace = fabric.trace, Trace()
    try:
        program = (extra.program, extra.program_version)
        ping(fabric, Address(extra.address, extra.port), program, seconds)
    except (FabricError, DecodeError) as error:
        return error
    finally:
        fabric.trace = trace
    return None
