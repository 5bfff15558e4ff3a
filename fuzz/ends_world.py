"""A reference client and a reference server on loopback, whole: drivers, ends and applications.

Either may be one of several ends that the documents allow (`CLIENTS`, `SERVERS`), so that versions
are negotiated, properties exchanged, and messages continued or not.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from conformance.explore.loopback_world import FAULTS
from fuzz.end_steps import EndAct
from fuzz.ends_application import CHANGED, EndsApplication, wanted_property
from fuzz.invariant import BrokenInvariant
from fuzz.meddling import Meddler, meddled
from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.negotiation.table import KnownServer
from rpcrdma.endpoint.properties.wishes import PropertyWishes
from rpcrdma.errors import DeadlineExceeded, FabricError
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire._generated_rtrext import PlacementType
from targets.reference.client_parts import CLIENT, ClientParts
from targets.reference.roles import REDUCTIONS, client_role
from targets.reference.server_parts import REFERENCE, Parts, server_factory
from targets.variants.reductions import LARGE, SMALL_TARGETS

if TYPE_CHECKING:
    from fuzz.end_steps import EndStep
    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.core.reductions import Reductions

__all__ = ["CLIENTS", "SERVERS", "Ends", "EndsWorld"]

_MOMENT: Final = 0.001
"""Seconds of one turn, of a clock that costs nothing."""

_MOST_TURNS: Final = 1500
"""In which everything that was begun must end, if nothing disturbs it."""

_IDLE_TURNS: Final = 30
"""Without anything to do, after which there is nothing: a client rests before it connects again."""

_PATIENCE: Final = 2.0
"""Seconds that a good host waits, and that connecting may take."""

_GOOD_XIDS: Final = range(0x600D_CA11, 0x600D_CA15)
"""Of the calls of a good host."""

_SERVED_TURNS: Final = 3
"""In which a server has accepted nobody, and noticed who is gone."""


_REDUCTIONS: Final[tuple[Reductions, ...]] = (
    REDUCTIONS,
    replace(REDUCTIONS, always=True),
    replace(REDUCTIONS, structure=None),
    replace(REDUCTIONS, structure=SMALL_TARGETS),
    replace(REDUCTIONS, structure=LARGE, receive_octets=LARGE.xmrbuf_length),
    replace(REDUCTIONS, request_limit=1, response_limit=1, send_limit=1, reserve=0),
    replace(REDUCTIONS, request_limit=2, response_limit=2),
    replace(REDUCTIONS, structure=None, direction=PlacementType.XMDTYPE_EXRW, always=True),
    replace(REDUCTIONS, direction=PlacementType.XMDTYPE_BYSIZE, by_size=5000),
    replace(REDUCTIONS, direction=PlacementType.XMDTYPE_TBSN, always=True),
    replace(REDUCTIONS, shortest=1000, longest_send=3000),
    replace(REDUCTIONS, operations=frozenset(sorted(REDUCTIONS.operations)[:2])),
)
"""By number: with other buffers, limits, directions and operations."""

_VERSIONS: Final = ((1, 2), (1,), (2,))

CLIENTS: Final = (
    *((CLIENT, versions) for versions in _VERSIONS),
    *((replace(CLIENT, reductions=one), (1, 2)) for one in _REDUCTIONS[1:]),
    (replace(CLIENT, operations=frozenset()), (2,)),
    (replace(CLIENT, is_called=False), (1, 2)),
    (replace(CLIENT, is_called=False), (1,)),
)
"""What the client is, by number: its parts, and the versions that it speaks."""

SERVERS: Final = (
    *((REFERENCE, versions) for versions in _VERSIONS),
    *((replace(REFERENCE, reductions=one), (1, 2)) for one in _REDUCTIONS[1:]),
    (replace(REFERENCE, operations=frozenset()), (2,)),
)
"""Likewise the server."""


@dataclass(frozen=True, slots=True)
class Ends:
    """What is fuzzed: it makes the ends, of parts in which a bug may be planted.

    Attributes:
        client: the class of a client's Requester, and so on, instead of the reference's.
        server: likewise.
    """

    client: ClientParts = CLIENT
    server: Parts = REFERENCE


class EndsWorld:
    """One client and one server."""

    def __init__(self, ends: Ends, client: int, server: int) -> None:
        """Put them together; nothing has been said yet.

        Args:
            ends: of which parts they are.
            client: number of what the client is.
            server: likewise.
        """
        self._network = LoopbackNetwork()
        device, self._fabric = self._network.fabric("dut"), self._network.fabric("tester")
        self._meddlers = Meddler(), Meddler()  # the client's and the server's
        parts, versions = SERVERS[server % len(SERVERS)]
        parts = replace(ends.server, reductions=parts.reductions, operations=parts.operations)
        self._server = Server(
            device,
            Address("dut", 20049),
            server_factory(parts, versions),
            meddled(parts.driver, self._meddlers[1]),
        )
        device.attach(self._server.step)
        own, own_versions = CLIENTS[client % len(CLIENTS)]
        own = replace(
            ends.client,
            reductions=own.reductions,
            operations=own.operations,
            is_called=own.is_called,
        )
        self._serves_one = 1 in versions
        self._speaks_alike = bool(set(versions) & set(own_versions))
        self._wishes = PropertyWishes()
        self._client = ReconnectingClient(
            self._fabric,
            self._server.address,
            _PATIENCE,
            partial(client_role, own, own_versions, KnownServer(), self._wishes),
            own.retransmission(),
            meddled(own.driver, self._meddlers[0]),
        )
        self._application = EndsApplication(self._client)
        self._disturbed = False
        self._wished = False

    def carry_out(self, step: EndStep) -> None:
        """Have a step happen.

        Raises:
            BrokenInvariant: an end did what it may not do.
        """
        match step.act:
            case EndAct.CALL:
                self._application.call(step)
            case EndAct.TURNS:
                self._turns(step.length % 16)
            case EndAct.SETTLE:
                self._settle()
            case EndAct.FAULT:
                self._fault(step.which)
            case EndAct.WISH:
                self._wish(step)
            case EndAct.RAW:
                self._disturbed = True
                self._application.raw(step.carried)
            case EndAct.HANG_UP:
                self._disturbed = True
                self._client.disconnect()
            case EndAct.CANCEL:
                self._disturbed = True
                self._application.cancel(step.place)
            case _:
                self._meddlers[step.which % 2].plan(step)
        self._see()

    def finish(self) -> None:
        """Let everything end, and see that both ends serve as before.

        Raises:
            BrokenInvariant: they do not.
        """
        self._settle()
        self._disturbed |= any(one.meddled for one in self._meddlers)
        if not self._disturbed and self._speaks_alike:
            self._see_all_done()
        for one in self._meddlers:
            one.give_up()
        self._network.heal()
        self._client.disconnect()
        self._settle()
        for token in self._application.open_calls:
            self._client.cancel(token)
        self._settle()
        if self._application.open_calls:
            left = self._application.open_calls
            raise BrokenInvariant("never-ends", f"calls {left} were cancelled, and do not end")
        self._see_served()

    def close(self) -> None:
        """Release everything, each end twice; the server serves until it has seen the client go."""
        self._serve()
        self._client.close()
        self._serve()
        for end in (self._client, self._server):
            end.close()
            end.close()
        self._server.step()

    def _serve(self) -> None:
        """Serve as a process of its own does: it waits where nothing happens."""
        turns = iter(range(_SERVED_TURNS))
        self._server.serve(lambda: next(turns, None) is not None)

    def _see(self) -> None:
        if self._server.failure:
            raise BrokenInvariant("server-died", self._server.failure, self._server.failure)

    def _see_all_done(self) -> None:
        """See that what nobody disturbed has ended well."""
        application = self._application
        problems = application.wrong
        # Who asks for shorter Receives, or fewer, may have left no room for what it calls for.
        if not self._wished:
            problems = problems + application.failed
            if application.unanswered:
                raise BrokenInvariant("not-answered", f"calls {application.unanswered}")
        if problems:
            raise BrokenInvariant("not-well", "; ".join(problems), problems[0])

    def _see_served(self) -> None:
        """See that a good host is served, which speaks Version One."""
        connected = None
        try:
            connected = Client(self._fabric, self._server.address, _PATIENCE)
            ended = self._ended_calls(connected)
        except (DeadlineExceeded, FabricError) as error:
            self._see()
            raise BrokenInvariant("not-served", f"a good host: {error}") from error
        finally:
            if connected is not None:
                connected.close()
        self._see()
        unlike = [one for one in ended if not isinstance(one, ReplyReceived)]
        if self._serves_one and unlike:
            raise BrokenInvariant("not-served", f"a good host got {unlike[0]}")

    def _ended_calls(self, host: Client) -> list[ApplicationEvent]:
        """What became of the calls of a good host, which asks for them in another order.

        Raises:
            BrokenInvariant: a call ends twice, or one that was never made.
        """
        layer = TestProgram()
        first, second, third, last = (
            host.call(layer, testprog_calls.null(xid)) for xid in _GOOD_XIDS
        )
        ended = [host.complete(token, _PATIENCE) for token in (third, second, last)]
        ended.append(host.next_event(_PATIENCE))
        if ended[-1].token != first:
            raise BrokenInvariant("ended-twice", f"nobody waits for {ended[-1]}")
        with contextlib.suppress(DeadlineExceeded):
            more = host.next_event(_MOMENT)
            raise BrokenInvariant("ended-twice", f"nobody waits for {more}")
        return ended

    def _turns(self, count: int) -> bool:
        """Let both ends work for so many moments; whether the last one had anything to do."""
        busy = False
        for _ in range(count):
            busy = self._client.wait(_MOMENT)
            self._application.collect()
            self._see()
        return busy

    def _settle(self) -> None:
        idle = 0
        for _ in range(_MOST_TURNS):
            idle = 0 if self._turns(1) else idle + 1
            if idle == _IDLE_TURNS:
                return
        raise BrokenInvariant("never-idle", f"something happens for ever, in {_MOST_TURNS} turns")

    def _fault(self, number: int) -> None:
        self._disturbed = True
        index = number % (len(FAULTS) + 1)
        if index == len(FAULTS):
            self._network.heal()
        else:
            self._network.inject(FAULTS[index])

    def _wish(self, step: EndStep) -> None:
        self._wished = True
        if step.which & 2:
            self._application.ask_server(step)
        elif step.which & CHANGED:
            self._wishes.change(wanted_property(step))
        else:
            self._wishes.ask(wanted_property(step))
