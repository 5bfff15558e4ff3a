"""The register of interpretations and its page."""

from __future__ import annotations

import re

import pytest

from conformance.bad_input import BadInput
from conformance.interpretations import (
    PAGE,
    choice,
    load_changes,
    load_interpretations,
    render,
)

REGISTER = load_interpretations()


def test_page_is_rendered_from_the_register() -> None:
    assert PAGE.read_text() == render(REGISTER.values(), load_changes())


def test_ids_are_d_numbers_then_v_numbers_in_ascending_order() -> None:
    numbers = [(name[0], int(name[2:])) for name in REGISTER]

    assert all(re.fullmatch(r"D-\d{2,3}|V-\d{1,3}", name) for name in REGISTER)
    assert numbers == sorted(set(numbers))


def test_the_note_on_later_drafts_names_entries_that_exist() -> None:
    named = [name for change in load_changes() for name in change.concerns]

    assert set(named) <= set(REGISTER)
    assert "D-54" in named


def test_every_subject_of_the_note_is_a_row_of_its_own() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]

    subjects = [row.split(" | ")[0].removeprefix("| ") for row in rows[1:]]
    assert subjects == [change.subject for change in load_changes()]
    assert {row.count("|") for row in rows} == {5}


def test_default_is_the_first_option() -> None:
    assert (REGISTER["D-12"].default, REGISTER["D-10"].default) == ("either", "")


def test_profile_chooses_among_the_options() -> None:
    assert choice("D-12", {}) == "either"
    assert choice("D-12", {"D-12": "rdma-xid"}) == "rdma-xid"


@pytest.mark.parametrize(
    ("name", "reading", "listed"),
    [("D-12", "perhaps", "either, err-chunk, rdma-xid"), ("D-10", "20", "no profile may choose")],
)
def test_unknown_reading_is_refused(name: str, reading: str, listed: str) -> None:
    with pytest.raises(BadInput, match=listed):
        choice(name, {name: reading})
