"""Executions that no device has made, and coverage that nobody has counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.explore.firing import Fired
from fuzz.live.execution import LiveExecution
from reports.record import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.live.coverage import Block

__all__ = ["FakeCoverage", "FakeExecutor", "answered", "failed", "kept_back"]


def answered(*outcomes: str) -> LiveExecution:
    """One message that was answered so, as it may be."""
    return LiveExecution((Fired(b"", "7 octets", ("a Reply",), outcomes, Verdict.PASS),))


def failed(reason: str, *violated: str) -> LiveExecution:
    """One message whose answer is not allowed."""
    fired = Fired(b"", "7 octets", ("a Reply",), ("silence",), Verdict.FAIL, reason, violated)
    return LiveExecution((fired,))


def kept_back() -> LiveExecution:
    """One message that was not sent."""
    return LiveExecution((Fired(b"", "7 octets", (), (), Verdict.NA, "it may do harm"),))


class FakeExecutor:
    """Does what a function says, and nothing else.

    Attributes:
        is_patient: whether the last run was to wait long.
    """

    def __init__(self, does: Callable[[list[bytes]], LiveExecution]) -> None:
        self.avoided: set[str] = set()
        self.ran: list[list[bytes]] = []
        self.ran_alone: list[list[bytes]] = []
        self.is_patient = False
        self._does = does

    def prepare(self) -> None:
        """Nothing."""

    def renew(self) -> None:
        """Nothing."""

    def run(self, sequence: Sequence[bytes]) -> LiveExecution:
        """Do it."""
        self.ran.append(list(sequence))
        return self._does(list(sequence))

    def run_alone(self, sequence: Sequence[bytes], *, patient: bool = True) -> LiveExecution:
        """Do it."""
        self.ran_alone.append(list(sequence))
        self.is_patient = patient
        return self._does(list(sequence))


class FakeCoverage:
    """The blocks of a function of the inputs of an executor."""

    def __init__(self, executor: FakeExecutor, blocks: Callable[[list[bytes]], set[Block]]) -> None:
        self._executor = executor
        self._blocks = blocks
        self._begun = 0

    def begin(self) -> None:
        """Remember what was run."""
        self._begun = len(self._executor.ran)

    def since(self) -> frozenset[Block]:
        """The blocks of what was run since."""
        return self._of(self._executor.ran[self._begun :])

    def reached(self) -> frozenset[Block]:
        """The blocks of all that was run."""
        return self._of(self._executor.ran)

    def functions(self) -> frozenset[tuple[str, str]]:
        """Two of one module."""
        return frozenset({("rpcrdma", "receive"), ("rpcrdma", "send")})

    def _of(self, ran: list[list[bytes]]) -> frozenset[Block]:
        return frozenset(block for messages in ran for block in self._blocks(messages))
