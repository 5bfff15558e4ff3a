# Invariant: that of v1_responder, of a server that speaks both versions and works in both
# directions, whichever version a message is in; it has no optional operation, and refuses them all.
"""Fuzz harness of a server of Version Two, fed with sequences of raw messages (v2 4.2 and 5)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from fuzz.harnesses import v1_responder
from fuzz.responder_executor import ResponderExecutor
from fuzz.responder_judge import judge_execution
from fuzz.sequence import split
from fuzz.structure.headers import V2_SEQUENCE
from targets.reference.server_parts import Parts, server_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.backward.duplex import Duplex

__all__ = ["HARNESS", "check", "reference", "serving"]


def serving(parts: Parts) -> Callable[[], Callable[[], Duplex]]:
    """Starts servers of these parts, without the optional operations."""
    return lambda: server_factory(replace(parts, operations=frozenset()))


_REFERENCE: Final = serving(Parts())


def reference() -> Callable[[], Callable[[], Duplex]]:
    """The subject: starts a server anew, which makes the role of each connection."""
    return _REFERENCE


_executor = lru_cache(maxsize=4)(ResponderExecutor)
"""By what is fuzzed, so that its server is built once."""


def check(octets: bytes, start: Callable[[], Callable[[], Duplex]]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for this sequence."""
    judge_execution(_executor(start).run(split(octets)), speaks_two=True)


HARNESS: Final = replace(
    v1_responder.HARNESS,
    title="the reference server of both versions, fed with sequences of raw messages",
    dictionary="v2.dict",
    check=check,
    reference=reference,
    mutator=V2_SEQUENCE,
)
