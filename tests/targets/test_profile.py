from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.base import TargetError
from targets.profile import Binding, Profile, ProfileError, load_profile, timeout_factor
from targets.registry import find_profile, find_target

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
name = "mine"
adapter = "network"
binding = "nfs4"
[claims]
roles = ["responder"]
versions = [1]
[extra]
address = "192.0.2.7"
"""


def load(tmp_path: Path, text: str) -> Profile:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return load_profile(path)


def test_a_profile_has_defaults(tmp_path: Path) -> None:
    profile = load(tmp_path, GOOD)

    assert (profile.binding, profile.extra.port, profile.lab) == (Binding.NFS4, 20049, None)
    assert profile.versions == (1, 1)


@pytest.mark.parametrize(
    ("old", "new", "key", "problem"),
    [
        ("versions = [1]", "", "claims.versions", "is missing"),
        (
            "versions = [1]",
            "versions = [1]\nverions = 1",
            "claims.verions",
            "is unknown",
        ),
        (
            "versions = [1]",
            "versions = [1]\nremote_invalidation = true",
            "claims.remote_invalidation",
            "is claimed no longer",
        ),
        ("versions = [1]", "versions = [1]\nextensions = []", "claims.extensions", "no longer"),
        ("versions = [1]", "versions = [0]", "claims.versions[0]", "`int` >= 1"),
        ("versions = [1]", "versions = []", "claims", "`versions` is empty"),
        ("versions = [1]", 'versions = [2]\noperations = ["conprop"]', "claims", "`conprop`"),
        ('"nfs4"', '"smb"', "binding", "Invalid enum value"),
        ("[claims]", "[claims", "", "is not TOML"),
    ],
)
def test_a_bad_profile_is_refused_with_its_key(
    tmp_path: Path, old: str, new: str, key: str, problem: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        load(tmp_path, GOOD.replace(old, new))

    assert caught.value.key == key
    assert problem in caught.value.problem
    assert str(tmp_path / "mine.toml") in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "known"),
    [
        (
            "versions = [1]",
            "versions = [1]\nverions = 1",
            "there are roles, versions",
        ),
        ("[claims]", "binder = 1\n[claims]", "there are name, adapter, binding, claims"),
    ],
)
def test_a_misspelt_key_is_answered_by_those_of_its_table(
    tmp_path: Path, old: str, new: str, known: str
) -> None:
    with pytest.raises(ProfileError, match=known):
        load(tmp_path, GOOD.replace(old, new))


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="No such file"):
        load_profile(tmp_path / "none.toml")


def test_deadlines_are_scaled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RPCRDMA_TIMEOUT_FACTOR", "3")

    assert load(tmp_path, GOOD).deadline == 15.0


@pytest.mark.parametrize("text", ["0", "-1", "inf", "nan", "fast"])
def test_a_factor_that_is_no_positive_number_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("RPCRDMA_TIMEOUT_FACTOR", text)

    with pytest.raises(TargetError, match="positive number"):
        timeout_factor()


@pytest.mark.parametrize("name", ["reference", "linux-server", "linux-client"])
def test_shipped_profiles_load_under_their_own_name(name: str) -> None:
    assert find_profile(name).name == name


def test_an_unknown_target_is_said_so() -> None:
    known = "linux-client, .*linux-server, .*reference"
    with pytest.raises(TargetError, match=f"no target `x`; there are {known}"):
        find_target("x")


def test_a_server_at_an_address_is_not_on_loopback() -> None:
    with pytest.raises(TargetError, match="reached over roce or verbs"):
        find_target("linux-server", "loopback")


def test_an_adapter_that_is_not_installed_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace('"network"', '"exotic"'))

    with pytest.raises(TargetError, match="adapter `exotic`, which is not installed"):
        find_target(str(path))
