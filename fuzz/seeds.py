"""Seeds from the traces of a run: what the scenarios sent becomes what the fuzzer starts from.

    rpcrdma certify reference --section 3.2 --output run && rpcrdma dev seeds run v1-header

Each harness says what it makes of the messages of a case.
Handles are replaced by those of `conformance.explore.named_memory`, which every harness knows.  The
same run gives the same seeds; another run of the same cases has other XIDs, and so other seeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.explore.named_memory import READABLE, REGION, WRITABLE
from conformance.explore.segments import move_segments
from conformance.suite.evidence import trace_of
from fuzz.registry import find_harness, harness_names, keep_input
from reports.stream import read_run
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.wire import RdmaSegment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reports.record import CaseRecord

__all__ = ["messages_of", "neutral", "write_seeds"]

_LONGEST: Final = 4096
"""Octets of a seed at most: a long one makes every mutation slower and reaches nothing new."""


_LONGEST_MESSAGE: Final = 512
"""Octets of a message that becomes a seed, or a part of one, at most."""


def messages_of(case: CaseRecord, run: Path) -> list[bytes]:
    """The messages that a case sent; long ones are left out.

    Args:
        case: of the run.
        run: its folder.

    Raises:
        OSError: the case's trace is not there any more.
    """
    trace = trace_of(case, run)
    return [
        neutral(event.data)
        for event in (() if trace is None else trace.events)
        if event.kind is EventKind.SEND
        and event.side is Side.LOCAL
        and len(event.data) <= _LONGEST_MESSAGE
    ]


def neutral(message: bytes) -> bytes:
    """The message with the handles and addresses that every harness knows."""
    return move_segments(message, _Placer(READABLE), _Placer(WRITABLE))


class _Placer:
    """Puts segments into a region, each after the last; from its start if there is no room."""

    def __init__(self, region: RdmaSegment) -> None:
        self._region = region
        self._start = 0

    def __call__(self, segment: RdmaSegment) -> RdmaSegment:
        if self._start + segment.length > REGION:
            self._start = 0
        offset = self._region.offset + self._start
        self._start += segment.length
        return RdmaSegment(self._region.handle, segment.length, offset)


def write_seeds(run: Path, corpus: Path, harnesses: Iterable[str] = ()) -> dict[str, int]:
    """Write the seeds of a run; returns harness -> how many seeds there are.

    A harness that begins with another's corpus gets seeds only if it is named.

    Args:
        run: its folder, as `rpcrdma certify` leaves it.
        corpus: a folder for each harness is made in it.
        harnesses: whose seeds are written; none: those of all.

    Raises:
        BadInput: there is no such harness.
        RunFileError: there is no run in the folder.
        OSError: the corpus cannot be written, or a trace of the run cannot be read.
    """
    makers = {name: find_harness(name).seeds for name in tuple(harnesses) or _with_corpus()}
    cases = [messages_of(case, run) for case in read_run(run / "records.jsonl").cases]
    counts: dict[str, int] = {}
    for name, make in makers.items():
        seeds = {seed for messages in cases for seed in make(messages)}
        counts[name] = _write(seeds, corpus / (find_harness(name).corpus or name))
    return counts


def _with_corpus() -> tuple[str, ...]:
    return tuple(name for name in harness_names() if not find_harness(name).corpus)


def _write(seeds: Iterable[bytes], folder: Path) -> int:
    """Write the seeds that are neither empty nor too long, each under its hash."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = [seed for seed in seeds if 0 < len(seed) <= _LONGEST]
    for seed in kept:
        keep_input(folder, seed)
    return len(kept)
