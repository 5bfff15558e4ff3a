"""What a campaign needs of a running device, for either role: who runs inputs, and what they are.

with live_rig(device, destructive=False) as rig:
rig.executor.run(...)
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from fuzz.live.client.executor import ClientExecutor
from fuzz.live.client.form import TURNS
from fuzz.live.client.mutator import TurnMutator
from fuzz.live.client.seeds import acts_for, kinds_for, seeds_for_client
from fuzz.live.executor import LiveExecutor
from fuzz.live.findings import MESSAGES
from fuzz.live.seeds import seeds_for
from fuzz.live.server.callbacks import own_workload
from fuzz.live.server.form import STEPS
from fuzz.live.server.mutator import StepMutator
from fuzz.live.server.seeds import step_kinds, step_seeds
from targets.base import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fuzz.live.execution import AnyLiveExecutor
    from fuzz.live.findings import InputForm
    from fuzz.structure.mutator import Mutator
    from targets.base import ClientTarget

__all__ = ["LiveRig", "live_rig"]


@dataclass(frozen=True, slots=True)
class LiveRig:
    """A running device as a campaign sees it.

    Attributes:
        executor: runs inputs at it.
        mutator: makes inputs of inputs.
        form: of inputs.
        seeds: makes those to begin with; the device is up.
    """

    executor: AnyLiveExecutor
    mutator: Mutator
    form: InputForm
    seeds: Callable[[], tuple[bytes, ...]]


@contextmanager
def live_rig(device: Target | ClientTarget, *, destructive: bool) -> Iterator[LiveRig]:
    """Set a device going; one that can do both is fuzzed as a server.

    Args:
        device: which.
        destructive: have inputs that may bring it down, or damage what it holds.

    Raises:
        Inconclusive: it does not serve, or call.
        TargetError: it does not come up.
    """
    harness: Harness | ClientHarness
    if isinstance(device, Target):
        harness = Harness(device)
        rig = _server(harness, destructive=destructive)
    else:
        harness = ClientHarness(device)
        rig = _client(harness, destructive=destructive)
    try:
        harness.preflight()  # calls of NFSv3 need file handles
        harness.end()
        yield rig
    finally:
        harness.close()


def _server(harness: Harness, *, destructive: bool) -> LiveRig:
    executor = LiveExecutor(harness, destructive=destructive)
    backward = own_workload(harness.profile) is not None
    mutator = StepMutator(step_kinds(destructive=destructive, backward=backward))

    def seeds() -> tuple[bytes, ...]:
        steps = step_seeds(destructive=destructive, backward=backward)
        return (*steps, *seeds_for(harness, MESSAGES.way))

    return LiveRig(executor, mutator, STEPS, seeds)


def _client(harness: ClientHarness, *, destructive: bool) -> LiveRig:
    acts = harness.client.acts
    mutator = TurnMutator(acts_for(acts), kinds_for(destructive=destructive))
    executor = ClientExecutor(harness, destructive=destructive)
    return LiveRig(
        executor, mutator, TURNS, lambda: seeds_for_client(acts, destructive=destructive)
    )
