"""A lab that boots nothing, for commands that run as a whole in a guest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from targets.lab.lab import Ending, LabResult, LabRun

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class FakeLab:
    """Notes what it is to run.  Each run prints a line, and exits with the status.

    Attributes:
        status: of each command.
        ending: of each run.
        asked: the runs, in order.
    """

    status: int
    ending: Ending = Ending.EXITED
    asked: list[LabRun] = field(default_factory=list)

    def run(self, run: LabRun, on_line: Callable[[str], None]) -> LabResult:
        """As `targets.lab.lab.run_in_lab`."""
        self.asked.append(run)
        on_line("hello")
        exited = self.ending is Ending.EXITED
        return LabResult(self.ending, self.status if exited else None, 1.0)
