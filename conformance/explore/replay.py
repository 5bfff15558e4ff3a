"""Runs a kept sequence again, by the very loops that find: `firing` and `exchange`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.explore.exchange import RecipeRun
from conformance.explore.firing import fire_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.explore.finding import Finding
    from conformance.explore.firing import Fired
    from conformance.explore.recipes import Shot, Step
    from conformance.tester.client.harness import Harness

__all__ = ["open_exchange", "replay", "require_test_program"]

_MOST_CALLS: Final = 4096
"""XIDs set apart for one exchange; it makes a few hundred calls at most."""

_DEADLINE: Final = 10.0
"""Seconds for whatever a client waits for, on a device."""


def replay(
    harness: Harness,
    finding: Finding,
    messages: Sequence[bytes] = (),
    on_fired: Callable[[Fired], None] = lambda fired: None,
    *,
    destructive: bool = False,
) -> tuple[str, ...]:
    """Run a sequence against a target.

    Args:
        harness: of the running target.
        finding: the sequence.
        messages: what its octets are, message for message.
        on_fired: is told of each message and what came of it; not of steps.
        destructive: send also what may bring a real device down.

    Returns:
        What is wrong, in words; empty if nothing is.

    Raises:
        Inconclusive: the target does not serve even before.
        BadInput: its program is not the one that the steps speak.
    """
    harness.begin()
    if finding.steps:
        return _walk(harness, finding.steps)
    wanted: tuple[Shot | bytes, ...] = (*finding.shots, *messages)
    failed = fire_all(harness, wanted, on_fired, destructive=destructive)
    return tuple(fired.reason for fired in failed)


def require_test_program(harness: Harness) -> None:
    """See that the clients of an exchange and the target speak of the same.

    Raises:
        BadInput: they do not.
    """
    binding = harness.profile.binding.value
    if binding != "testprog":
        raise BadInput(
            f"the clients of `exchanges` speak the test program, the target serves `{binding}`;"
            " explore it by `calls`"
        )


def open_exchange(harness: Harness) -> RecipeRun:
    """A fresh exchange with a target, with XIDs that none before had; a dead one is started again.

    Raises:
        Inconclusive: it cannot be started again.
    """
    if harness.life.death():  # found by the exchange in which it died
        harness.see_that_it_serves()
        harness.end()
    fabric = harness.session.fabric
    simulated = fabric.name == "loopback"
    return RecipeRun(
        fabric,
        harness.session.address,
        device=harness.device,
        first_xid=harness.xids.reserve(_MOST_CALLS),
        deadline=_DEADLINE,
        patience=1e-5 if simulated else 1e-3,
        sees_writes=simulated,
    )


def _walk(harness: Harness, steps: Sequence[Step]) -> tuple[str, ...]:
    require_test_program(harness)
    exchange = open_exchange(harness)
    try:
        for step in steps:
            exchange.run(step)
            if exchange.problems:
                return tuple(exchange.problems)
        exchange.finish()
    finally:
        exchange.abandon()
    return tuple(exchange.problems)
