"""The state of a device as a Responder."""

from __future__ import annotations

import pytest

from conformance.oracle.device import Device
from conformance.oracle.limits import Limits
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from rpcrdma.ulp.testprog import TestProgram

CUT = bytes.fromhex("00000007 00000001 00000001 00000000 00000001 00000000 00000000")
UNDECODABLE = bytes.fromhex("00000007 00000001 00000001 00000000 00000009 00000000 00000000")


def test_state_of_a_responder_is_what_the_device_claims() -> None:
    chosen = {"D-12": "err-chunk"}
    device = Device(
        frozenset({1, 2}),
        backward=True,
        limits=Limits(4, 2, 1),
        reply_threshold=4096,
        operations=frozenset({"connprop"}),
        chosen=chosen,
    )
    state = state_of(device, TestProgram())

    assert state.versions == {1, 2}
    assert state.backward
    assert state.operations == {"connprop"}
    assert state.limits == Limits(4, 2, 1)
    assert (state.reply_threshold, state.two_threshold) == (4096, 4096)
    assert state.chosen == chosen


@pytest.mark.parametrize(("receives", "threshold"), [(None, 4096), (1024, 1024), (8192, 4096)])
def test_replies_are_no_longer_than_the_receives_that_they_meet(
    receives: int | None, threshold: int
) -> None:
    device = Device(reply_threshold=4096)

    assert state_of(device, None, receives=receives).reply_threshold == threshold


def test_silence_about_a_cut_header_is_allowed_to_a_device_that_is_called_back() -> None:
    """D-40: whoever takes backward Replies drops one that is cut; other faults are answered."""
    alone = expected(CUT, state_of(Device(), None))
    both = expected(CUT, state_of(Device(backward=True), None))
    uncut = expected(UNDECODABLE, state_of(Device(backward=True), None))

    assert [str(item) for item in alone.allowed] == ["ERR_CHUNK"]
    assert [str(item) for item in both.allowed] == ["ERR_CHUNK", "silence"]
    assert [str(item) for item in uncut.allowed] == ["ERR_CHUNK"]
