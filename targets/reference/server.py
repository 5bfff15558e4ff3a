"""The reference endpoint as a device under test: the server, which calls back if it is asked to.

On loopback it lives in the tester's own process and gets its turns from the tester's polling.  Over
verbs it is a process of its own:

    python -m targets.reference.server --listen ADDRESS:PORT [--mutant NAME]

which prints the address at which it listens and serves until its standard input ends or it is
terminated.  Behind every connection are the test program, the programs that have the server make
backward Calls and see to its properties, and NFSv3 and NFSv4 with the suite's export.
"""

from __future__ import annotations

import argparse
import selectors
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.backchannel import Backchannel
from rpcrdma.endpoint.backward.direction import DirectionRules
from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import OPERATIONS
from rpcrdma.endpoint.properties.wishes import PropertyWishes
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.lost_replies import LostReplies
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.trace import Trace
from rpcrdma.ulp.backprog import BackwardProgram
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs3_server import Nfs3Program
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.nfs4_state import Nfs4State
from rpcrdma.ulp.program import Programs
from rpcrdma.ulp.propprog import PropertyProgram
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire.rpc import MessageType
from targets.base import TargetError, Unsupported
from targets.device_address import device_host
from targets.reference.backward import BackwardService
from targets.reference.device_process import parse_address, stop_process
from targets.reference.roles import optional_half

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Fabric
    from targets.base import Session, Stimulus
    from targets.profile import Profile

__all__ = [
    "LoopbackSession",
    "Parts",
    "ProcessSession",
    "ReferenceTarget",
    "main",
    "responder_factory",
    "server_factory",
]

START_DEADLINE: Final = 60.0
"""Seconds until the process must listen: Python alone takes 25 in a busy machine without KVM."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The classes of which a server is put together; a mutant replaces one of them.

    Attributes:
        responder: the forward half.  calls: how it judges.  replies: how it answers.
        backward: the backward half.  channel: what outlives connections.
        duplex: the two halves together.  directions: which of them takes a message.
        optional: Version Two's optional messages.  properties: how it deals with properties.
        operations: of the transport properties that are supported, by opttype.
    """

    responder: type[Responder] = Responder
    calls: type[CallRules] = CallRules
    replies: type[ReplyRules] = ReplyRules
    backward: type[BackwardRequester] = BackwardRequester
    channel: type[Backchannel] = Backchannel
    duplex: type[Duplex] = Duplex
    directions: type[DirectionRules] = DirectionRules
    optional: type[OptionalHalf] = OptionalHalf
    properties: type[PropertyRules] = PropertyRules
    operations: frozenset[int] = OPERATIONS


REFERENCE: Final = Parts()

DIALECTS: Final = (ONE, TWO)

VERSIONS: Final = tuple(dialect.number for dialect in DIALECTS)
"""What the endpoint speaks, unless its profile claims less."""


def responder_factory(
    parts: Parts = REFERENCE, options: ResponderOptions | None = None
) -> Callable[[], Responder]:
    """What makes a Responder alone; files and lost replies are shared by all.

    It speaks Version One only: what Version Two needs besides is the role of a connection.
    """
    store, state = FileStore(), Nfs4State()
    lost = LostReplies()

    def make() -> Responder:
        programs = Programs((TestProgram(), Nfs3Program(store), Nfs4Program(store, state)))
        return parts.responder(programs, options, lost, parts.calls((ONE,)), parts.replies((ONE,)))

    return make


def server_factory(
    parts: Parts = REFERENCE, versions: tuple[int, ...] = VERSIONS
) -> Callable[[], Duplex]:
    """What makes the role of each connection; all share files, lost replies, clients to call."""
    dialects = tuple(dialect for dialect in DIALECTS if dialect.number in versions)
    in_two = TWO in dialects
    store, state = FileStore(), Nfs4State()
    lost = LostReplies()
    service = BackwardService(parts.channel)

    def make() -> Duplex:
        port = service.port()
        nfs = Nfs3Program(store), Nfs4Program(store, state)
        wishes = PropertyWishes()
        own = BackwardProgram(port), PropertyProgram(wishes)
        programs = Programs((TestProgram(), *nfs, *own))
        forward = parts.responder(
            programs, None, lost, parts.calls(dialects), parts.replies(dialects)
        )
        directions = parts.directions(MessageType.REPLY, speaks_two=in_two)
        granted = forward.options.receives
        optional = optional_half(parts, granted, wishes) if in_two else None
        role = parts.duplex(forward, parts.backward(None, TestProgram()), directions, optional)
        port.attach(role)
        return role

    return make


class LoopbackSession:
    """The endpoint in this process (see `targets.base.Session`)."""

    def __init__(
        self, address: Address, parts: Parts, versions: tuple[int, ...] = VERSIONS
    ) -> None:
        self._wanted = address
        self._parts = parts
        self._versions = versions
        self._begin()

    def _begin(self) -> None:
        # A network of its own each time: nothing of an earlier life is left, and every run is the
        # same run.
        self._network = LoopbackNetwork()
        self.fabric: Fabric = self._network.fabric("tester")
        self._device = self._network.fabric("dut")
        make = server_factory(self._parts, self._versions)
        self._server = Server(self._device, self._wanted, make)
        self._device.attach(self._server.step)

    @property
    def network(self) -> LoopbackNetwork:
        """The simulated network, for faults."""
        return self._network

    @property
    def address(self) -> Address:
        """Where the device listens."""
        return self._server.address

    def alive(self) -> str | None:
        """How the endpoint failed, if it did."""
        return self._server.failure

    def restart(self) -> None:
        """Start again on a new network."""
        self.close()
        self._begin()

    def stimulate(self, stimulus: Stimulus) -> None:
        """A Responder acts only on calls.

        Raises:
            Unsupported: always.
        """
        raise Unsupported(f"a Responder cannot be made to `{stimulus.action}`")

    def close(self) -> None:
        """Stop the device and release the fabrics."""
        self._server.close()
        self._device.close()
        self.fabric.close()


class ProcessSession:
    """The endpoint in a process of its own, over verbs (see `targets.base.Session`)."""

    def __init__(self, address: Address, mutant: str, versions: tuple[int, ...] = VERSIONS) -> None:
        # Only here is pyverbs needed, which a machine without RDMA does not have.
        from rpcrdma.fabric.verbs import VerbsFabric

        self._wanted = address
        self._mutant = mutant
        self._versions = versions
        self.fabric: Fabric = VerbsFabric(address.host)
        self._process, self.address = self._begin()

    def _begin(self) -> tuple[subprocess.Popen[str], Address]:
        command = [sys.executable, "-m", "targets.reference.server", "--listen", str(self._wanted)]
        if self._mutant:
            command += ["--mutant", self._mutant]
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
        status = self._process.poll()
        return None if status is None else f"the process ended with status {status}"

    def restart(self) -> None:
        """Start the process again."""
        stop_process(self._process)
        self._process, self.address = self._begin()

    def stimulate(self, stimulus: Stimulus) -> None:
        """A Responder acts only on calls.

        Raises:
            Unsupported: always.
        """
        raise Unsupported(f"a Responder cannot be made to `{stimulus.action}`")

    def close(self) -> None:
        """End the process and release the fabric."""
        stop_process(self._process)
        self.fabric.close()


class ReferenceTarget:
    """The reference endpoint, or a mutant of it (see `targets.base.Target`)."""

    def __init__(
        self, profile: Profile, fabric: str = "", *, parts: Parts = REFERENCE, mutant: str = ""
    ) -> None:
        if fabric not in ("", "loopback", "verbs"):
            raise TargetError(f"the reference endpoint runs on loopback or verbs, not on {fabric}")
        self.name = f"mutant:{mutant}" if mutant else profile.name
        self.profile = profile
        self._on_verbs = fabric == "verbs"
        self._parts = parts
        self._mutant = mutant

    def start(self) -> Session:
        """Set the endpoint going."""
        extra, versions = self.profile.extra, self.profile.claims.versions
        if self._on_verbs:
            address = Address(device_host(extra.address), extra.port)
            return ProcessSession(address, self._mutant, versions)
        return LoopbackSession(Address(extra.address, extra.port), self._parts, versions)


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


def _await_end(ended: threading.Event) -> None:
    """Set `ended` when whoever started this process is gone, or wants it to end."""
    sys.stdin.read()
    ended.set()


def main(arguments: list[str] | None = None) -> int:
    """Serve over verbs until standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m targets.reference.server", description=__doc__)
    parser.add_argument("--listen", required=True, metavar="ADDRESS:PORT", type=parse_address)
    parser.add_argument("--mutant", default="", metavar="NAME", help="break one requirement")
    parser.add_argument("--versions", type=int, nargs="+", default=VERSIONS, help="to be spoken")
    chosen = parser.parse_args(arguments)
    parts = REFERENCE
    if chosen.mutant:
        from targets.mutants.base import find_responder_parts  # it needs this module

        parts = find_responder_parts(chosen.mutant)
    from rpcrdma.fabric.verbs import VerbsFabric  # likewise only here

    ended = threading.Event()
    threading.Thread(target=_await_end, args=(ended,), daemon=True).start()
    try:
        with VerbsFabric(chosen.listen.host) as fabric:
            fabric.trace = Trace(keep=False)  # the tester's side is the one that is read
            make = server_factory(parts, tuple(chosen.versions))
            server = Server(fabric, chosen.listen, make)
            sys.stdout.write(f"{server.address}\n")
            sys.stdout.flush()
            server.serve(lambda: not ended.is_set() and server.failure is None)
            server.close()
    except FabricError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if server.failure is not None:
        sys.stderr.write(f"the endpoint failed: {server.failure}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
