"""The register of interpretations and its page."""

from __future__ import annotations

import re

import pytest

from conformance.bad_input import BadInput
from conformance.interpretations import PAGE, choice, load_interpretations, render

REGISTER = load_interpretations()


def test_page_is_rendered_from_the_register() -> None:
    assert PAGE.read_text() == render(REGISTER.values())


def test_ids_are_d_numbers_then_v_numbers_in_ascending_order() -> None:
    numbers = [(name[0], int(name[2:])) for name in REGISTER]

    assert all(re.fullmatch(r"D-\d{2,3}|V-\d{1,3}", name) for name in REGISTER)
    assert numbers == sorted(set(numbers))


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
