"""What a device claims; the states that the oracle is given of it are made in one place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from conformance.oracle.device import Device

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("versions", "claimed", "length"), [({1}, 1024, 1024), ({1, 2}, 1024, 4096), ({1}, 5000, 5000)]
)
def test_receives_hold_the_longest_message_of_any_version(
    versions: set[int], claimed: int, length: int
) -> None:
    assert Device(frozenset(versions), call_threshold=claimed).receive_length == length


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
