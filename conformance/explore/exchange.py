"""Clients and a Responder, driven by steps that are plain data: what a stateful machine plays with.

Several connections of the reference client go to one Responder: the reference on loopback, where
faults can be injected, or any target.  Each call has exactly one right Reply; what else may become
of it follows from what was done to it and to its connection.  The trace is judged by
`conformance.explore.wire_judge`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.backward.workload import new_identity
from conformance.explore.application import ApplicationLine, Asked, NoService
from conformance.explore.calls import encode
from conformance.explore.wire_judge import WireJudge
from conformance.oracle.device import Device
from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core.actions import CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.core.thresholds import DEFAULT
from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.requester.requester import RequesterOptions
from rpcrdma.errors import FabricError
from rpcrdma.fabric.trace import Trace
from rpcrdma.ulp import backprog
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.backprog import BackwardProgram
from rpcrdma.ulp.program import Programs
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.explore.recipes import Step
    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.fabric.base import Address, Fabric

__all__ = ["MOST_LINES", "RecipeRun"]

MOST_LINES: Final = 3
"""Connections at once."""

_FIRST_XID: Final = 0x0A00_0001
_SETTLING: Final = 200
"""Turns without any event after which nothing more is expected."""

REFERENCE: Final = Device()
"""The reference Responder on loopback, as far as these clients, of Version One, meet it."""


class RecipeRun:
    """A run of steps.

    Attributes:
        problems: every rule broken so far, in words.
    """

    def __init__(
        self,
        fabric: Fabric,
        address: Address,
        *,
        device: Device = REFERENCE,
        inject: Callable[[int], None] | None = None,
        first_xid: int = _FIRST_XID,
        deadline: float = 5.0,
        patience: float = 1e-5,
        sees_writes: bool = True,
    ) -> None:
        """Begin without a connection.

        Args:
            fabric: the clients'.
            address: where the Responder listens.
            device: what it claims.
            inject: puts the fault of a number in force; None if the fabric has none.
            first_xid: of the calls; a device may remember those of earlier exchanges.
            deadline: seconds for whatever must happen.
            patience: seconds of one turn of waiting.
            sees_writes: see `WireJudge`.
        """
        self.problems: list[str] = []
        self._fabric = fabric
        self._fabric.trace = Trace()
        self._address = address
        self._inject = inject
        self._deadline = deadline
        self._first_xid = first_xid
        self._patience = patience
        self._layer = Programs((TestProgram(), BackwardProgram(NoService())))
        self._lines: list[ApplicationLine] = []
        self._payloads: dict[int, bytes] = {}
        self._judge = WireJudge(
            self._layer, self._payloads.get, DEFAULT, device, sees_writes=sees_writes
        )
        self._judged = 0
        self._faulty = False
        self._lost: list[Asked] = []
        self._steps: dict[str, Callable[[Step], None]] = {
            "connect": self._connect,
            "call": self._call,
            "hold": self._hold,
            "release": self._release,
            "cancel": self._cancel,
            "wait": self._wait,
            "fault": self._fault,
            "drop": self._drop,
            "repeat": self._repeat,
            "backward": self._backward,
        }

    @property
    def lines(self) -> int:
        """Connections that stand, as far as is known."""
        return len(self._lines)

    def run(self, step: Step) -> None:
        """Do one step, then judge what came of it."""
        self._steps[step.kind](step)
        self._collect()

    def finish(self) -> None:
        """Let everything come to its end, close, and judge what is left."""
        for line in self._lines:
            self._release_all(line)
        self._settle()
        self._collect()
        for line in self._lines:
            self._check_open(line)
        self._check_backward()
        handles = self._judge.exposed() if not self.problems else ()
        if handles:
            self.problems.append(f"memory is still exposed: handles {handles}")
        for line in self._lines:
            line.client.close()
        self._collect()

    def abandon(self) -> None:
        """Close whatever is still open, without a judgement.  Twice is allowed."""
        for line in self._lines:
            line.client.close()

    # -- steps

    def _connect(self, step: Step) -> None:
        if len(self._lines) >= MOST_LINES:
            return
        options = RequesterOptions(
            credits=1 + step.number % 7,
            segment=(1 << 20, 3000)[step.number // 7 % 2],
            always_reduce_results=bool(step.number // 14 % 2),
        )
        try:
            backward = BackwardResponder(TestProgram())
            client = Client(self._fabric, self._address, self._deadline, options, backward)
        except FabricError as error:
            if self._inject is None:
                self.problems.append(f"no connection: {error}")
            return
        self._lines.append(ApplicationLine(client, new_identity(), may_be_lost=self._faulty))

    def _call(self, step: Step) -> None:
        line = self._chosen(step)
        if line is not None:
            self._ask(line, encode(step.call, self._new_xid()))

    def _hold(self, step: Step) -> None:
        """A call whose Reply comes later than those of calls after it."""
        line = self._chosen(step)
        # One credit must be left for the RELEASE.
        if line is None or line.client.requester.allowance.limit < 2 + len(line.held):
            return
        xid = self._new_xid()
        token = self._ask(line, calls.hold(xid, step.number % 2))
        line.asked[token].repeatable = False
        line.held.append(token)

    def _release(self, step: Step) -> None:
        line = self._chosen(step)
        if line is not None:
            self._send_release(line, step.number % 2)

    def _cancel(self, step: Step) -> None:
        line = self._chosen(step)
        if line is None:
            return
        waiting = [token for token, asked in line.asked.items() if asked.event is None]
        waiting = [token for token in waiting if token not in line.held]
        if waiting:
            token = waiting[step.number % len(waiting)]
            line.asked[token].cancelled = True
            # rfc8166 8.1.4: its memory goes at once; a Responder that still uses it is cut off.
            line.may_be_lost = True
            line.client.cancel(token)

    def _wait(self, step: Step) -> None:
        for _ in range(1 + step.number % 8):
            for line in self._lines:
                line.client.driver.wait(self._patience)

    def _fault(self, step: Step) -> None:
        if self._inject is not None:
            self._inject(step.number)
            self._faulty = True  # until the end: what was broken stays so
            for line in self._lines:
                line.may_be_lost = True

    def _drop(self, step: Step) -> None:
        line = self._chosen(step)
        if line is not None:
            line.may_be_lost = True
            line.client.close()

    def _repeat(self, step: Step) -> None:
        """Send the calls of lost connections again, on one that stands."""
        line = self._chosen(step)
        if line is None:
            return
        for asked in self._lost:
            token = self._ask(line, asked.payload)
            line.asked[token].repeated = True
        self._lost.clear()

    def _backward(self, step: Step) -> None:
        """Have the server call back, once it knows that it may."""
        line = self._chosen(step)
        if line is None:
            return
        if not line.is_ready:
            line.is_ready = True
            self._ask_unknown(line, backprog.ready(self._new_xid(), line.identity))
        count, length = 1 + step.number % 5, 40 * (step.number // 5 % 12)
        line.wanted_back += count
        self._ask_unknown(line, backprog.call(self._new_xid(), line.identity, count, length))

    # -- calls

    def _chosen(self, step: Step) -> ApplicationLine | None:
        standing = [line for line in self._lines if not line.client.driver.gone]
        return standing[step.line % len(standing)] if standing else None

    def _new_xid(self) -> int:
        return (self._first_xid + len(self._payloads)) % 2**32

    def _ask(self, line: ApplicationLine, payload: bytes) -> int:
        self._payloads[int.from_bytes(payload[:4])] = payload
        token = line.client.call(self._layer, payload)
        line.asked[token] = Asked(payload, calls.expected_reply(payload))
        return token

    def _ask_unknown(self, line: ApplicationLine, payload: bytes) -> int:
        """A call whose results only the Responder knows."""
        self._payloads[int.from_bytes(payload[:4])] = payload
        token = line.client.call(self._layer, payload)
        line.asked[token] = Asked(payload, b"", repeatable=False)
        return token

    def _send_release(self, line: ApplicationLine, token: int) -> None:
        self._ask_unknown(line, calls.release(self._new_xid(), token))

    def _release_all(self, line: ApplicationLine) -> None:
        if line.held and not line.client.driver.gone:
            self._send_release(line, 0)
            self._send_release(line, 1)

    # -- what comes of it

    def _settle(self) -> None:
        """Wait until every call is over, or nothing has happened for long."""
        idle = 0
        while idle < _SETTLING and any(self._open(line) for line in self._lines):
            busy = [line.client.driver.wait(self._patience * 10) for line in self._lines]
            self._collect()
            idle = 0 if any(busy) else idle + 1

    def _check_backward(self) -> None:
        """Every backward Call to a client whose connection stands has been answered."""
        for line in [line for line in self._lines if line.wanted_back and not line.may_be_lost]:
            tally = self._tally(line)
            for _ in range(_SETTLING):
                if tally is None or not tally.pending:
                    break
                line.client.driver.wait(self._patience * 10)
                tally = self._tally(line)
            if tally != backprog.Tally(0, line.wanted_back, 0):
                self.problems.append(f"{line.wanted_back} backward Calls were due: {tally}")
        self._collect()

    def _tally(self, line: ApplicationLine) -> backprog.Tally | None:
        """What the server knows of the backward Calls to a client; None if it does not say."""
        token = self._ask_unknown(line, backprog.state(self._new_xid(), line.identity))
        self._settle()
        event = line.asked[token].event
        return backprog.decode_state(event.payload) if isinstance(event, ReplyReceived) else None

    def _open(self, line: ApplicationLine) -> bool:
        return not line.client.driver.gone and any(
            asked.event is None for asked in line.asked.values()
        )

    def _collect(self) -> None:
        for line in self._lines:
            delivered = line.client.driver.delivered
            while delivered:
                self._concluded(line, delivered.popleft())
        gone = [line for line in self._lines if line.client.driver.gone]
        for line in gone:
            self._check_open(line)
            line.client.close()
        self._lines = [line for line in self._lines if line not in gone]
        events = self._fabric.trace.events
        self._judge.take(events[self._judged :])
        self._judged = len(events)
        self.problems += map(str, self._judge.problems)
        self._judge.problems.clear()

    def _concluded(self, line: ApplicationLine, event: ApplicationEvent) -> None:
        asked = line.asked.get(event.token)
        if asked is None or asked.event is not None:
            self.problems.append(f"call {event.token} is over twice, or was never made")
            return
        asked.event = event
        if event.token in line.held:
            line.held.remove(event.token)
        if isinstance(event, ReplyReceived):
            if asked.wanted and event.payload != asked.wanted:
                self.problems.append(f"the Reply to {asked} is not its own")
        else:
            self._failed(line, asked, event)

    def _failed(self, line: ApplicationLine, asked: Asked, event: CallFailed) -> None:
        if event.failure is Failure.CONNECTION_LOST and line.may_be_lost:
            self._lost += [asked] if asked.repeatable else []
        elif event.failure is Failure.CANCELLED and asked.cancelled:
            return
        elif event.failure is Failure.REFUSED_CHUNKS and asked.repeated:
            return  # rfc8166 4.5.3: it cost a connection before
        else:
            self.problems.append(f"{asked} failed: {event.failure.value}")

    def _check_open(self, line: ApplicationLine) -> None:
        """Every call of a line that is over has ended, in one way or another."""
        waiting = [token for token, asked in line.asked.items() if asked.event is None]
        if waiting:
            self.problems.append(f"calls {waiting} never ended")
