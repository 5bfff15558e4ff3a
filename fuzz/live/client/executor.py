"""Runs turns at a client that runs elsewhere, and judges it by the oracle of Requesters.

For each turn the client is told to act, and the tester, as its server, does about its calls what
the turn says.  A call that may wait after that gets its right Reply once nothing else comes; what
has not ended then is cut off, so that the client makes its calls again on a new connection.  After
some turns the client must make a good call.  One that has died, or makes none, is started again.

Waiting is short, as for servers (`fuzz.live.executor`); what fails is tried again with patience.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.explore.firing import Fired
from conformance.tester.case import CaseLog, Deviation, Flooded, Inconclusive
from conformance.tester.server.operations import operations_of_clients
from fuzz.live.client.backward import BackwardAnswers
from fuzz.live.client.dangers import danger_of_move
from fuzz.live.client.judging import judged
from fuzz.live.client.moves import ServedTurn
from fuzz.live.client.recipes import Turn, decode_turn, encode_turn
from fuzz.live.client.serving import serve_turn
from fuzz.live.vitals import Vitals
from reports.record import Verdict
from rpcrdma.fabric.clock import VirtualClock
from rpcrdma.fabric.trace import Trace
from targets.base import ActKind, Unsupported
from targets.profile import Binding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.tester.server import Line
    from conformance.tester.server.harness import ClientHarness
    from fuzz.live.execution import LiveExecution

__all__ = ["ClientExecutor"]

_HASTY_QUIET_S: Final = 0.06
"""For which nothing comes before pending calls get their right Replies; under TCG a client goes on
within a few milliseconds."""

_STUCK_S: Final = 1.5
"""For which nothing comes before the connection is ended: a client reckons for no longer."""

_KEPT: Final = 8
"""Messages, of earlier turns, too, that a turn can send again."""

_AWAITED: Final = frozenset(
    {ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.LONG_REPLY, ActKind.MANY_READS}
)
"""Acts that are over when each of their calls is."""


class ClientExecutor:
    """Runs sequences of turns (see `fuzz.live.execution.AnyLiveExecutor`).

    Attributes:
        avoided: classes of moves that are kept back though the user lets them be made: each has
            brought the client down.
    """

    def __init__(self, harness: ClientHarness, *, destructive: bool, every: int = 16) -> None:
        """Take a client that has been started.

        Args:
            harness: of the client.
            destructive: make also moves that may harm a client that is not in this process.
            every: after so many sequences it must make a good call.
        """
        self.avoided: set[str] = set()
        self._harness = harness
        self._is_here = isinstance(harness.session.fabric.clock, VirtualClock)
        self._destructive = destructive or self._is_here
        self._every = every
        self._ran = 0
        self._is_open = False
        self._is_patient = False
        self._dangers: set[str] = set()
        self._impossible: dict[Turn, bool] = {}
        self._sent: deque[bytes] = deque(maxlen=_KEPT)
        self._misled = False  # by results that it was given since it was seen to be well
        settling = 0.0 if self._is_here else harness.profile.grace
        self._vitals = Vitals(harness.life, lambda: harness.session, settling)

    def prepare(self) -> None:
        """See that the client makes a good call, if that is not known.

        Raises:
            Inconclusive: it makes none, not even after having been started again.
        """
        if self._is_open:
            return
        self._vitals.look()
        self._harness.begin()
        self._harness.ready()
        self._vitals.begun()
        self._is_open = True
        self._ran = 0

    def renew(self) -> None:
        """Have the next sequence begin on a new connection."""
        self._is_open = False
        self._harness.end()

    def run(self, sequence: Sequence[bytes]) -> LiveExecution:
        """Take the turns, one after the other.

        Raises:
            Inconclusive: the client makes no good call, not even after having been started again.
            BadInput: a message is no turn.
        """
        turns = [decode_turn(message) for message in sequence]
        self.prepare()
        if (late := self._vitals.take_late()) is not None:
            return late
        self._dangers.clear()
        self._ran += 1
        outcomes: list[Fired] = []
        problem = ""
        try:
            for turn in turns:
                outcomes.append(self._possible(turn, self._take(turn)))
                if problem := self._harness.life.death():
                    break
            if not problem and self._ran >= self._every:
                self._ran = 0
                self._check()
            if not problem and self._is_patient:
                self._vitals.settle()
        except (Deviation, Flooded) as error:
            problem = self._harness.life.death() or str(error)
        execution = self._vitals.execution(outcomes, problem, self._dangers)
        if execution.unserved:
            self.renew()
        return execution

    def run_alone(self, sequence: Sequence[bytes], *, patient: bool = True) -> LiveExecution:
        """Take the turns on a connection of their own, and see that a good call is made.

        Args:
            sequence: the turns.
            patient: wait as long for the client as the profile says.

        Raises:
            Inconclusive: the client makes no good call, not even after having been started again.
            BadInput: a message is no turn.
        """
        self.renew()
        self.prepare()
        self._ran, self._is_patient = self._every, patient
        try:
            return self.run(sequence)
        finally:
            self._is_patient = False

    def _check(self) -> None:
        """See that the client makes a good call.

        Raises:
            Deviation: it does not, though it was given no wrong results, which it may believe.
        """
        misled, self._misled = self._misled, False
        try:
            self._harness.check_after()
        except Deviation:
            if not misled or self._harness.life.death():
                raise
            self.renew()

    # -- one turn

    def _possible(self, turn: Turn, fired: Fired) -> Fired:
        """What a turn showed; nothing if its act fails by itself, which breaks no rule.

        Raises:
            Deviation: as `_take`.
        """
        broke_a_rule = any(not rule.warns for rule in self._harness.service.violations)
        if fired.verdict is not Verdict.FAIL or broke_a_rule:
            return fired
        act = Turn(turn.act, turn.length, turn.count, turn.offset)
        if act not in self._impossible:
            self._impossible[act] = self._take(act).verdict is not Verdict.PASS
        if not self._impossible[act]:
            return fired
        reason = f"the client does not do this well in any case: {act}"
        return replace(fired, verdict=Verdict.INCONC, reason=reason, violated=())

    def _take(self, turn: Turn) -> Fired:
        """Take one turn, and judge it; what may do harm is left out.

        Raises:
            Deviation: the act does not end, though everything was answered.
        """
        kept_back = self._kept_back(turn)
        if kept_back:
            return Fired(encode_turn(turn), str(turn), (), (), Verdict.NA, kept_back)
        harness, service = self._harness, self._harness.service
        harness.case = CaseLog()
        harness.session.fabric.trace = Trace()
        harness.client.forget_ended()
        service.begin(harness.case, keep_connections=True)
        served = ServedTurn(service, self._sent)
        backward = BackwardAnswers(served.back, service.call_threshold)
        service.divert = lambda _line, octets: backward.take(octets)
        try:
            act = harness.client.begin(turn.act, turn.length, turn.count, offset=turn.offset)
        except (Inconclusive, Unsupported) as error:
            return Fired(encode_turn(turn), str(turn), (), (str(error),), Verdict.INCONC)
        clock = harness.session.fabric.clock
        quiet = harness.profile.grace
        if not self._is_patient:
            quiet = min(quiet, _HASTY_QUIET_S)
        serve_turn(served, act, turn, clock, quiet, _STUCK_S + quiet)
        try:
            result = service.serve_until(act)
        except Deviation:
            if not service.violations:
                raise
            # What the client breaks may be why it waits for ever; the good act tells if it lives.
            act.abandon()
            result = service.serve_until(act)
        # What a cache reads ahead, nobody may have waited for.
        exposed = served.exposed() if turn.act in _AWAITED else ""
        service.recover()
        service.done()
        self._misled |= served.alters
        if turn.act is ActKind.NULL and not result.done:
            # By NULL a client mounts again, and is not mounted if it fails.
            self._misled, self._ran = True, self._every
        operations = operations_of_clients(harness.trace.events)
        return judged(
            turn,
            result,
            (*service.violations, *backward.broken, *operations),
            backward.told,
            lost=served.costs,
            exposed=exposed,
            closed=any(_has_ended(line) for line in service.lines),
            alters=served.alters,
            # Nobody waits for what gives NFSv4's state back, such as CLOSE.
            early=served.is_early and harness.profile.binding is not Binding.NFS4,
            early_after=served.early_after,
        )

    def _kept_back(self, turn: Turn) -> str:
        """Why a turn is not taken; notes what it may do if it is."""
        if self._is_here:
            return ""
        dangers = {danger_of_move(move) for moves in turn.answers for move in moves} - {""}
        for danger in sorted(dangers):
            if not self._destructive or danger in self.avoided:
                return danger
        self._dangers |= dangers
        return ""


def _has_ended(line: Line) -> bool:
    """Whether the client has ended a connection of its own accord."""
    return not line.connected and not line.lost and not line.fell_asleep
