"""Explores a target for a time: draws, judges, shrinks, and keeps what failed as files.

Two ways: `calls` fires generated messages at a Responder (`conformance.explore.firing`),
`exchanges` drives it with several reference clients (`conformance.explore.machine`).  A finding
is kept once for each set of requirements that it breaks, as the smallest sequence that was seen;
exploring goes on, so that one known deviation does not hide others.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.stateful import run_state_machine_as_test

from conformance.explore.finding import Finding
from conformance.explore.firing import fire_all
from conformance.explore.machine import ExchangeMachine
from conformance.explore.replay import open_exchange, require_test_program
from conformance.explore.sequences import SEQUENCES
from conformance.tester.case import Inconclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.explore.exchange import RecipeRun
    from conformance.explore.firing import Fired
    from conformance.explore.recipes import Shot, Step
    from conformance.tester.client.harness import Harness

__all__ = ["Exploration", "Way", "explore"]

_STEPS: Final = 25
_SHRINKING: Final = 45.0
"""Seconds that making a finding smaller may take."""


class Way(Enum):
    """What is generated."""

    CALLS = "calls"
    EXCHANGES = "exchanges"


_ROUND: Final = {Way.CALLS: 40, Way.EXCHANGES: 10}
"""Examples of one round of hypothesis, all from one seed; between two looks at the clock."""


@dataclass(slots=True)
class Exploration:
    """What a time of exploring gave.

    Attributes:
        rounds: from how many seeds.
        examples: sequences tried.  judged: messages or steps in them.
        findings: the smallest for each kind.
        stopped: why it ended early: the target serves no more; empty if it did not.
    """

    rounds: int = 0

    examples: int = 0
    judged: int = 0
    findings: dict[tuple[str, ...], Finding] = field(default_factory=dict)
    stopped: str = ""


class _BrokenRule(AssertionError):
    """For hypothesis: this example fails, as an `assert` of the machine's would."""


def explore(
    harness: Harness,
    way: Way,
    seconds: float,
    first_seed: int,
    progress: Callable[[str], None] = lambda line: None,
    clock: Callable[[], float] = time.monotonic,
    *,
    destructive: bool = False,
) -> Exploration:
    """Explore for so many seconds of the clock (and what the last finding takes to shrink).

    It ends early where the target serves no more and cannot be started again.

    Args:
        harness: of the running target.
        way: what is generated.
        seconds: for how long.
        first_seed: of the first round.
        progress: is told of each new finding.
        clock: by which the time is measured.
        destructive: send also what may bring a real device down.

    Raises:
        BadInput: the target's program is not the one that the clients speak.
        Inconclusive: the target has never served.
    """
    harness.begin()
    result = Exploration()
    explorer = _Explorer(harness, way, clock() + seconds, clock, result, destructive=destructive)
    if way is Way.EXCHANGES:
        require_test_program(harness)
    while clock() < explorer.end and not result.stopped:
        known = len(result.findings)
        try:
            explorer.round(first_seed + result.rounds)
        except Inconclusive as error:
            if not result.examples:
                raise
            result.stopped = str(error)
        result.rounds += 1
        if len(result.findings) > known:
            newest = list(result.findings.values())[-1]
            progress(f"found with seed {newest.seed}: {newest.detail}")
    return result


def _alike(problem: str) -> str:
    """The problem without its numbers, so that findings of one kind have one name."""
    return re.sub(r"\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b", "N", problem)


class _Explorer:
    """One exploration under way."""

    def __init__(
        self,
        harness: Harness,
        way: Way,
        end: float,
        clock: Callable[[], float],
        result: Exploration,
        *,
        destructive: bool,
    ) -> None:
        self.end = end
        self._destructive = destructive
        self.result = result
        self._clock = clock
        self._harness = harness
        self._way = way
        self._target = harness.target.name
        self._seed = 0
        self._patience = 0.0  # until when the finding at hand may be made smaller
        self._known: frozenset[tuple[str, ...]] = frozenset()

    def round(self, number: int) -> None:
        """Try some examples, all of which follow from the number."""
        self._seed = number
        self._patience = 0.0
        self._known = frozenset(self.result.findings)
        chosen = settings(
            max_examples=_ROUND[self._way],
            stateful_step_count=_STEPS,
            database=None,
            deadline=None,
            derandomize=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
        )
        try:
            if self._way is Way.CALLS:
                seed(number)(chosen(given(SEQUENCES)(self._shots)))()
            else:
                run_state_machine_as_test(seed(number)(self._machine()), settings=chosen)
        except (AssertionError, HypothesisException, ExceptionGroup):
            # What failed has been noted; that a device does not fail twice is no reason to stop.
            return

    def _over(self) -> bool:
        return self._clock() > (self._patience or self.end)

    def _shots(self, shots: list[Shot]) -> None:
        if self._over():
            return
        failed = fire_all(self._harness, shots, destructive=self._destructive)
        self.result.examples += 1
        self.result.judged += len(shots)
        new = [fired for fired in failed if self._key(fired) not in self._known]
        if new:
            # The gravest first: that the device has died, or serves nobody any more.
            fired = next((one for one in new if not one.octets), new[0])
            finding = Finding(
                Way.CALLS.value,
                self._target,
                self._seed,
                self._key(fired),
                f"{fired.what}: {fired.reason}",
                shots=tuple(shots),
            )
            self._note(finding)

    @staticmethod
    def _key(fired: Fired) -> tuple[str, ...]:
        return fired.violated or (_alike(fired.reason),)

    def _machine(self) -> type[ExchangeMachine]:
        explorer = self

        class Machine(ExchangeMachine):
            """Several clients and the target."""

            start = staticmethod(lambda: (explorer.exchange(), lambda: None))

            def teardown(self) -> None:
                """See what became of it."""
                try:
                    super().teardown()
                finally:
                    explorer.ran(self.exchange, self.steps)

        return Machine

    def exchange(self) -> RecipeRun:
        """A fresh exchange, with XIDs that none before had."""
        return open_exchange(self._harness)

    def ran(self, exchange: RecipeRun, steps: Sequence[Step]) -> None:
        self.result.examples += 1
        self.result.judged += len(steps)
        if exchange.problems:
            problem = exchange.problems[0]
            finding = Finding(
                Way.EXCHANGES.value,
                self._target,
                self._seed,
                (_alike(problem),),
                problem,
                steps=tuple(steps),
            )
            if not self._patience or self._clock() < self._patience:
                self._note(finding)

    def _note(self, finding: Finding) -> None:
        """Keep it if it is new or smaller, and tell hypothesis to go on shrinking."""
        kept = self.result.findings.get(finding.broken)
        if kept is None or len(finding.sequence) < len(kept.sequence):
            self.result.findings[finding.broken] = finding
        self._patience = self._patience or self._clock() + _SHRINKING
        raise _BrokenRule(finding.detail)
