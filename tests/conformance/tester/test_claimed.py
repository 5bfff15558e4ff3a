"""Every shipped profile gives one device to whoever judges by it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.explore import firing
from conformance.explore.finding import Finding
from conformance.explore.recipes import Shot
from conformance.explore.replay import replay
from conformance.oracle.limits import Limits
from conformance.oracle.memory import NO_MEMORY
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from conformance.tester.claimed import device_of
from conformance.tester.client.harness import Harness
from targets.profile import SHIPPED, load_profile, shipped_profiles
from targets.reference.server import ReferenceTarget

if TYPE_CHECKING:
    from conformance.oracle.responder.expectation import Expectation, ResponderState
    from targets.profile import Profile

PROFILES = [load_profile(SHIPPED / f"{name}.toml") for name in shipped_profiles()]
SERVERS = [profile for profile in PROFILES if "responder" in profile.claims.roles]


def named(profile: Profile) -> str:
    return profile.name


@pytest.mark.parametrize("profile", PROFILES, ids=named)
def test_device_has_what_the_profile_claims(profile: Profile) -> None:
    device, claims = device_of(profile), profile.claims

    assert device.versions == set(claims.versions)
    assert device.backward == claims.backward
    assert device.limits == Limits(
        claims.max_segments, claims.max_read_chunks, claims.max_write_chunks
    )
    assert device.call_threshold == claims.call_inline_threshold
    assert device.reply_threshold == claims.reply_inline_threshold
    assert device.chosen == profile.extra.interpretations


@pytest.mark.parametrize("profile", SERVERS, ids=named)
def test_cases_explore_and_replay_judge_by_the_same_state(
    profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[ResponderState] = []

    def noting(message: bytes, state: ResponderState) -> Expectation:
        seen.append(replace(state, memory=NO_MEMORY, upper_layer=None))
        return expected(message, state)

    monkeypatch.setattr(firing, "expected", noting)
    harness = Harness(ReferenceTarget(profile))
    try:
        of_cases = state_of(harness.connect().device, None)
        explore = Finding("calls", shots=(Shot(),))
        replay(harness, explore)
        replay(harness, Finding("v1-header"), [b"too short"])
    finally:
        harness.close()

    assert seen == [of_cases, of_cases]
