"""Any server at an address and port: somebody else starts it, the suite only connects.

The tester stands on an RDMA device of this host (verbs) or, where there is none, speaks RoCEv2 by
itself (roce).  The kernel's server in the lab can be started again after it has died.  Any other
server cannot from here, so the cases after its death are inconclusive.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from rpcrdma.fabric.base import Address
from targets.base import TargetError
from targets.fabrics import BETWEEN, OUTSIDE_OF_THE_GUEST, chosen_fabric, fabric_towards
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.lab.nfsd import restart_nfsd

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Fabric
    from targets.profile import Profile

__all__ = ["NetworkSession", "NetworkTarget", "start_again"]


class NetworkSession:
    """A server that runs elsewhere.

    Args:
        fabric: where the tester stands.
        address: where the server listens.
        start_again: how to start it again, raising `LabError`; None if there is no way.
    """

    def __init__(
        self, fabric: Fabric, address: Address, start_again: Callable[[], None] | None = None
    ) -> None:
        self.fabric = fabric
        self.address = address
        self._start_again = start_again

    def alive(self) -> str | None:
        """Nothing can be told from here."""
        return None

    def restart(self) -> None:
        """Start the server again, if it is the lab's.

        Raises:
            TargetError: there are no means to, or it does not come up.
        """
        if self._start_again is None:
            raise TargetError(
                f"the server at {self.address} cannot be started from here; start it again by hand"
            )
        try:
            self._start_again()
        except LabError as error:
            raise TargetError(f"the server cannot be started again: {error}") from error

    def close(self) -> None:
        """Release the fabric."""
        self.fabric.close()


class NetworkTarget:
    """A server by its profile: see `targets.base.Target`."""

    def __init__(self, profile: Profile, fabric: str = "") -> None:
        if fabric not in ("", *BETWEEN):
            raise TargetError(
                f"`{profile.name}` is reached over {' or '.join(BETWEEN)}, not over {fabric};"
                " drop --fabric"
            )
        self.name = profile.name
        self.profile = profile
        self._fabric = chosen_fabric(fabric, profile)

    def start(self) -> NetworkSession:
        """Open the fabric; the server is contacted only by the suite."""
        if self.profile.claims.kerberos:
            raise TargetError(OUTSIDE_OF_THE_GUEST.format(self.name))
        extra = self.profile.extra
        address = Address(extra.address, extra.port)
        fabric = fabric_towards(self._fabric, extra.address)
        return NetworkSession(fabric, address, start_again(self.profile))


def start_again(profile: Profile) -> Callable[[], None] | None:
    """What starts a profile's server again here: only in the lab, and only the kernel's."""
    if INSIDE not in os.environ or profile.lab is None or not profile.lab.nfsd:
        return None
    return partial(restart_nfsd, profile.extra.port)
