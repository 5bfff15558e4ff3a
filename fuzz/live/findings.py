"""What a campaign found: the first of each cause, seen twice, made smaller and kept as a file.

rpcrdma replay FILE PROFILE      # does it again
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.explore.finding import Finding, keep
from conformance.tester.case import Inconclusive
from fuzz.live.causes import DIED, Cause, causes_of
from fuzz.live.fresh_xids import with_fresh_xids
from fuzz.live.reducing import reduced, smaller_message
from fuzz.sequence import MOST_MESSAGES, join, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from fuzz.live.execution import AnyLiveExecutor, LiveExecution

__all__ = ["MESSAGES", "InputForm", "KeptFinding", "LiveFindings"]

_FIRST_XID: Final = 0x7000_0001

_MOST_LOOKS: Final = 3
"""At a cause that does not show again; after them it is counted and not looked at."""

_TRIES: Final = 100
_GRAVE_TRIES: Final = 8
"""To make a finding smaller; each of those that bring the device down costs a start."""

_PATIENCE_S: Final = 5.0
"""For making one smaller that does not bring the device down."""


@dataclass(frozen=True, slots=True)
class InputForm:
    """What the sequences of a campaign are made of.

    Attributes:
        way: what a kept finding says of its sequence: `replay` knows by it what to do.
        made_smaller: gives what a message may be made into that does less.
        put: gives a finding that has no sequence yet with one, as a file has it.
        unit: what a report says of them.
    """

    way: str
    made_smaller: Callable[[bytes], Iterable[bytes]]
    put: Callable[[Finding, list[bytes]], Finding]
    unit: str


def _as_octets(finding: Finding, messages: list[bytes]) -> Finding:
    octets = join(with_fresh_xids(messages, count(_FIRST_XID)))
    return msgspec.structs.replace(finding, octets=octets)


MESSAGES: Final = InputForm(
    "v1-responder",
    smaller_message,
    _as_octets,
    "messages were sent",
)
"""Messages to a Responder, inputs of the ordinary harness of that name.

Kept under other XIDs than what they name, as they were sent: zeros in memory are an XID, too."""


@dataclass(slots=True)
class KeptFinding:
    """One cause.

    Attributes:
        cause: as it was seen first.
        file: where it is kept.
        seconds: when it was seen first, since the campaign began.
        count: how many inputs showed it.
        shown_again: whether the sequence in the file did it once more; a death that came while
            another finding was made smaller is not tried again.
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
        executor: AnyLiveExecutor,
        folder: Path,
        form: InputForm,
        target: str,
        seed: int,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Begin with none.

        Args:
            executor: tries sequences again.
            folder: for the files, in a numbered folder for each cause.
            form: of the sequences.
            target: name of the device's profile.
            seed: of the campaign.
            clock: by which patience is measured.
        """
        self.kept: dict[tuple[str, ...], KeptFinding] = {}
        self.deaths = 0
        self._executor = executor
        self._folder = folder
        self._finding = Finding(form.way, target, seed)
        self._form = form
        self._looks: Counter[tuple[str, ...]] = Counter()
        self._clock = clock
        self._began = clock()
        self._seconds = 0.0  # when the last input was looked at
        self._harmful: set[str] = set()

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
        self._seconds = self._clock() - self._began
        for cause in causes:
            known = self.kept.get(cause.key)
            if known is not None:
                known.count += 1
            elif self._looks[cause.key] < _MOST_LOOKS:
                self._looks[cause.key] += 1
                self._look_again(cause, execution, inputs)
        # Only now: what is tried again must be sent.
        self._executor.avoided |= self._harmful
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
        again, seen = self._try(messages, cause)
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
            return self._try(candidate, cause, patient=cause.is_grave)[1] is not None

        tries = _GRAVE_TRIES if cause.is_grave else _TRIES
        smallest = reduced(messages, does_it, tries, self._form.made_smaller)
        # What was tried in haste may show an answer that comes late.
        if cause.is_grave or self._try(smallest, cause)[1] is not None:
            return smallest
        return messages

    def _try(
        self, messages: list[bytes], cause: Cause, *, patient: bool = True
    ) -> tuple[LiveExecution, Cause | None]:
        """Run a sequence again; the cause with what was seen this time, or None."""
        again = self._executor.run_alone(messages, patient=patient)
        self.deaths += bool(again.unserved)
        shown = causes_of(again)
        for other in shown:
            # What brings the device down in another way is not lost, though it is not looked for.
            if other.broken == (DIED,) and other.key != cause.key and other.key not in self.kept:
                self._keep(other, again, messages, shown_again=False)
        return again, next((one for one in shown if one.key == cause.key), None)

    def _keep(
        self,
        cause: Cause,
        execution: LiveExecution,
        messages: list[bytes],
        *,
        shown_again: bool = True,
    ) -> None:
        bare = msgspec.structs.replace(self._finding, broken=cause.broken, detail=cause.detail)
        finding = self._form.put(bare, messages)
        # One sequence may do several things, and a file is named by the sequence.
        file = keep(self._folder / f"{len(self.kept) + 1}", finding)
        if execution.console:
            file.with_suffix(".console.log").write_text(execution.console, encoding="utf-8")
        if cause.is_grave:
            self._harmful |= execution.dangers
        self.kept[cause.key] = KeptFinding(cause, file, self._seconds, shown_again=shown_again)
