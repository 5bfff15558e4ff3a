"""The kernel's client, fuzzed from outside of its guest by turns that it bears, or does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.server.harness import ClientHarness
from fuzz.live.client.executor import ClientExecutor
from fuzz.live.client.recipes import Turn, encode_turn
from fuzz.live.counted_guest import CountedGuest
from fuzz.live.move import Move
from targets.base import ActKind
from targets.guest_client import GuestClientTarget
from targets.guest_device import guest_target
from targets.registry import find_profile
from targets.standing.setup_of import setup_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.live.coverage import Block

MODULES = frozenset({"rpcrdma"})
GOOD = Turn(ActKind.READ, 4096)
DONE = Turn(answers=((Move("useless", 10),),))
LOST = Turn(ActKind.READ, 4096, answers=((), (Move("drop"),)))


@pytest.fixture(scope="module")
def counted() -> Iterator[CountedGuest]:
    setup = setup_of(find_profile("linux-client"))
    with CountedGuest(setup, None, MODULES, print) as guest:
        yield guest


def test_turns_reach_blocks_of_the_kernels_client_and_show_what_it_does_wrong(
    counted: CountedGuest,
) -> None:
    target = guest_target(find_profile("linux-client"), counted.guest)
    assert isinstance(target, GuestClientTarget)
    harness = ClientHarness(target)
    executor = ClientExecutor(harness, destructive=False)
    coverage = counted.coverage

    def reached_by(turn: Turn, broken: set[str]) -> frozenset[Block]:
        executor.prepare()
        coverage.begin()
        execution = executor.run([encode_turn(turn)])
        assert execution.alive
        assert {name for fired in execution.failed for name in fired.violated} == broken
        return frozenset(coverage.since())

    try:
        good = reached_by(GOOD, set())
        # RDMA_DONE ends the call: results/linux-6.1/findings-client.md, C-2.
        reached_by(DONE, {"rfc8166.4.6.2.done-is-discarded"})
        lost = reached_by(LOST, set())
        assert executor.run_alone([encode_turn(GOOD)]).alive
    finally:
        harness.close()
    assert "rpcrdma_reply_handler" in {block.function for block in good}
    assert any(
        "disconnect" in block.function or "connect" in block.function for block in lost - good
    )
