"""The kernel's server, fuzzed from outside of its guest by steps between messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client.harness import Harness
from fuzz.live.counted_guest import CountedGuest
from fuzz.live.executor import LiveExecutor
from fuzz.live.server.steps import item_of
from targets.guest_device import GuestServerTarget, guest_target
from targets.registry import find_profile
from targets.standing.setup_of import setup_of

if TYPE_CHECKING:
    from collections.abc import Iterator

STORE = "call 16 9001"
"""An argument of 9002 octets in a Read chunk."""

FETCH = "call 54 9001"
"""A result of as many in a Write chunk."""

WITHDRAWN = ("hurry", STORE, "withdraw", "wait", "call")
CLOSED = ("connect 7", "hurry 1", FETCH, STORE, "close", "call")
FLOODED = ("call", "flood 0 5", "call")
CALLED_BACK = ("announce", "provoke", "wait", "leave")


@pytest.fixture(scope="module")
def counted() -> Iterator[CountedGuest]:
    setup = setup_of(find_profile("linux-server"))
    with CountedGuest(setup, None, frozenset({"rpcrdma"}), print) as guest:
        yield guest


def test_steps_are_borne_and_reach_what_messages_do_not(counted: CountedGuest) -> None:
    target = guest_target(find_profile("linux-server"), counted.guest)
    assert isinstance(target, GuestServerTarget)
    harness = Harness(target)
    executor = LiveExecutor(harness, destructive=False)
    coverage = counted.coverage

    def functions_of(lines: tuple[str, ...]) -> set[str]:
        executor.prepare()
        coverage.begin()
        execution = executor.run_alone([item_of(line) for line in lines])
        assert execution.alive
        assert execution.failed == ()
        return {block.function for block in coverage.since()}

    try:
        plain = functions_of((STORE, FETCH))
        withdrawn, closed = functions_of(WITHDRAWN), functions_of(CLOSED)
        flooded, called_back = functions_of(FLOODED), functions_of(CALLED_BACK)
        assert executor.run_alone([item_of("call")]).alive
    finally:
        harness.close()
    assert "svc_rdma_sendto" in withdrawn & closed & flooded
    assert "svc_rdma_handle_bc_reply" in called_back - plain
