"""What a campaign has of a device of either role."""

from __future__ import annotations

from conformance.explore.finding import Finding
from fuzz.live.client.executor import ClientExecutor
from fuzz.live.client.recipes import WAY
from fuzz.live.executor import LiveExecutor
from fuzz.live.rigs import live_rig
from fuzz.live.server.form import STEPS
from fuzz.sequence import split
from targets.registry import find_any_target


def test_a_server_gets_messages() -> None:
    with live_rig(find_any_target("reference"), destructive=False) as rig:
        assert isinstance(rig.executor, LiveExecutor)
        assert rig.form is STEPS
        assert rig.executor.run(split(rig.seeds()[0])).alive


def test_a_client_gets_turns() -> None:
    with live_rig(find_any_target("reference-client"), destructive=False) as rig:
        assert isinstance(rig.executor, ClientExecutor)
        assert rig.form.way == WAY
        first = rig.seeds()[0]
        assert rig.executor.run(split(first)).alive
        made = [rig.mutator.mutate(first, 999, seed, lambda octets, _: octets) for seed in (1, 2)]
        assert all(rig.executor.run(split(octets)).alive for octets in made)
        assert rig.form.put(Finding(WAY), split(first)).octets == first
        assert list(rig.form.made_smaller(split(first)[0]))
