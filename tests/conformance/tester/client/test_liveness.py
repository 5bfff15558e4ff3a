"""Whether a device serves, by a good call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Deviation
from conformance.tester.client.harness import Harness
from conformance.tester.client.liveness import problem_with, still_serves

if TYPE_CHECKING:
    from types import ModuleType

    from conformance.tester.client.peer import Peer


def test_a_good_device_has_no_problem(peer: Peer) -> None:
    assert problem_with(peer) == ""


@pytest.mark.parametrize(
    ("behave", "problem"),
    [
        ("mute", "NULL got nothing within 5 s"),
        ("hanging_up", "NULL got the connection ended"),
        ("babbling", "NULL got 40 octets that are no transport header"),
        ("wrong_xid", "NULL got nothing within 5 s"),
        ("twice", ""),
    ],
)
def test_a_problem_is_what_came_instead(mini: ModuleType, behave: str, problem: str) -> None:
    harness = Harness(mini.MiniatureTarget(getattr(mini, behave)))

    assert problem_with(harness.connect()).startswith(problem)
    harness.close()


def test_a_connection_that_ended_is_replaced_by_a_new_one(harness: Harness, peer: Peer) -> None:
    peer.disconnect()

    still_serves(peer, harness.connect)
    still_serves(None, harness.connect)


def test_a_device_that_serves_no_more_is_a_deviation(mini: ModuleType) -> None:
    harness = Harness(mini.MiniatureTarget(mini.mute))

    with pytest.raises(Deviation, match="does not serve a good call any more") as caught:
        still_serves(None, harness.connect)

    assert caught.value.expected == ("a reply to NULL",)
    harness.close()
