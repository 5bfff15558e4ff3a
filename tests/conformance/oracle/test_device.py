"""What a device claims; the states that the oracle is given of it are made in one place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from conformance.oracle.device import Device
from conformance.oracle.requester.following import follow
from conformance.oracle.responder.state import state_of
from rpcrdma.wire.properties import ADOPTED, AS_PUBLISHED, BASIC, PropertyNumbers

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("versions", "claimed", "length"), [({1}, 1024, 1024), ({1, 2}, 1024, 4096), ({1}, 5000, 5000)]
)
def test_receives_hold_the_longest_message_of_any_version(
    versions: set[int], claimed: int, length: int
) -> None:
    assert Device(frozenset(versions), call_threshold=claimed).receive_length == length


@pytest.mark.parametrize(
    ("operations", "chosen", "known"),
    [
        (None, {}, BASIC),
        ({"connprop", "updprop"}, {"D-91": "as-published"}, BASIC),
        ({"connprop", "repterr"}, {}, ADOPTED),
        ({"xmtreq", "repterr"}, {"D-91": "4-to-7"}, ADOPTED),
        ({"xmtreq", "repterr"}, {"D-91": "as-published"}, AS_PUBLISHED),
    ],
)
def test_properties_have_the_codes_that_the_profile_chose(
    operations: set[str] | None, chosen: dict[str, str], known: PropertyNumbers
) -> None:
    """D-91: where the device knows those of rtrext at all."""
    supported = None if operations is None else frozenset(operations)
    device = Device(operations=supported, chosen=chosen)

    assert device.properties is known
    assert state_of(device, None).properties is known
    tracker = follow(device, None, call_threshold=1024, reply_threshold=1024)
    assert tracker.state.properties is known


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("ResponderState", "conformance/oracle/responder/state.py"),
        ("RequesterTracker", "conformance/oracle/requester/following.py"),
    ],
)
def test_states_are_made_of_a_device_and_in_one_place(name: str, maker: str) -> None:
    makers = {
        str(path.relative_to(ROOT))
        for package in ("conformance", "fuzz", "targets", "benchmarks")
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name
    }

    assert makers == {maker}
