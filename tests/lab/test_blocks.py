"""The blocks of a kernel's modules, counted by the plugin in a guest that is really there."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from conformance.explore.firing import fire_all
from conformance.explore.recipes import Breach, Shot
from conformance.tester.client.harness import Harness
from fuzz.live.counted_guest import CountedGuest
from targets.guest_device import GuestServerTarget, guest_target
from targets.registry import find_profile
from targets.standing.setup_of import setup_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.live.coverage import Block

MODULES = frozenset({"rpcrdma", "sunrpc"})
GOOD = Shot()
UNKNOWN_VERSION = Shot(breach=Breach("fixed-word", 0, 2))


@pytest.fixture(scope="module")
def counted() -> Iterator[CountedGuest]:
    setup = setup_of(find_profile("linux-server"))
    with CountedGuest(setup, None, MODULES, print) as guest:
        yield guest


def test_two_inputs_reach_different_blocks_of_the_kernels_server(counted: CountedGuest) -> None:
    target = guest_target(find_profile("linux-server"), counted.guest)
    assert isinstance(target, GuestServerTarget)
    harness = Harness(target)
    coverage = counted.coverage

    def reached_by(shot: Shot) -> frozenset[Block]:
        coverage.begin()
        assert fire_all(harness, (shot,)) == ()
        return frozenset(block for block in coverage.since() if block.module == "rpcrdma")

    try:
        good, refused = reached_by(GOOD), reached_by(UNKNOWN_VERSION)
    finally:
        harness.close()
    assert "svc_rdma_sendto" in {block.function for block in good}
    assert any("error" in block.function for block in refused - good)
    by_module = Counter(module for module, _ in coverage.functions())
    assert min(by_module[module] for module in MODULES) > 100
    assert coverage.reached() >= good | refused
