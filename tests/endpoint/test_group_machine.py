"""The stateful machine of the round-trip reductions: whatever meets, messages arrive whole.

    rtrext section 4.3  Message Continuation and Credits
    rtrext section 5.4  Error Reporting
    rtrext section 7    Data Placement Structures
    rtrext section 11   Security Considerations (padding)

Two ends of the reference that chose anything that they may; RPCs of all sizes, many at once; some
are given up, connections are lost, and groups are made wrong.  Each Send is judged by the traces of
both ends (`tests.endpoint.group_watch`).

What must hold: every message is put together octet for octet, bulk data lie aligned in target
segments, padding is zero, neither credits nor limits nor what is reserved are exceeded, and neither
end ever finds fault with the other.  Every RPC ends with its own reply, within bounded time.  After
harm it may have to wait for the next connection, but what comes is the right reply even then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rpcrdma.endpoint.core import receive_shape
from rpcrdma.endpoint.core.actions import CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.core.receive_shape import ReceiveShape
from rpcrdma.endpoint.requester.group_plan import GroupPlanner
from rpcrdma.endpoint.requester.requester_parts import RequesterParts
from rpcrdma.endpoint.requester.retransmission import MOST_LOSSES, PAUSE
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.faults import DropAfterSends
from rpcrdma.fabric.segments import ReceiveSegment
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.ulp.testprog_calls import expected_reply, null
from rpcrdma.wire import send_placement
from tests.endpoint.group_ends import REFERENCE, EndClasses, EndOptions, GroupEnds
from tests.endpoint.group_faults import RECOVERED, Harm
from tests.endpoint.group_shapes import CALLS, CLIENTS, SERVERS, WILLING
from tests.endpoint.group_watch import (
    CreditWatch,
    LandingWatch,
    Watch,
    left_registered,
    receives_posted,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.actions import Action

MOST_CALLS = 12
"""At once."""

MOST_TURNS = 400
"""In which everything that was begun must end."""

MOMENT = 0.001
"""Seconds of one turn, of a clock that costs nothing."""

_SIDES = st.sampled_from(("client", "server"))
_TURNS = st.integers(0, 12)
_HARMS = st.sampled_from(Harm)
_MANY = st.lists(CALLS, min_size=1, max_size=5)


class GroupMachine(RuleBasedStateMachine):
    """One client and one server; a subclass may say of which classes, and what they may choose."""

    classes: ClassVar[EndClasses] = REFERENCE
    clients: ClassVar[st.SearchStrategy[EndOptions]] = CLIENTS
    servers: ClassVar[st.SearchStrategy[EndOptions]] = SERVERS

    ends: GroupEnds
    watches: tuple[Watch, ...]

    def __init__(self) -> None:
        super().__init__()
        self._layer = TestProgram()
        self._calls: dict[int, bytes] = {}  # by XID
        self._open: dict[int, int] = {}  # XIDs by token
        self._given_up: set[int] = set()
        self._excuses = 0  # for connections that are lost, one each
        self._is_sound = False  # nothing has gone wrong when the last rule ended

    @initialize(data=st.data())
    def connect(self, data: st.DataObject) -> None:
        """Two ends meet."""
        client = data.draw(type(self).clients, "client")
        server = data.draw(type(self).servers, "server")
        ends = self.ends = GroupEnds(client, server, type(self).classes)
        self.watches = (
            CreditWatch(ends.fabric.trace, self._is_spoiled, client, server),
            LandingWatch(ends.device.trace, self._is_spoiled, server, self._calls.__getitem__),
            LandingWatch(ends.fabric.trace, self._is_spoiled, client, self._reply_to),
        )
        self._begin(null)
        self._settle()

    # -- what happens

    @rule(makes=_MANY, turns=_TURNS)
    def call(self, makes: list[Callable[[int], bytes]], turns: int) -> None:
        """Several calls at once."""
        for make in makes:
            self._begin(make)
        self._go_on(turns)

    @rule(turns=st.integers(1, 40))
    def wait(self, turns: int) -> None:
        """Let some messages pass."""
        self._go_on(turns)

    @rule()
    def settle(self) -> None:
        """Let everything come to its end."""
        self._settle()

    @precondition(lambda self: self._open)
    @rule(which=st.integers(0, MOST_CALLS))
    def cancel(self, which: int) -> None:
        """Give a call up; the Responder may be reading its memory."""
        self._excuses += 1
        token = list(self._open)[which % len(self._open)]
        self._given_up.add(token)
        self.ends.client.cancel(token)
        self._go_on(0)

    @precondition(lambda self: self._open)
    @rule(side=_SIDES, sends=st.integers(1, 6), turns=_TURNS)
    def lose(self, side: str, sends: int, turns: int) -> None:
        """An end hangs up, after some more Sends."""
        self._excuses += 1
        trace = (self.ends.fabric if side == "client" else self.ends.device).trace
        last = [event for event in trace.events if event.connection == trace.connections]
        sent = sum(event.kind is EventKind.SEND and event.side is Side.LOCAL for event in last)
        self.ends.network.inject(DropAfterSends(side, sent + sends))
        self._go_on(turns)

    @rule(side=_SIDES, harm=_HARMS, which=st.integers(0, 15), makes=_MANY, turns=_TURNS)
    def harm(
        self,
        side: str,
        harm: Harm,
        which: int,
        makes: list[Callable[[int], bytes]],
        turns: int,
    ) -> None:
        """The next group of an end that can be made wrong so is."""
        self._excuses += 1
        self.ends.mischief[side].wanted = harm, which
        self.call(makes, turns)

    # -- what holds

    @invariant()
    def no_rule_is_broken(self) -> None:
        """Neither by a message nor by where it landed, so far."""
        self._look()
        self._is_sound = True

    def teardown(self) -> None:
        """Everything ends, and leaves nothing."""
        if not hasattr(self, "ends"):
            return
        try:
            if self._is_sound:
                self._settle()
                self._nothing_is_left()
        finally:
            self.ends.close()

    # -- how

    def _look(self) -> None:
        assert self.ends.server.failure is None, self.ends.server.failure
        assert self.ends.client.connections <= 1 + self._excuses, "a connection was lost"
        for watch in self.watches:
            watch.look()

    def _is_spoiled(self, send: bytes) -> bool:
        return any(send in one.spoiled for one in self.ends.mischief.values())

    def _reply_to(self, xid: int) -> bytes:
        return expected_reply(self._calls[xid])

    def _begin(self, make: Callable[[int], bytes]) -> None:
        if len(self._open) >= MOST_CALLS:
            self._settle()
        xid = 0x1000 + len(self._calls)
        call = self._calls[xid] = make(xid)
        self._open[self.ends.client.call(self._layer, call)] = xid

    def _go_on(self, turns: int, moment: float = 0.0) -> None:
        """Let both ends work for so many turns; what ends has ended well."""
        self._is_sound = False
        client = self.ends.client
        for _ in range(turns):
            if not client.wait(moment) and not client.connected:
                self.ends.network.schedule.wait(lambda: False, PAUSE)
            if not client.connected:
                self.ends.network.heal()
                for mischief in self.ends.mischief.values():
                    mischief.done.clear()
        self._look()
        while client.delivered:
            event = client.delivered.popleft()
            self._judge_end(event, self._open.pop(event.token))

    def _judge_end(self, event: ReplyReceived | CallFailed, xid: int) -> None:
        if isinstance(event, ReplyReceived):
            assert event.payload == self._reply_to(xid), f"{xid:#x} has another's reply"
        elif event.failure is Failure.CONNECTION_LOST:
            assert self._excuses >= MOST_LOSSES, event
        elif event.failure is Failure.BAD_REPLY:
            assert self._is_harmed, event
        else:
            assert event.failure is Failure.CANCELLED, event
            assert event.token in self._given_up, event

    @property
    def _is_harmed(self) -> bool:
        return any(watch.is_harmed for watch in self.watches)

    @property
    def _may_wait(self) -> bool:
        """Whether calls may wait for the next connection: for a group that nobody can answer."""
        mischief = self.ends.mischief
        return bool(mischief["server"].done or mischief["client"].done - RECOVERED)

    def _settle(self) -> None:
        """Let both ends work until nothing is left to do."""
        for mischief in self.ends.mischief.values():
            mischief.wanted = None
        self._go_on_until_done()
        if self._open and self._may_wait:
            self._excuses += 1
            self.ends.client.disconnect()
            self._go_on_until_done()
        assert not self._open, f"these do not end: {[hex(xid) for xid in self._open.values()]}"

    def _go_on_until_done(self) -> None:
        for _ in range(MOST_TURNS):
            self._go_on(1, MOMENT)
            if not self._open:
                self._go_on(4, MOMENT)
                return

    def _nothing_is_left(self) -> None:
        """Neither memory that the peer can reach nor too few or too many Receives."""
        self._begin(null)  # the last connection may be lost, or wait for the rest of a group
        self._settle()
        ends = self.ends
        for fabric in (ends.fabric, ends.device):
            handles = left_registered(fabric.trace, fabric.trace.connections)
            assert not handles, f"{fabric.side}: {handles}"
        posted = receives_posted(ends.device.trace, ends.device.trace.connections)
        assert posted == ends.responder_receives, f"{posted} Receives of the server"
        posted = receives_posted(ends.fabric.trace, ends.fabric.trace.connections)
        # One is posted after the next Send.
        least, most = ends.requester_receives - 1, ends.requester_receives + ends.reserve
        assert least <= posted <= most, f"{posted} Receives, {least} to {most} are right"


class WillingMachine(GroupMachine):
    """Two ends that do whatever they can, so that more groups have several transmissions."""

    clients = WILLING
    servers = WILLING


SETTINGS = settings(
    settings.default,
    stateful_step_count=12,
    suppress_health_check=list(HealthCheck),
)

TestAny = GroupMachine.TestCase
TestAny.settings = SETTINGS
TestWilling = WillingMachine.TestCase
TestWilling.settings = SETTINGS


BRIEFLY = settings(
    max_examples=100,
    stateful_step_count=12,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


class TakesOneCredit(Allowance):
    def try_take(self, sends: int) -> bool:
        return super().try_take(min(sends, 1))

    def give_back(self, sends: int) -> None:
        super().give_back(min(sends, 1))


class HeedsNoLimit(GroupPlanner):
    def most(self) -> int:
        return 64


class ReservesNothing(GroupPlanner):
    def reserve(self, sends: int) -> tuple[int, int]:
        return sends, 0


class ForgetsReceives(Responder):
    def repost(self) -> list[Action]:
        return []


LOSERS = {
    TakesOneCredit: (EndClasses(RequesterParts(allowance=TakesOneCredit)), "in flight"),
    HeedsNoLimit: (EndClasses(RequesterParts(groups=HeedsNoLimit)), "are taken"),
    ReservesNothing: (EndClasses(RequesterParts(groups=ReservesNothing)), "BAD_REPLY"),
    ForgetsReceives: (EndClasses(responder=ForgetsReceives), "Receive"),
}
"""Ends that break a rule, and what is said of it."""


@pytest.mark.parametrize("loser", LOSERS, ids=lambda loser: loser.__name__)
def test_machine_finds_an_end_that_breaks_a_rule(loser: type) -> None:
    parts, why = LOSERS[loser]

    class Loser(GroupMachine):
        classes = parts
        clients = WILLING

    with pytest.raises(AssertionError, match=why):
        run_state_machine_as_test(Loser, settings=BRIEFLY)


def test_machine_finds_old_octets_in_the_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    def old(octets: int) -> bytes:
        return b"old!" * (octets // 4) + b"old"[: octets % 4]

    monkeypatch.setattr(send_placement, "bytes", old, raising=False)

    with pytest.raises(AssertionError, match="old octets"):
        run_state_machine_as_test(WillingMachine, settings=BRIEFLY)


def test_machine_finds_receives_that_lie_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def anywhere(length: int, align: int = 1) -> ReceiveSegment:  # that is the fault
        return ReceiveSegment(length)

    ReceiveShape.of.cache_clear()
    monkeypatch.setattr(receive_shape, "ReceiveSegment", anywhere)

    with pytest.raises(AssertionError, match="lies anywhere"):
        run_state_machine_as_test(WillingMachine, settings=BRIEFLY)
    ReceiveShape.of.cache_clear()
