"""Runs a kept sequence of turns again, by the very executor that finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.bad_input import BadInput
from conformance.tester.server.harness import ClientHarness
from fuzz.live.client.executor import ClientExecutor
from fuzz.live.client.recipes import decode_turn
from fuzz.sequence import split
from targets.base import Target

if TYPE_CHECKING:
    from conformance.explore.finding import Finding
    from fuzz.live.execution import LiveExecution
    from targets.base import ClientTarget

__all__ = ["replay_turns"]


def replay_turns(
    device: Target | ClientTarget, finding: Finding, *, destructive: bool
) -> LiveExecution:
    """What a client does in the turns of a finding, and in a good act after them.

    Args:
        device: which.
        finding: of a campaign against a client.
        destructive: make also moves that may harm the client.

    Raises:
        BadInput: the device is no client, or the finding holds no turns.
        Inconclusive: the client makes no good call even before.
        TargetError: it does not come up.
    """
    messages = split(finding.octets)
    for message in messages:
        decode_turn(message)  # refused now, not after a boot
    if isinstance(device, Target):
        raise BadInput(
            f"the finding is what a server does to its client; `{device.name}` is a server: name a"
            " client, such as reference-client"
        )
    harness = ClientHarness(device)
    try:
        return ClientExecutor(harness, destructive=destructive).run_alone(messages)
    finally:
        harness.close()
