"""Seeds from the captures of a run: what the scenarios sent becomes what the fuzzer starts from.

    rpcrdma certify reference --output run && rpcrdma dev seeds run

Each message becomes a seed of the Version One header harness, one that names Version Two of that
harness as well; each case becomes a sequence for the Responder harness.
Handles are replaced by those of `fuzz.world`, so that the seeds do not depend on a run; the same
cases give the same seeds, and seeds that say nothing new are left out.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from fuzz.segments import move_segments
from fuzz.sequence import MOST_MESSAGES, join
from fuzz.world import READABLE, REGION, WRITABLE
from reports.stream import read_run
from rpcrdma.wire import RdmaSegment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reports.record import CaseRecord

__all__ = ["naming_version_two", "neutral", "seeds_of", "write_seeds"]

_LONGEST: Final = 4096
"""Octets of a seed at most: a long one makes every mutation slower and reaches nothing new."""

_VERSION_TWO: Final = b"\0\0\0\2"
"""The second word of a message that names Version Two."""


def seeds_of(case: CaseRecord) -> tuple[list[bytes], bytes]:
    """The messages that a case sent, and the sequence of them; truncated records are left out."""
    messages = [
        neutral(bytes.fromhex(exchange.octets))
        for exchange in case.exchanges
        if exchange.direction == "sent" and len(exchange.octets) == 2 * exchange.length
    ]
    return messages, join(messages[:MOST_MESSAGES])


def naming_version_two(messages: Iterable[bytes]) -> set[bytes]:
    """Those that the decoder of Version Two would be given."""
    return {message for message in messages if message[4:8] == _VERSION_TWO}


def neutral(message: bytes) -> bytes:
    """The message with the handles and addresses that every harness knows."""
    return move_segments(message, _Placer(READABLE), _Placer(WRITABLE))


class _Placer:
    """Puts segments into a region, each behind the last; from its start if there is no room."""

    def __init__(self, region: RdmaSegment) -> None:
        self._region = region
        self._start = 0

    def __call__(self, segment: RdmaSegment) -> RdmaSegment:
        if self._start + segment.length > REGION:
            self._start = 0
        offset = self._region.offset + self._start
        self._start += segment.length
        return RdmaSegment(self._region.handle, segment.length, offset)


def write_seeds(run: Path, corpus: Path) -> dict[str, int]:
    """Write the seeds of a run; returns harness -> how many seeds there are.

    Args:
        run: its folder, as `rpcrdma certify` leaves it.
        corpus: a folder for each harness is made in it.

    Raises:
        RunFileError: there is no run in the folder.
        OSError: the corpus cannot be written.
    """
    headers: set[bytes] = set()
    sequences: set[bytes] = set()
    for case in read_run(run / "records.jsonl").cases:
        messages, sequence = seeds_of(case)
        headers.update(messages)
        sequences.add(sequence)
    every = {
        "v1-header": headers,
        "v1-responder": sequences,
        "v2-header": naming_version_two(headers),
    }
    return {name: _write(seeds, corpus / name) for name, seeds in every.items()}


def _write(seeds: Iterable[bytes], folder: Path) -> int:
    """Write the seeds that are neither empty nor too long, each under its hash."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = [seed for seed in seeds if 0 < len(seed) <= _LONGEST]
    for seed in kept:
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    return len(kept)
