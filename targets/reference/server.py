"""The reference endpoint as a device under test: the server, which calls back if it is asked to.

On loopback and on the switch it lives in the tester's own process and gets its turns from the
tester's polling.  Over `roce` and `verbs` it is a process of its own,
`targets.reference.server_process`.  Each connection has the test
program, the programs that have the server make backward Calls and see to its properties, and NFSv3
and NFSv4 with the suite's export.
"""

from __future__ import annotations

import selectors
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.fabric.base import Address
from targets.base import TargetError
from targets.endings import words_of_end
from targets.fabrics import FABRICS, IN_PROCESS, open_hosts
from targets.in_process import make_network, require_switch, usage_of_fabric
from targets.reference.device_process import parse_address, process_of, stop_process
from targets.reference.server_parts import REFERENCE, VERSIONS, Parts, server_factory
from targets.usage import Resource, Usage, usage_of_process

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Fabric
    from targets.base import Session
    from targets.in_process import InProcessNetwork
    from targets.profile import Profile

__all__ = [
    "InProcessSession",
    "ProcessSession",
    "ReferenceTarget",
]

START_DEADLINE: Final = 60.0
"""Seconds until the process must listen: Python alone takes 25 in a busy machine without KVM."""


class InProcessSession:
    """The endpoint in this process (see `targets.base.Session`)."""

    def __init__(
        self,
        address: Address,
        parts: Parts,
        versions: tuple[int, ...] = VERSIONS,
        fabric: str = "loopback",
    ) -> None:
        self._kind = fabric
        self._wanted = address
        self._parts = parts
        self._versions = versions
        self._begin()

    def _begin(self) -> None:
        # A network of its own each time: nothing of an earlier life is left, and every run is the
        # same run.
        self._network = make_network(self._kind, transport=self._parts.transport)
        self.fabric: Fabric = self._network.fabric("tester")
        self._device = self._network.fabric("dut")
        make = server_factory(self._parts, self._versions)
        host = self._network.host("dut", self._wanted.host)
        self._server = Server(
            self._device, Address(host, self._wanted.port), make, self._parts.driver
        )
        self._device.attach(self._server.step)

    @property
    def network(self) -> InProcessNetwork:
        """The simulated network, for faults."""
        return self._network

    @property
    def address(self) -> Address:
        """Where the device listens."""
        return self._server.address

    def alive(self) -> str | None:
        """How the endpoint failed, if it did."""
        return self._server.failure

    def usage(self) -> Usage | None:
        """What the endpoint has asked its fabric for; None on `switch`, which does not count."""
        usage = usage_of_fabric(self._device)
        pairs = Usage(((Resource.QUEUE_PAIRS, self._server.connections),))
        return None if usage is None else usage.with_more(pairs)

    def restart(self) -> None:
        """Start again on a new network."""
        self.close()
        self._begin()

    def close(self) -> None:
        """Stop the device and release the fabrics."""
        self._server.close()
        self._device.close()
        self.fabric.close()


class ProcessSession:
    """The endpoint in a process of its own (see `targets.base.Session`).

    Args:
        fabric: `roce` or `verbs`.
        address: the profile's; over `roce`, the pair of addresses is ours to choose.
        replaced: name of a mutant or variant, `mutant:...`; empty: the reference itself.
        versions: to be spoken.
    """

    def __init__(
        self, fabric: str, address: Address, replaced: str, versions: tuple[int, ...] = VERSIONS
    ) -> None:
        self._kind = fabric
        self._replaced = replaced
        self._versions = versions
        self.fabric: Fabric
        self.fabric, _, host = open_hosts(fabric, address.host)
        self._wanted = Address(host, address.port)
        try:
            self.process, self.address = self._begin()
        except TargetError:
            self.fabric.close()
            raise

    def _begin(self) -> tuple[subprocess.Popen[str], Address]:
        command = [sys.executable, "-m", *process_of("server", self._replaced)]
        command += ["--fabric", self._kind, "--listen", str(self._wanted)]
        command += ["--versions", *map(str, self._versions)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            return process, parse_address(_first_line(process))
        except (TargetError, ValueError) as error:
            stop_process(process)
            raise TargetError(
                f"the reference endpoint does not listen at {self._wanted}: {error}"
            ) from error

    def alive(self) -> str | None:
        """How the process ended, if it did."""
        status = self.process.poll()
        return None if status is None else f"the process {words_of_end(status)}"

    def usage(self) -> Usage | None:
        """What the process holds."""
        return usage_of_process(self.process.pid)

    def restart(self) -> None:
        """Start the process again."""
        stop_process(self.process)
        self.process, self.address = self._begin()

    def close(self) -> None:
        """End the process and release the fabric."""
        stop_process(self.process)
        self.fabric.close()


class ReferenceTarget:
    """The reference endpoint, a mutant or a variant of it (see `targets.base.Target`)."""

    def __init__(
        self, profile: Profile, fabric: str = "", *, parts: Parts = REFERENCE, replaced: str = ""
    ) -> None:
        if fabric not in ("", *FABRICS):
            raise TargetError(f"there is no fabric `{fabric}`: there are {', '.join(FABRICS)}")
        self.name = replaced or profile.name
        self.profile = profile
        self._fabric = fabric or "loopback"
        self._parts = parts
        self._replaced = replaced
        require_switch(parts.transport, self._fabric)

    def start(self) -> Session:
        """Set the endpoint going."""
        extra, versions = self.profile.extra, self.profile.claims.versions
        address = Address(extra.address, extra.port)
        if self._fabric not in IN_PROCESS:
            return ProcessSession(self._fabric, address, self._replaced, versions)
        return InProcessSession(address, self._parts, versions, self._fabric)


def _first_line(process: subprocess.Popen[str]) -> str:
    """What the process prints first: its address."""
    if process.stdout is None:
        raise TargetError("the process has no output")
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(START_DEADLINE):
            raise TargetError(f"nothing was heard of it within {START_DEADLINE:.0f} s")
    line = process.stdout.readline()
    if not line:
        raise TargetError("the process ended; what it said is on standard error")
    return line
