"""Targets by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.base import TargetError
from targets.profile import SHIPPED, shipped_profiles
from targets.registry import find_any_target, find_profile, find_target

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", shipped_profiles())
def test_every_shipped_profile_is_a_target(name: str) -> None:
    assert find_any_target(name).name == name


def test_a_client_is_no_server() -> None:
    with pytest.raises(TargetError, match="is a client, which calls and is not called"):
        find_target("reference-client")


def test_a_mutant_runs_under_the_reference_s_profile() -> None:
    target = find_target("mutant:grants-zero")

    assert (target.name, target.profile) == ("mutant:grants-zero", find_profile("reference"))


def test_a_profile_of_one_s_own_is_named_by_its_path(tmp_path: Path) -> None:
    text = (SHIPPED / "reference.toml").read_text().replace('name = "reference"', 'name = "mine"')
    (tmp_path / "mine.toml").write_text(text)

    assert find_target(str(tmp_path / "mine.toml")).name == "mine"


@pytest.mark.parametrize(
    ("name", "fabric", "problem"),
    [
        (
            "nobody",
            "",
            r"no target `nobody`; there are .*linux-server, .*reference, .*mutant:<slug>",
        ),
        ("nobody.toml", "", r"profile nobody\.toml: cannot be read"),
        ("mutant:nobody", "", r"no mutant `nobody`; `rpcrdma targets` lists them"),
        ("reference", "tin-cans", "no fabric `tin-cans`: there are loopback, switch, roce, verbs"),
    ],
)
def test_what_is_not_there_is_said_so(name: str, fabric: str, problem: str) -> None:
    with pytest.raises(TargetError, match=problem):
        find_target(name, fabric)
