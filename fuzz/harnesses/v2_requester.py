# Invariant: that of v1_requester, on a connection on which Version Two is settled; what the rules
# of directions would give to another part of the client (v2 4.2.2) is not given to the Requester.
"""Fuzz harness of the Requester in Version Two (v2 4.2 and 5.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from fuzz.harnesses import v1_requester
from fuzz.sequence import join, split
from fuzz.structure.headers import V2_SEQUENCE
from rpcrdma.endpoint.backward.direction import DirectionRules, Half
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HARNESS", "OPTIONS", "check", "reference"]

OPTIONS: Final = RequesterOptions(
    InlineThresholds(call=TWO.threshold, reply=TWO.threshold), dialect=TWO
)

_CLIENT: Final = DirectionRules(MessageType.CALL, frozenset())


def reference() -> Callable[[], Requester]:
    """The subject: makes the Requester of each connection."""
    return lambda: Requester(OPTIONS)


def check(octets: bytes, connect: Callable[[], Requester]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for this sequence."""
    arrived = (message[: TWO.threshold] for message in split(octets))
    forward = [message for message in arrived if _CLIENT.sort(message) is Half.FORWARD]
    v1_requester.check(join(forward), connect)


HARNESS: Final = replace(
    v1_requester.HARNESS,
    title="the reference Requester in Version Two, its Calls answered by raw messages",
    dictionary="v2.dict",
    check=check,
    reference=reference,
    mutator=V2_SEQUENCE,
)
