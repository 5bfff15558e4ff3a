# Invariant: whatever messages come, in whatever order, the Responder raises nothing; each of its
# answers is one that the specification's oracle allows; no call has more than one answer; every
# Receive is posted again, every grant is true, memory stays bounded; a good call is still served.
"""Fuzz harness of the Responder, fed with sequences of raw messages (rfc8166 section 4.5)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from fuzz.registry import FuzzHarness
from fuzz.responder_executor import ResponderExecutor
from fuzz.responder_judge import judge_execution
from fuzz.sequence import MOST_MESSAGES, join, split
from fuzz.structure.headers import V1_SEQUENCE
from targets.reference.server_parts import responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.responder.responder import Responder

__all__ = ["HARNESS", "check", "reference"]


def reference() -> Callable[[], Callable[[], Responder]]:
    """The subject: starts a server anew, which makes the Responder of each connection."""
    return responder_factory


_executor = lru_cache(maxsize=4)(ResponderExecutor)
"""By what is fuzzed, so that its server is built once."""


def check(octets: bytes, start: Callable[[], Callable[[], Responder]]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for this sequence."""
    judge_execution(_executor(start).run(split(octets)))


HARNESS: Final = FuzzHarness(
    title="the reference Responder, fed with sequences of raw messages",
    dictionary="rfc8166.dict",
    check=check,
    reference=reference,
    messages=split,
    seeds=lambda messages: [join(list(messages[:MOST_MESSAGES]))],
    mutator=V1_SEQUENCE,
)
