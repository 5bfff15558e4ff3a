"""What scenarios are given, by what the profile claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.oracle.outcome import OptionReceived
from conformance.suite.fixtures import Fixtures, SuiteError
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.harness import Harness

RESPONDER = ("peer", "connect", "peer_two", "connect_two", "connect_both", "one_only")


def given(harness: Harness, name: str) -> object:
    """What a scenario would be given under that name."""
    make: Callable[[Fixtures], object] = getattr(Fixtures, name).__wrapped__
    return make(Fixtures(lambda: harness))


def claiming(harness: Harness, *versions: int) -> Harness:
    claims = msgspec.structs.replace(harness.profile.claims, versions=versions)
    harness.profile = msgspec.structs.replace(harness.profile, claims=claims)
    return harness


@pytest.mark.parametrize(
    ("versions", "available"),
    [
        ((1,), {"peer", "connect", "one_only"}),
        ((2,), {"peer_two", "connect_two"}),
        ((1, 2), {"peer", "connect", "peer_two", "connect_two", "connect_both"}),
    ],
)
def test_what_the_profile_does_not_claim_is_not_given(
    harness: Harness, versions: tuple[int, ...], available: set[str]
) -> None:
    refused = {}
    for name in RESPONDER:
        try:
            given(claiming(harness, *versions), name)
        except Unsupported as error:
            refused[name] = str(error)

    assert set(RESPONDER) - set(refused) == available
    assert set(refused.values()) <= {
        "the profile does not claim version 1",
        "the profile does not claim version 2",
        "the profile claims version 2: the case is about a device without it",
    }


def test_a_peer_in_version_two_has_been_answered_in_it(harness: Harness) -> None:
    peer = harness.ready_peer_two()

    first = peer.next_option()

    assert peer.version == 2
    assert peer.granted > 1
    assert isinstance(first, OptionReceived)
    assert peer.options == [first]


def test_a_fixture_of_the_other_role_is_a_fault_of_the_suite(harness: Harness) -> None:
    with pytest.raises(SuiteError, match="for cases of the role `requester`"):
        given(harness, "service")
