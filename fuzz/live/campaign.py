"""Fuzzes a running device for a time, guided by what its code and its answers show.

An input is kept in the corpus if it reaches a block that none before had reached, or is answered in
a way that none was; the next inputs are made of those.  What is wrong is a finding, and the
campaign goes on; a device that has died is started again.
"""

from __future__ import annotations

import traceback
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from conformance.tester.case import Inconclusive
from fuzz.live.causes import without_numbers
from fuzz.live.reach import ModuleReach, ReachSample, reach_of
from fuzz.sequence import split
from reports.summary import counted
from targets.lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fuzz.live.corpus import LiveCorpus
    from fuzz.live.coverage import Block, BlockCoverage
    from fuzz.live.execution import AnyLiveExecutor, LiveExecution
    from fuzz.live.findings import LiveFindings

__all__ = ["LiveCampaign", "LivePulse"]

_SAMPLE_S: Final = 10.0
_MOST_ANSWERS: Final = 4000
"""Kinds of answers that count as something new; no device of ours has a tenth of them."""

_WINDOW: Final = 16
"""Inputs that are looked at where the last alone does not bring the device down again."""


@dataclass(slots=True)
class LivePulse:
    """How far a campaign is.

    Attributes:
        seconds: since it began.
        inputs: sequences that were tried.  messages: that were sent.
        kept_back: messages that were not, since they may do harm.
        blocks, functions: of the device's code that were reached; 0 where nobody can look.
        corpus: inputs that each reached something of their own.
        findings: causes that were found.  deaths: how often the device had to be started again.
        stopped: why it ended early; empty if it did not.
        samples: how far it was, from time to time.
    """

    seconds: float = 0.0
    inputs: int = 0
    messages: int = 0
    kept_back: int = 0
    blocks: int = 0
    functions: int = 0
    corpus: int = 0
    findings: int = 0
    deaths: int = 0
    stopped: str = ""
    samples: list[ReachSample] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Inputs a second."""
        return self.inputs / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        reached = f" {self.blocks} blocks in {self.functions} functions," if self.blocks else ""
        return (
            f"{self.inputs} inputs, {self.rate:.0f} a second,{reached} corpus {self.corpus},"
            f" {counted(self.findings, 'finding')}, {counted(self.deaths, 'start')} after a death"
        )


class LiveCampaign:
    """One campaign.

    Attributes:
        pulse: how far it is.
        known: blocks that were reached.
    """

    def __init__(
        self,
        executor: AnyLiveExecutor,
        coverage: BlockCoverage,
        corpus: LiveCorpus,
        findings: LiveFindings,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Begin with nothing tried.

        Args:
            executor: of the device.
            coverage: of the same.
            corpus: to which is added.
            findings: to which is added.
            clock: by which the time is measured.
        """
        self.pulse = LivePulse()
        self.known: set[Block] = set()
        self._executor = executor
        self._coverage = coverage
        self._corpus = corpus
        self._findings = findings
        self._clock = clock
        self._began = clock()
        self._answers: set[str] = set()
        self._functions: set[tuple[str, str]] = set()
        self._recent: deque[bytes] = deque(maxlen=_WINDOW)

    def run(
        self,
        seeds: Iterable[bytes],
        seconds: float,
        progress: Callable[[LivePulse], None] = lambda pulse: None,
    ) -> LivePulse:
        """Try the seeds, then what is made of the corpus, until the time is over.

        It ends early where the device serves nobody, not even after having been started again, by
        an interruption, and by an error of the suite: what was found until then is told all the
        same.

        Args:
            seeds: inputs to begin with.
            seconds: for how long; what the last finding takes to be made smaller comes on top.
            progress: is told how far it is.

        Raises:
            Inconclusive: the device has never served.
        """
        self._executor.prepare()
        self._coverage.begin()
        self._reached(self._coverage.reached())
        self._began = self._clock()
        self._sample()
        waiting = deque(seeds)
        try:
            while self._clock() - self._began < seconds:
                self._try(waiting.popleft() if waiting else self._corpus.next())
                self._tell(progress)
        except (Inconclusive, LabError) as error:
            self.pulse.stopped = str(error)
        except KeyboardInterrupt:
            self.pulse.stopped = "interrupted"
        except Exception as error:  # noqa: BLE001  # whatever it is, it must not cost what was found
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}, line {place.lineno}"
            self.pulse.stopped = f"an error of the suite, to be reported: {error!r} in {where}"
        self._executor.renew()
        self._sample()
        self._tell(progress)
        return self.pulse

    def _try(self, octets: bytes) -> None:
        self._executor.prepare()
        self._coverage.begin()
        self._recent.append(octets)
        execution = self._executor.run(split(octets))
        new_blocks = self._reached(self._coverage.since())
        new_answers = self._answered(execution)
        self.pulse.inputs += 1
        self.pulse.messages += len(execution.outcomes) - execution.kept_back
        self.pulse.kept_back += execution.kept_back
        self._findings.look(execution, tuple(self._recent))
        if execution.unserved:
            self._recent.clear()
        elif new_blocks or new_answers:
            self._corpus.add(octets)

    def _reached(self, blocks: frozenset[Block]) -> bool:
        new = blocks - self.known
        self.known |= new
        self._functions |= {(block.module, block.function) for block in new}
        return bool(new)

    def _answered(self, execution: LiveExecution) -> bool:
        """Whether a message was answered in a way that none was before."""
        kinds = {
            without_numbers(outcome) for fired in execution.outcomes for outcome in fired.outcomes
        }
        new = kinds - self._answers
        if len(self._answers) < _MOST_ANSWERS:
            self._answers |= new
            return bool(new)
        return False

    def _tell(self, progress: Callable[[LivePulse], None]) -> None:
        pulse = self.pulse
        pulse.seconds = self._clock() - self._began
        pulse.blocks, pulse.functions = len(self.known), len(self._functions)
        pulse.corpus = len(self._corpus)
        pulse.findings, pulse.deaths = len(self._findings.kept), self._findings.deaths
        if pulse.seconds - pulse.samples[-1].seconds >= _SAMPLE_S:
            self._sample()
        progress(pulse)

    def _sample(self) -> None:
        seconds = round(self._clock() - self._began, 1)
        modules: dict[str, ModuleReach] = reach_of(self.known, self._coverage.functions())
        self.pulse.samples.append(ReachSample(seconds, self.pulse.inputs, modules))
