"""What is tested and what is still open, as a snapshot that makes changes visible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.catalogue import load_catalogue
from conformance.coverage import OPEN, cited, listed, main, open_requirements, render, sections

if TYPE_CHECKING:
    import pytest

CATALOGUE = load_catalogue()
RANGE = "rfc8166.4.5.1.err-vers-range"


def test_every_must_of_a_responder_has_a_case_or_is_listed_as_open() -> None:
    """If this fails: `python -m conformance.coverage --write`, and give the reasons."""
    found = {entry.id for entry in open_requirements(CATALOGUE, cited())}

    assert set(listed()) == found


def test_everything_that_is_open_has_a_reason() -> None:
    assert [name for name, reason in listed().items() if not reason.endswith(".")] == []


def test_the_list_is_as_the_command_writes_it() -> None:
    entries = open_requirements(CATALOGUE, cited())

    assert OPEN.read_text(encoding="utf-8") == render(entries, listed())


def test_a_requirement_without_a_case_is_open() -> None:
    entries = open_requirements(CATALOGUE, cited() - {RANGE})

    assert RANGE in {entry.id for entry in entries}
    assert RANGE not in {entry.id for entry in open_requirements(CATALOGUE, cited())}


def test_what_binds_a_requester_or_is_only_recommended_is_not_open() -> None:
    roles = {entry.role.value for entry in open_requirements(CATALOGUE, frozenset())}
    levels = {entry.level.value for entry in open_requirements(CATALOGUE, frozenset())}

    assert "requester" not in roles
    assert levels == {"MUST", "MUST NOT"}


def test_sections_count_what_they_have() -> None:
    (row,) = (
        row
        for row in sections(CATALOGUE, frozenset({RANGE}))
        if (row.document, row.section) == ("rfc8166", "4.5.1")
    )

    assert row.requirements == len(row.without) + 1
    assert RANGE not in row.without


def test_the_table_ends_in_the_totals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0

    last = capsys.readouterr().out.splitlines()[-1]
    assert f"{len(listed())} of these are a MUST or MUST NOT" in last
