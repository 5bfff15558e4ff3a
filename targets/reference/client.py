"""The reference endpoint as a device under test, in the Requester role.

On loopback and on the switch it lives in the tester's own process and gets its turns from the
tester's polling.  Over `roce` and `verbs` it is a process of its own:

    python -m targets.reference.client_process [--fabric roce] [--own ADDRESS] [--versions 1 2]

which takes from its standard input where to connect and what to do, and reports on its standard
output how that ended, a JSON object in each line (`targets.reference.client_process`).  The client
calls the test program, and executes it if the server calls back and the profile claims the
backward direction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rpcrdma.fabric.base import Address
from rpcrdma.fabric.memory import HandleAllocator
from targets.base import ActResult, ActState, TargetError
from targets.fabrics import FABRICS, IN_PROCESS, open_hosts
from targets.in_process import make_network, require_switch, usage_of_fabric
from targets.reference.acts import ACTS, UpperTester
from targets.reference.client_parts import CLIENT, ClientParts, make_client

if TYPE_CHECKING:
    from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
    from rpcrdma.fabric.base import Fabric
    from targets.base import Act, ActKind, ClientSession, RunningAct
    from targets.in_process import InProcessNetwork
    from targets.profile import Profile
    from targets.usage import Usage

__all__ = ["InProcessClientSession", "ReferenceClientTarget"]


@dataclass(frozen=True, slots=True)
class LostAct:
    """An act over which the device died when it was told of it (see `targets.base.RunningAct`).

    Attributes:
        reason: how it died.
    """

    reason: str

    def poll(self) -> ActResult:
        """It has failed."""
        return ActResult(ActState.FAILED, self.reason)

    def abandon(self) -> None:
        """There is nothing left of it."""


class InProcessClientSession:
    """The client in this process (see `targets.base.ClientSession`)."""

    acts: frozenset[ActKind] = ACTS

    def __init__(
        self,
        listen_address: Address,
        parts: ClientParts = CLIENT,
        versions: tuple[int, ...] = (1,),
        fabric: str = "loopback",
    ) -> None:
        self._kind = fabric
        self._wanted = listen_address
        self._versions = versions
        self._parts = parts
        self._begin()

    def _begin(self) -> None:
        # A network of its own each time: nothing of an earlier life is left, and every run is the
        # same run.
        self._network = make_network(self._kind, self._parts.allocator, self._parts.transport)
        host = self._network.host("tester", self._wanted.host)
        self.listen_address = Address(host, self._wanted.port)
        self.fabric: Fabric = self._network.fabric("tester")
        self._device = self._network.fabric("dut")
        self._client: ReconnectingClient | None = None
        self._application: UpperTester | None = None
        self._failure: str | None = None
        self._device.attach(self._step)

    @property
    def network(self) -> InProcessNetwork:
        """The simulated network, for faults."""
        return self._network

    def prepare(self, address: Address) -> RunningAct:
        """Connect; a client of an earlier `prepare` is gone."""
        if self._client is not None:
            self._client.close()
        self._client, self._application = make_client(
            self._device, address, self._parts, self._versions
        )
        return self._application.connect()

    def begin(self, act: Act) -> RunningAct:
        """Make the calls of an act.

        Raises:
            TargetError: nothing has been prepared.
        """
        if self._application is None:
            raise TargetError("the client has not been told where to connect; prepare it first")
        try:
            return self._application.begin(act)
        except Exception as error:  # noqa: BLE001  # a defect of the device, not of its caller
            return LostAct(self._fail(error))

    def alive(self) -> str | None:
        """How the client failed, if it did."""
        return self._failure

    def usage(self) -> Usage | None:
        """What the client has asked its fabric for; None on `switch`, which does not count."""
        return usage_of_fabric(self._device)

    def restart(self) -> None:
        """Start again on a new network."""
        self.close()
        self._begin()

    def close(self) -> None:
        """Stop the client and release the fabrics."""
        if self._client is not None:
            self._client.close()
            self._client = None
        self._device.close()
        self.fabric.close()

    def _step(self) -> None:
        if self._client is None or self._application is None or self._failure is not None:
            return
        try:
            while self._client.step():
                pass
            self._application.collect()
        except Exception as error:  # noqa: BLE001  # likewise
            self._fail(error)

    def _fail(self, error: Exception) -> str:
        """The device is dead from now on; returns how it died."""
        if self._failure is None:
            self._failure = f"{type(error).__name__}: {error}"
        if self._client is not None:
            self._client.close()
        return self._failure


class ReferenceClientTarget:
    """The reference client, a mutant or a variant of it (see `targets.base.ClientTarget`)."""

    def __init__(
        self, profile: Profile, fabric: str = "", *, parts: ClientParts = CLIENT, replaced: str = ""
    ) -> None:
        if fabric not in ("", *FABRICS):
            raise TargetError(f"there is no fabric `{fabric}`: there are {', '.join(FABRICS)}")
        self.name = replaced or profile.name
        self.profile = profile
        self._fabric = fabric or "loopback"
        self._parts = replace(parts, is_called=profile.claims.backward)
        self._replaced = replaced
        require_switch(parts.transport, self._fabric)
        if parts.allocator is not HandleAllocator and self._fabric not in IN_PROCESS:
            raise TargetError(
                "what is other is how handles are handed out, in this process: use loopback, not"
                f" {self._fabric}"
            )

    def start_client(self) -> ClientSession:
        """Set the client going."""
        extra, claims = self.profile.extra, self.profile.claims
        if self._fabric in IN_PROCESS:
            address = Address(extra.address, extra.port)
            return InProcessClientSession(address, self._parts, claims.versions, self._fabric)
        # Only here is the process's end needed, which imports what a process takes.
        from targets.reference.client_process import ProcessClientSession

        fabric, own, host = open_hosts(self._fabric, extra.address)
        return ProcessClientSession(
            fabric,
            Address(own, extra.port),
            self._replaced,
            options=("--fabric", self._fabric, "--own", host),
            is_called=claims.backward,
            versions=claims.versions,
        )
