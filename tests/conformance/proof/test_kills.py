"""The snapshot of the mutants' matrix: consistent with the mutants and the cases, and mergeable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.proof.kills import KILLS as SNAPSHOT
from conformance.proof.kills import Kill, read_kills, render, write_kills
from conformance.suite.runner import collect_cases
from targets.mutants.base import mutants

if TYPE_CHECKING:
    from pathlib import Path

    from targets.mutants.base import Mutant

KILLS = read_kills()
CITED = {case.id: case.requirements for case in collect_cases()}


def test_has_every_mutant_and_no_other() -> None:
    assert set(KILLS) == {one.slug for one in mutants()}


@pytest.mark.parametrize("one", mutants(), ids=lambda one: one.slug)
def test_names_cases_that_there_are(one: Mutant) -> None:
    kill = KILLS[one.slug]

    assert set(kill.killers) <= set(CITED)


def test_each_mutant_is_killed_by_its_name() -> None:
    assert [slug for slug, kill in KILLS.items() if not kill.killers] == []


def test_is_as_it_would_be_written() -> None:
    assert SNAPSHOT.read_text(encoding="utf-8") == render(KILLS[slug] for slug in sorted(KILLS))


def test_a_part_that_ran_changes_its_own_entries_alone(tmp_path: Path) -> None:
    path = tmp_path / "kills.toml"
    first, second = Kill("a", ("x/1/y",), ("r.1",)), Kill("b", ("x/1/z[1]",), ())
    write_kills((first, second), ("a", "b"), path)

    again = Kill("a", ("x/1/w",), ())
    write_kills((again,), ("a", "b"), path)
    assert read_kills(path) == {"a": again, "b": second}

    write_kills((), ("b",), path)
    assert read_kills(path) == {"b": second}
