"""The stateful machine: whatever is done in whatever order, no rule is broken.

    rfc8166 section 3.3.1  credits;  4.4.1 memory;  2.2.2 replies;  4.5.5 lost connections

Invariants: no Reply lost, doubled or mixed up; every octet where it belongs; no credit rule broken;
no memory left exposed; every message of both ends allowed by the oracles.  What the rules do is in
`conformance.explore.exchange`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from conformance.explore.exchange import MOST_LINES, RecipeRun
from conformance.explore.recipes import Step
from conformance.explore.sequences import CALL_RECIPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.explore.recipes import CallRecipe

__all__ = ["ExchangeMachine"]

_LINES = st.integers(0, 2)
_NUMBERS = st.integers(0, 63)


def _connected(machine: ExchangeMachine) -> bool:
    return machine.exchange.lines > 0


class ExchangeMachine(RuleBasedStateMachine):
    """Several clients and one Responder; a subclass says which, by `start`.

    Attributes:
        latest: the steps of the run that ended last: after a failure, of the smallest one.
    """

    start: ClassVar[Callable[[], tuple[RecipeRun, Callable[[], None]]]]
    """Makes a fresh exchange, and what releases it."""

    latest: ClassVar[list[Step]] = []

    def __init__(self) -> None:
        super().__init__()
        self.exchange, self.release = type(self).start()
        self.steps: list[Step] = []
        type(self).latest = self.steps

    def do(self, step: Step) -> None:
        """Run a step; the invariants hold after each."""
        self.steps.append(step)
        self.exchange.run(step)
        assert not self.exchange.problems, self.exchange.problems  # noqa: S101  # how rules fail

    @initialize(number=_NUMBERS)
    def first_connection(self, number: int) -> None:
        """Connect for the first time."""
        self.do(Step("connect", number=number))

    @precondition(lambda self: self.exchange.lines < MOST_LINES)
    @rule(number=_NUMBERS)
    def connect(self, number: int) -> None:
        """One more connection."""
        self.do(Step("connect", number=number))

    @precondition(_connected)
    @rule(line=_LINES, calls=st.lists(CALL_RECIPES, min_size=1, max_size=6))
    def call(self, line: int, calls: list[CallRecipe]) -> None:
        """Several calls at once."""
        for recipe in calls:
            self.do(Step("call", line, call=recipe))

    @precondition(_connected)
    @rule(line=_LINES, number=_NUMBERS)
    def hold(self, line: int, number: int) -> None:
        """A call whose Reply is kept back."""
        self.do(Step("hold", line, number))

    @precondition(_connected)
    @rule(line=_LINES, number=_NUMBERS)
    def release_held(self, line: int, number: int) -> None:
        """Replies that were kept back."""
        self.do(Step("release", line, number))

    @precondition(_connected)
    @rule(line=_LINES, number=_NUMBERS)
    def backward(self, line: int, number: int) -> None:
        """The server calls back."""
        self.do(Step("backward", line, number))

    @precondition(_connected)
    @rule(line=_LINES, number=_NUMBERS)
    def cancel(self, line: int, number: int) -> None:
        """Give a call up."""
        self.do(Step("cancel", line, number))

    @precondition(_connected)
    @rule(number=_NUMBERS)
    def wait(self, number: int) -> None:
        """Let some messages pass."""
        self.do(Step("wait", number=number))

    @rule(number=_NUMBERS)
    def fault(self, number: int) -> None:
        """Something goes wrong below."""
        self.do(Step("fault", number=number))

    @precondition(lambda self: self.exchange.lines > 1)
    @rule(line=_LINES)
    def drop(self, line: int) -> None:
        """The client hangs up."""
        self.do(Step("drop", line))

    @precondition(_connected)
    @rule(line=_LINES)
    def repeat(self, line: int) -> None:
        """Calls of lost connections are sent again."""
        self.do(Step("repeat", line))

    def teardown(self) -> None:
        """Let everything come to its end."""
        try:
            if not self.exchange.problems:
                self.exchange.finish()
            assert not self.exchange.problems, self.exchange.problems  # noqa: S101  # likewise
        finally:
            self.exchange.abandon()
            self.release()
