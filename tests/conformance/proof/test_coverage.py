"""What is tested and what is still open, as a snapshot that makes changes visible."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING

from conformance.catalogue.entries import Role, load_catalogue
from conformance.proof.coverage import (
    ROLES,
    Coverage,
    add_arguments,
    coverage,
    lacking,
    listed,
    render,
    run,
    sections,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CATALOGUE = load_catalogue()
RANGE = "rfc8166.4.5.1.err-vers-range"
KEY = (RANGE, "responder")
NOTHING = Coverage(frozenset(), frozenset())


def printed(*words: str) -> int:
    parser = ArgumentParser()
    add_arguments(parser)
    return run(parser.parse_args(words))


def test_the_list_names_only_what_the_wire_shows_of_the_role() -> None:
    everything = lacking(CATALOGUE, NOTHING)

    for role, lacks in listed().items():
        assert set(lacks) <= set(everything[role])


def test_a_requirement_has_what_is_of_its_role_only() -> None:
    assert Coverage(frozenset({KEY}), frozenset({KEY})).lacks(RANGE, Role.RESPONDER) == ""
    assert Coverage(frozenset({KEY}), frozenset()).lacks(RANGE, Role.RESPONDER) == "no mutant"
    assert Coverage(frozenset(), frozenset({KEY})).lacks(RANGE, Role.RESPONDER) == "no case"
    both = Coverage(frozenset({KEY}), frozenset({KEY})).lacks(RANGE, Role.REQUESTER)
    assert both == "no case and no mutant"


def test_with_nothing_all_that_the_wire_shows_is_open_and_nothing_else() -> None:
    found = lacking(CATALOGUE, NOTHING)

    for role in ROLES:
        shown = [entry.id for entry in CATALOGUE if role in entry.seen_of]
        assert list(found[role.value]) == shown
    assert RANGE not in found["requester"]


def test_the_suite_has_cases_and_mutants_of_a_responder() -> None:
    having = coverage()

    assert KEY in having.cases
    assert KEY in having.mutants


def test_sections_count_what_they_have() -> None:
    having = Coverage(frozenset({KEY}), frozenset({KEY}))

    (row,) = (
        row
        for row in sections(CATALOGUE, having, Role.RESPONDER)
        if (row.document, row.section) == ("rfc8166", "4.5.1")
    )

    assert row.requirements == len(row.lacking) + 1
    assert RANGE not in dict(row.lacking)


def test_a_written_list_is_read_back(tmp_path: Path) -> None:
    found = {"responder": {RANGE: "no case"}, "requester": {}}
    path = tmp_path / "open.toml"

    path.write_text(render(found))

    assert listed(path) == found


def test_the_table_ends_in_the_totals_of_a_role(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed("--document", "rfc8166", "--role", "responder") == 0

    last = capsys.readouterr().out.splitlines()[-1]
    rows = sections(CATALOGUE.select(document="rfc8166"), coverage(), Role.RESPONDER)
    assert last.startswith(f"responder: {sum(row.requirements for row in rows)} requirements,")


def test_the_table_covers_the_documents_and_roles_that_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert printed() == 0

    table = capsys.readouterr().out
    assert "requester: " in table
    assert " bidir " in table
