"""The head of a record says what made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from conformance.cli import origin as module
from conformance.cli.origin import origin
from conformance.proof.kills import Kill
from targets.mutants.base import mutants
from targets.registry import find_profile
from tests.conformance.cli.command_line import CASE

if TYPE_CHECKING:
    import pytest

    from targets.profile import Profile

PROFILE = find_profile("reference")


def head(profile: Profile = PROFILE) -> dict[str, str]:
    return dict(origin(profile, ("certify", "reference", "--case", f"{CASE}[0]"), 1))


def test_the_head_tells_suite_command_claims_readings_and_device() -> None:
    told = head()

    assert told["suite"]
    assert told["command"] == f"rpcrdma certify reference --case '{CASE}[0]'"
    assert told["selected"] == "1 case"
    assert 'roles = ["responder"]' in told["claims"]
    assert "D-12 = either (default)" in told["readings"]
    assert told["device"] == "reference, 127.0.0.1 port 0"


def test_a_reading_that_the_profile_chose_is_no_default() -> None:
    extra = msgspec.structs.replace(PROFILE.extra, interpretations={"D-12": "err-chunk"})

    told = head(msgspec.structs.replace(PROFILE, extra=extra))

    assert "D-12 = err-chunk, " in told["readings"]


def test_the_digest_is_that_of_what_the_profile_says() -> None:
    claims = msgspec.structs.replace(PROFILE.claims, max_segments=3)

    assert head() == head(find_profile("reference"))
    assert head()["profile digest"].startswith("sha256:")
    other = head(msgspec.structs.replace(PROFILE, claims=claims))
    assert other["profile digest"] != head()["profile digest"]


def test_the_head_tells_how_many_mutants_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, *_ = (mutant.slug for mutant in mutants())
    kills = {first: Kill(first, (CASE,), ()), second: Kill(second, (), ())}
    monkeypatch.setattr(module, "read_kills", lambda: kills)

    assert head()["proof"] == f"1 of {len(mutants())} mutants killed"
