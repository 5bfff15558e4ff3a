"""The stateful machine for transport properties: sizes change under traffic, and nothing is lost.

    xcharext section 3.1  Receive Buffer Size
    xcharext section 4    New Operations

The reference client and the reference server talk on loopback.  Either is told to ask the other for
Receives of some size, or to change its own, while RPCs of all sizes go on; each rule lets both work
for some moments only, so that requests, answers and updates meet RPCs in every order.

Invariants: the one connection stands (a message that is longer than the Receive that it meets would
cost it); no posted Receive is shorter than what was announced; every RPC ends well; and in the end
each end knows of the other what that has told.

A server asks for shorter Receives only when no RPC is in flight: the client of one that is has
offered no chunk for its Reply, and nothing could bring it any more.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rpcrdma.endpoint.core.xids import XidSource
from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.negotiation.client import NegotiatingClient
from rpcrdma.endpoint.negotiation.table import KnownServer
from rpcrdma.endpoint.properties.wishes import PropertyWishes
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.wire.properties import ReceiveBufferSize
from targets.base import Act, ActKind
from targets.reference.acts import UpperTester
from targets.reference.client_parts import CLIENT, ClientParts
from targets.reference.roles import client_role
from targets.reference.server_parts import REFERENCE, Parts, server_factory

if TYPE_CHECKING:
    from rpcrdma.endpoint.backward.duplex import Duplex
    from rpcrdma.endpoint.core.connection import EndpointRole
    from rpcrdma.endpoint.properties.exchange import PropertyExchange
    from rpcrdma.endpoint.properties.optional_half import OptionalHalf
    from targets.base import RunningAct

__all__ = ["PropertyMachine"]

MOST_ACTS: Final = 8
"""At once."""

MOST_TURNS: Final = 2000
"""In which everything that was begun must end."""

IDLE_TURNS: Final = 4
"""Without anything to do, after which there is nothing."""

MOMENT: Final = 0.001
"""Seconds of one turn, of a clock that costs nothing."""

MOST_REQUESTS: Final = 70
"""That may wait for each other, since there are no more steps."""

_KINDS: Final = st.sampled_from(
    (
        ActKind.SMALL,
        ActKind.MANY,
        ActKind.READ,
        ActKind.WRITE,
        ActKind.LONG_CALL,
        ActKind.LONG_REPLY,
    )
)
_LENGTHS: Final = st.sampled_from((100, 900, 1500, 3000, 4000, 6000, 9000, 20000))
_SIZES: Final = st.sampled_from((600, 1024, 1500, 2048, 4096, 6000, 16384, 70000))


class PropertyMachine(RuleBasedStateMachine):
    """One client and one server; a subclass may say which, by `client_parts` and `server_parts`."""

    client_parts: ClassVar[ClientParts] = CLIENT
    server_parts: ClassVar[Parts] = REFERENCE

    def __init__(self) -> None:
        super().__init__()
        network = LoopbackNetwork()
        device, fabric = network.fabric("dut"), network.fabric("client")
        self._make_server_role = server_factory(type(self).server_parts)
        self._server_role: Duplex | None = None
        self._server = Server(device, Address("dut", 20049), self._new_server_role)
        device.attach(self._server.step)
        self._client_roles: list[EndpointRole] = []
        wishes = PropertyWishes()
        make_role = partial(client_role, type(self).client_parts, (1, 2), KnownServer(), wishes)
        self._make_client_role = make_role
        self._client = ReconnectingClient(fabric, self._server.address, 2.0, self._new_client_role)
        self._application = UpperTester(self._client, XidSource(), wishes)
        self._acts: list[tuple[Act, RunningAct]] = []
        self._begin(Act(ActKind.NULL))
        self._settle()

    # -- what happens

    @rule(kind=_KINDS, length=_LENGTHS, count=st.integers(1, 5), turns=st.integers(0, 3))
    def act(self, kind: ActKind, length: int, count: int, turns: int) -> None:
        """RPCs go on."""
        self._begin(Act(kind, length, count if kind is ActKind.MANY else 1))
        self._go_on(turns)

    @rule(octets=_SIZES, turns=st.integers(0, 3))
    def client_asks(self, octets: int, turns: int) -> None:
        """The client asks the server for Receives of another size."""
        self._begin(Act(ActKind.ASK_SIZE, octets))
        self._go_on(turns)

    @rule(octets=_SIZES, turns=st.integers(0, 3))
    def client_changes(self, octets: int, turns: int) -> None:
        """The client makes its own Receives longer."""
        self._begin(Act(ActKind.CHANGE_SIZE, octets))
        self._go_on(turns)

    @rule(octets=_SIZES, turns=st.integers(0, 3))
    def server_asks(self, octets: int, turns: int) -> None:
        """The server asks the client; for shorter Receives when nothing is in flight."""
        half = self._server_half
        is_shorter = octets < half.exchange.peer.receive_buffer
        if is_shorter:
            self._settle()
        half.wishes.ask(ReceiveBufferSize(octets))
        self._begin(Act(ActKind.NULL))
        if is_shorter:
            self._finish()
        else:
            self._go_on(turns)

    @rule(octets=_SIZES, turns=st.integers(0, 3))
    def server_changes(self, octets: int, turns: int) -> None:
        """The server makes its own Receives longer."""
        self._server_half.wishes.change(ReceiveBufferSize(octets))
        self._begin(Act(ActKind.NULL))
        self._go_on(turns)

    # -- what holds

    @invariant()
    def connection_stands(self) -> None:
        """No message was longer than the Receive that it met."""
        assert self._server.failure is None, self._server.failure  # noqa: S101  # how rules fail
        assert self._client.connections == 1  # noqa: S101  # likewise

    @invariant()
    def receives_are_as_announced(self) -> None:
        """No posted Receive is shorter than what the peer has been told."""
        for exchange in (self._client_half.exchange, self._server_half.exchange):
            smallest = exchange.receives.smallest
            told = exchange.own.receive_buffer
            assert smallest is None or smallest >= told, f"{smallest} of {told}"  # noqa: S101

    def teardown(self) -> None:
        """Everything ends, and both ends agree."""
        try:
            self._finish()
            self.connection_stands()
            _agree(self._client_half.exchange, self._server_half.exchange)
            _agree(self._server_half.exchange, self._client_half.exchange)
        finally:
            self._client.close()
            self._server.close()

    # -- how

    @property
    def _server_half(self) -> OptionalHalf:
        half = None if self._server_role is None else self._server_role.optional
        if half is None:
            raise AssertionError("the server does not speak Version Two")
        return half

    @property
    def _client_half(self) -> OptionalHalf:
        role = self._client_roles[-1]
        half = role.role.optional if isinstance(role, NegotiatingClient) else None
        if half is None:
            raise AssertionError("the client does not speak Version Two")
        return half

    def _new_server_role(self) -> Duplex:
        self._server_role = self._make_server_role()
        return self._server_role

    def _new_client_role(self) -> EndpointRole:
        self._client_roles.append(self._make_client_role())
        return self._client_roles[-1]

    def _begin(self, act: Act) -> None:
        if len(self._acts) >= MOST_ACTS:
            self._settle()
        self._acts.append((act, self._application.begin(act)))

    def _go_on(self, turns: int) -> None:
        """Let both ends work for so many moments, and see that what ended has ended well."""
        for _ in range(turns):
            self._client.step()
            self._application.collect()
        open_acts = []
        for act, running in self._acts:
            result = running.poll()
            assert result is None or result.done, f"{act}: {result}"  # noqa: S101  # how rules fail
            if result is None:
                open_acts.append((act, running))
        self._acts = open_acts

    def _finish(self) -> None:
        """Let all requests be answered, too: one that waits goes out after an RPC (D-54)."""
        self._settle()
        for _ in range(MOST_REQUESTS):
            halves = (self._client_half, self._server_half)
            if not any(half.exchange.is_pending or not half.wishes.is_empty for half in halves):
                return
            self._begin(Act(ActKind.NULL))
            self._settle()

    def _settle(self) -> None:
        """Let both ends work until nothing is left to do."""
        idle = 0
        for _ in range(MOST_TURNS):
            busy = self._client.wait(MOMENT)
            self._application.collect()
            self._go_on(0)
            idle = 0 if busy or self._acts else idle + 1
            if idle == IDLE_TURNS:
                return
        raise AssertionError(f"this does not end: {[str(act) for act, _ in self._acts]}")


def _agree(one: PropertyExchange, other: PropertyExchange) -> None:
    """Each end's view of its peer equals what the peer has announced."""
    assert not one.is_pending  # noqa: S101  # how rules fail
    assert one.peer == other.own, f"{one.peer} is not {other.own}"  # noqa: S101  # likewise
