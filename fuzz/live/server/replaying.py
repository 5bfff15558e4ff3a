"""Plays a kept sequence with steps again, by the very executor that finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.bad_input import BadInput
from fuzz.live.rigs import live_rig
from fuzz.live.server.steps import item_of

if TYPE_CHECKING:
    from conformance.explore.finding import Finding
    from fuzz.live.execution import LiveExecution
    from targets.base import Target

__all__ = ["items_of", "replay_steps"]


def items_of(finding: Finding) -> list[bytes]:
    """The messages and steps of a finding.

    Raises:
        BadInput: it has none, or a line is neither a message nor a step.
    """
    if not finding.lines:
        raise BadInput(
            "the finding has no `lines`; give a file that `rpcrdma fuzz --live` of a server has"
            " kept"
        )
    return [item_of(line) for line in finding.lines]


def replay_steps(target: Target, finding: Finding, *, destructive: bool) -> LiveExecution:
    """What a server does about the lines of a finding, and about a good call after them.

    Args:
        target: which server.
        finding: of a campaign against one.
        destructive: do also what may bring it down.

    Raises:
        BadInput: a line is neither a message nor a step.
        Inconclusive: the server serves nobody even before.
        TargetError: it does not come up.
    """
    items = items_of(finding)
    with live_rig(target, destructive=destructive) as rig:
        return rig.executor.run_alone(items)
