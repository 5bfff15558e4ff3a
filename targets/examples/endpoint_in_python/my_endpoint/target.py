"""What the entry point names: `MyTarget(profile, fabric)` (see `targets.base.Target`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from targets.base import TargetError
from targets.reference.server_parts import REFERENCE, server_factory

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Fabric
    from targets.profile import Profile

__all__ = ["MySession", "MyTarget"]


class MySession:
    """The endpoint while it runs (see `targets.base.Session`)."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._begin()

    def _begin(self) -> None:
        """Put tester and endpoint on a network of their own."""
        network = LoopbackNetwork()
        self.fabric: Fabric = network.fabric("tester")
        self._device = network.fabric("dut")
        wanted = self._profile.extra
        listen = Address(network.host("dut", wanted.address), wanted.port)
        # In the place of the next two lines comes your endpoint: it listens on `self._device`, and
        # does what there is to do whenever it is given a turn, without waiting for anything.
        make = server_factory(REFERENCE, self._profile.claims.versions)
        self._endpoint = Server(self._device, listen, make)
        self._device.attach(self._endpoint.step)

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._endpoint.address

    def alive(self) -> str | None:
        """How it failed, if it did."""
        return self._endpoint.failure

    def restart(self) -> None:
        """Begin again, whatever state it is in."""
        self.close()
        self._begin()

    def close(self) -> None:
        """Stop it and release both ends of the network."""
        self._endpoint.close()
        self._device.close()
        self.fabric.close()


class MyTarget:
    """The endpoint as a target.

    Args:
        profile: as it was written.
        fabric: that was asked for; empty for the usual one.
    """

    def __init__(self, profile: Profile, fabric: str = "") -> None:
        if fabric not in ("", "loopback"):
            raise TargetError(f"`{profile.name}` runs on loopback alone; drop --fabric {fabric}")
        self.name = profile.name
        self.profile = profile

    def start(self) -> MySession:
        """Set it going."""
        return MySession(self.profile)
