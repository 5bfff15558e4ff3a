"""The head of a record says what made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.cli import origin as module
from conformance.cli.origin import origin, proof, tree_fact
from conformance.proof.kills import Kill, read_kills
from targets.mutants.base import mutants
from targets.registry import find_profile
from tests.conformance.cli.command_line import CASE

if TYPE_CHECKING:
    from pathlib import Path

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


def test_the_head_tells_how_many_mutants_are_killed() -> None:
    """The snapshot has every mutant, so that none need be imported for this."""
    assert set(read_kills()) == {mutant.slug for mutant in mutants()}
    assert head()["proof"] == f"{len(mutants())} of {len(mutants())} mutants killed"


def test_a_mutant_without_a_killer_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    kills = {"one": Kill("one", (CASE,), ()), "two": Kill("two", (), ())}
    monkeypatch.setattr(module, "read_kills", lambda: kills)
    proof.cache_clear()

    assert proof() == "1 of 2 mutants killed"
    proof.cache_clear()


@pytest.mark.parametrize(
    ("commit", "told"), [("v6.12-dirty", "v6.12-dirty"), ("", "git knows nothing of it")]
)
def test_of_a_build_tree_the_commit_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit: str, told: str
) -> None:
    monkeypatch.setattr(module, "tree_commit", lambda _tree: commit)
    assert tree_fact(str(tmp_path)) == tree_fact("6.1.0-56-amd64") == tree_fact("") == ()
    (tmp_path / ".config").touch()
    assert tree_fact(str(tmp_path)) == (("kernel tree", told),)
