"""What has a device call back, by binding."""

from __future__ import annotations

from multiprocessing import get_context
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.backward.choice import backward_workload_for
from conformance.backward.workload import (
    ForwardOnly,
    TestprogBackward,
    new_identity,
    number_identities,
)
from conformance.backward.workload_nfs4 import Nfs4Backward
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import backprog, rpc
from rpcrdma.ulp import testprog_calls as calls
from targets.base import Unsupported
from targets.profile import Binding
from targets.registry import find_profile

if TYPE_CHECKING:
    from targets.profile import Profile

PROFILE = find_profile("reference")


def test_each_client_is_a_new_one() -> None:
    first, second = (backward_workload_for(PROFILE) for _ in range(2))
    assert next(first.announce()).encode(1) != next(second.announce()).encode(1)


def test_clients_may_have_the_same_names_in_each_run() -> None:
    number_identities(0xFFFFFFFF)

    assert (new_identity(), new_identity()) == (0xFFFFFFFF, 0)


@pytest.mark.parametrize("target", ["reference", "linux-server"])
def test_processes_at_the_same_time_are_different_clients(target: str) -> None:
    """Who are taken for one client by the server get each other's backward Calls."""
    profile = find_profile(target)
    with get_context("fork").Pool(2) as pool:
        introductions = [
            worker.get(20) for worker in [pool.apply_async(introduced, (profile,)) for _ in "ab"]
        ]
    assert len({introduced(profile), *introductions}) == 3


def introduced(profile: Profile) -> bytes:
    workload = backward_workload_for(profile)
    return next(workload.introduce()).encode(1)


def test_nfs_has_a_client_of_sessions() -> None:
    profile = find_profile("linux-server")
    assert isinstance(backward_workload_for(profile), Nfs4Backward)


def test_a_binding_without_backward_calls_says_so() -> None:
    other = msgspec.structs.replace(PROFILE, binding=Binding.NULL_ONLY)
    with pytest.raises(Unsupported, match="null-only"):
        backward_workload_for(other)


def test_a_refused_request_is_a_wrong_answer() -> None:
    workload = TestprogBackward(1)
    for accepted, problem in ((True, ""), (False, "refused")):
        results = backprog.wire.encode_backward_state(
            backprog.wire.BackwardState(accepted, 1, 2, 3)
        )
        reply = rpc.accepted(7, results)
        assert problem in next(workload.announce()).check(b"", reply)
        assert bool(next(workload.announce()).check(b"", reply)) is not accepted
    assert "cannot be decoded" in next(workload.provoke(1)).check(b"", rpc.accepted(7))


def test_the_tally_is_read_from_its_reply() -> None:
    workload = TestprogBackward(1)
    state = backprog.wire.BackwardState(accepted=True, pending=1, answered=2, failed=3)
    results = backprog.wire.encode_backward_state(state)
    assert workload.read_tally(rpc.accepted(7, results)) == backprog.Tally(1, 2, 3)
    with pytest.raises(DecodeError):
        workload.read_tally(rpc.accepted(7))


@pytest.mark.parametrize("threshold", [1024, 4096])
def test_the_longest_call_fits_just_so(threshold: int) -> None:
    length = TestprogBackward(1).longest(threshold)
    assert 28 + len(backprog.wanted_call(length)(1)) == threshold
    assert 28 + len(backprog.wanted_call(length + 1)(1)) > threshold


def test_the_right_reply_is_that_of_the_program() -> None:
    assert TestprogBackward(1).answer(calls.null(5)) == rpc.accepted(5)


def test_a_client_makes_itself_known_by_asking_for_its_tally() -> None:
    workload = TestprogBackward(3)
    (request,) = workload.introduce()
    assert request.encode(5) == backprog.state(5, 3)


def test_a_client_of_the_test_program_stays() -> None:
    with pytest.raises(Unsupported, match="cannot take its leave"):
        TestprogBackward(3).leave()


def test_a_forward_only_client_is_asked_for_nothing() -> None:
    client = ForwardOnly()
    for ask in (
        client.introduce,
        client.announce,
        lambda: client.provoke(1),
        client.leave,
        client.tally,
        lambda: client.read_tally(b""),
        lambda: client.answer(b""),
        lambda: client.longest(1024),
    ):
        with pytest.raises(Unsupported):
            ask()
