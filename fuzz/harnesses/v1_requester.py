# Invariant: whatever messages come, in whatever order, the Requester raises nothing; of each it
# makes what the specification's oracle allows; it sends no more Calls than it has credits, and
# posts a Receive for each Reply; no call ends twice, and its memory is out of reach when it ends;
# a good Reply still ends a good call; with the connection all calls end, and no memory is left.
"""Fuzz harness of the Requester, whose Calls are answered by raw messages (rfc8166 section 4.5)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from fuzz.invariant import BrokenInvariant
from fuzz.registry import FuzzHarness
from fuzz.requester_executor import CALLS, RequesterExecutor
from fuzz.sequence import MOST_MESSAGES, join, split
from fuzz.structure.headers import V1_SEQUENCE
from rpcrdma.endpoint.requester.requester import Requester

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["HARNESS", "answering", "check", "reference"]


def reference() -> Callable[[], Requester]:
    """The subject: makes the Requester of each connection."""
    return Requester


_executor = lru_cache(maxsize=4)(RequesterExecutor)
"""By what is fuzzed, so that its opening is done once."""


def check(octets: bytes, connect: Callable[[], Requester]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for this sequence."""
    execution = _executor(connect).run(split(octets))
    for outcome in execution.outcomes:
        if outcome.problems:
            raise BrokenInvariant("oracle", "; ".join(outcome.problems), outcome.problems[0])
    if not execution.alive:
        raise BrokenInvariant("not-served", execution.unserved)


def answering(messages: Sequence[bytes]) -> list[bytes]:
    """The messages as one sequence, under the XIDs of Calls that are under way."""
    known = [call[:4] for call in CALLS]
    renamed = []
    for place, message in enumerate(messages[:MOST_MESSAGES]):
        xid = message[:4] if message[:4] in known else known[place % len(known)]
        renamed.append(message.replace(message[:4], xid))
    return [join(renamed)]


HARNESS: Final = FuzzHarness(
    title="the reference Requester, its Calls answered by sequences of raw messages",
    dictionary="rfc8166.dict",
    check=check,
    reference=reference,
    messages=split,
    seeds=answering,
    mutator=V1_SEQUENCE,
)
