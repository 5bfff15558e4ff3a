"""Any server at an address and port: somebody else starts it, the suite only connects.

The tester stands on a verbs fabric.  A server that dies cannot be started again from here, so the
cases after its death are inconclusive; a lab profile with a `start` command does better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.fabric.base import Address
from targets.base import TargetError, Unsupported

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Fabric
    from targets.base import Stimulus
    from targets.profile import Profile

__all__ = ["NetworkSession", "NetworkTarget"]


class NetworkSession:
    """A server that runs elsewhere."""

    def __init__(self, fabric: Fabric, address: Address) -> None:
        self.fabric = fabric
        self.address = address

    def alive(self) -> str | None:
        """Nothing can be told from here."""
        return None

    def restart(self) -> None:
        """There are no means to.

        Raises:
            TargetError: always.
        """
        raise TargetError(
            f"the server at {self.address} does not serve any more and cannot be started from here;"
            " start it again by hand"
        )

    def stimulate(self, stimulus: Stimulus) -> None:
        """A server acts only on calls.

        Raises:
            Unsupported: always.
        """
        raise Unsupported(f"a server at an address cannot be made to `{stimulus.action}`")

    def close(self) -> None:
        """Release the fabric."""
        self.fabric.close()


class NetworkTarget:
    """A server by its profile: see `targets.base.Target`."""

    def __init__(self, profile: Profile, fabric: str = "") -> None:
        if fabric not in ("", "verbs"):
            raise TargetError(
                f"`{profile.name}` is reached over verbs, not over {fabric}; drop --fabric"
            )
        self.name = profile.name
        self.profile = profile

    def start(self) -> NetworkSession:
        """Open the device; the server is contacted only by the suite."""
        # Only here is pyverbs needed, which a machine without RDMA does not have.
        from rpcrdma.fabric.verbs import VerbsFabric

        extra = self.profile.extra
        return NetworkSession(VerbsFabric(), Address(extra.address, extra.port))
