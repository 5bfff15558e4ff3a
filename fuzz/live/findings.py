"""What a campaign found: the first of each cause, seen twice, made smaller and kept as a file.

rpcrdma replay FILE PROFILE      # does it again
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Final

from conformance.explore.finding import Finding, keep
from conformance.tester.case import Inconclusive
from fuzz.live.causes import DIED, Cause, causes_of
from fuzz.live.fresh_xids import with_fresh_xids
from fuzz.live.reducing import reduced
from fuzz.sequence import MOST_MESSAGES, join, split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fuzz.live.executor import LiveExecution, LiveExecutor

__all__ = ["KeptFinding", "LiveFindings"]

_FIRST_XID: Final = 0x7000_0001

_MOST_LOOKS: Final = 3
"""At a cause that does not show again; after them it is counted and not looked at."""

_TRIES: Final = 100
_GRAVE_TRIES: Final = 8
"""To make a finding smaller; each of those that bring the device down costs a start."""

_PATIENCE_S: Final = 5.0
"""For making one smaller that does not bring the device down."""


@dataclass(slots=True)
class KeptFinding:
    """One cause.

    Attributes:
        cause: as it was seen first.
        file: where it is kept.
        seconds: when it was, since the campaign began.
        count: how many inputs showed it.
        shown_again: whether the sequence in the file did it once more.
    """

    cause: Cause
    file: Path
    seconds: float = 0.0
    count: int = 1
    shown_again: bool = True


class LiveFindings:
    """The findings of one campaign.

    Attributes:
        kept: by their causes.
        deaths: how often the device died or served nobody any more.
    """

    def __init__(
        self,
        executor: LiveExecutor,
        folder: Path,
        harness: str,
        target: str,
        seed: int,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Begin with none.

        Args:
            executor: tries sequences again.
            folder: for the files.
            harness: whose inputs the sequences are (`fuzz.registry`).
            target: name of the device's profile.
            seed: of the campaign.
            clock: by which patience is measured.
        """
        self.kept: dict[tuple[str, ...], KeptFinding] = {}
        self.deaths = 0
        self._executor = executor
        self._folder = folder
        self._finding = Finding(harness, target, seed)
        self._looks: Counter[tuple[str, ...]] = Counter()
        self._clock = clock
        self._began = clock()

    def look(self, execution: LiveExecution, inputs: Sequence[bytes]) -> bool:
        """Look at what became of an input; returns whether anything was wrong with it.

        Args:
            execution: of the last input.
            inputs: it, and those before it since the device was seen to serve.

        Raises:
            Inconclusive: the device serves nobody, not even after having been started again.
        """
        causes = causes_of(execution)
        self.deaths += any(cause.is_grave for cause in causes)
        for cause in causes:
            known = self.kept.get(cause.key)
            if known is not None:
                known.count += 1
            elif self._looks[cause.key] < _MOST_LOOKS:
                self._looks[cause.key] += 1
                self._look_again(cause, execution, inputs)
        return bool(causes)

    def _look_again(self, cause: Cause, execution: LiveExecution, inputs: Sequence[bytes]) -> None:
        last = split(inputs[-1])
        earlier = [message for octets in inputs for message in split(octets)][-MOST_MESSAGES:]
        tried = (last, earlier) if cause.is_grave and len(inputs) > 1 else (last,)
        try:
            if any(self._shown_again(cause, messages) for messages in tried):
                return
        except Inconclusive:
            if cause.is_grave and cause.key not in self.kept:
                # It was the last thing that the device did.
                self._keep(cause, execution, earlier, shown_again=False)
            raise
        if cause.broken == (DIED,):
            # A machine's death is told whether it can be brought about again or not.
            self._keep(cause, execution, earlier, shown_again=False)

    def _shown_again(self, cause: Cause, messages: list[bytes]) -> bool:
        """Whether a sequence does it once more; it is then kept as small as can be."""
        again = self._executor.run_alone(messages)
        self._count(again)
        seen = _shown(again, cause)
        if seen is None:
            return False
        try:
            smallest = self._smaller(messages, cause)
        except Inconclusive:
            self._keep(seen, again, messages)
            raise
        self._keep(seen, again, smallest)
        return True

    def _smaller(self, messages: list[bytes], cause: Cause) -> list[bytes]:
        end = self._clock() + _PATIENCE_S

        def does_it(candidate: list[bytes]) -> bool:
            if not cause.is_grave and self._clock() >= end:
                return False
            again = self._executor.run_alone(candidate, patient=cause.is_grave)
            self._count(again)
            return _shown(again, cause) is not None

        smallest = reduced(messages, does_it, _GRAVE_TRIES if cause.is_grave else _TRIES)
        # What was tried in haste may show an answer that comes late.
        if cause.is_grave or _shown(self._executor.run_alone(smallest), cause):
            return smallest
        return messages

    def _count(self, again: LiveExecution) -> None:
        self.deaths += bool(again.unserved)

    def _keep(
        self,
        cause: Cause,
        execution: LiveExecution,
        messages: list[bytes],
        *,
        shown_again: bool = True,
    ) -> None:
        # Under other XIDs than what they name, as they were sent: zeros in memory are an XID, too.
        one, octets = self._finding, join(with_fresh_xids(messages, count(_FIRST_XID)))
        finding = Finding(one.way, one.target, one.seed, cause.broken, cause.detail, octets=octets)
        file = keep(self._folder, finding)
        if execution.console:
            file.with_suffix(".console.log").write_text(execution.console, encoding="utf-8")
        if cause.is_grave:
            self._executor.avoided |= execution.dangers
        seconds = self._clock() - self._began
        self.kept[cause.key] = KeptFinding(cause, file, seconds, shown_again=shown_again)


def _shown(execution: LiveExecution, cause: Cause) -> Cause | None:
    """The same cause with what was seen this time; None if it does not show."""
    return next((one for one in causes_of(execution) if one.key == cause.key), None)
