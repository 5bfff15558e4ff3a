# Invariant: whatever a client is told to do, and whatever becomes of messages on their way, neither
# end raises anything or goes on for ever; no call ends twice; what nobody disturbs ends with the
# right reply; what is cancelled ends; afterwards a good host is served.
"""Fuzz harness of both ends, whole: directions, versions, properties, groups (v2, rtrext)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.end_steps import EndAct, EndStep, join_end_steps, split_end_steps
from fuzz.ends_world import Ends, EndsWorld
from fuzz.registry import FuzzHarness

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["HARNESS", "check"]

_CLIENT, _SERVER = 0, 1
"""Whose messages a step is about."""

_MOST_REPLACED: Final = 15
"""Messages of a case that one input has room for."""


def check(octets: bytes, ends: Ends) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for this sequence."""
    client, server, steps = split_end_steps(octets)
    world = EndsWorld(ends, client, server)
    try:
        for step in steps:
            world.carry_out(step)
        world.finish()
    finally:
        world.close()


def _carried(octets: bytes) -> list[bytes]:
    """The messages that come in the place of others."""
    _, _, steps = split_end_steps(octets)
    return [
        step.carried
        for step in steps
        if step.carried and step.act in (EndAct.REPLACE, EndAct.INSERT)
    ]


def _seeds(messages: Sequence[bytes]) -> list[bytes]:
    """The messages of a case, one after the other, instead of those of either end."""
    return [_replaced(messages[:_MOST_REPLACED], which) for which in (_CLIENT, _SERVER)]


def _replaced(messages: Sequence[bytes], which: int) -> bytes:
    call = EndStep(act=EndAct.CALL, which=1, length=40)
    steps = [call, EndStep(act=EndAct.SETTLE)]
    for message in messages:
        replaced = EndStep(act=EndAct.REPLACE, which=which, carried=message)
        steps += [replaced, call, EndStep(act=EndAct.TURNS, length=4)]
    return join_end_steps(0, 0, steps)


HARNESS: Final = FuzzHarness(
    title="the reference client and server together, their messages changed on the way",
    dictionary="v2.dict",
    check=check,
    reference=Ends,
    messages=_carried,
    seeds=_seeds,
)
