"""Which cases a variant is judged by over packets."""

from __future__ import annotations

import pytest

from conformance.proof.variants.plan import MOST_CONCERNED, chosen_cases, documents_about
from conformance.suite.runner import collect_cases
from targets.variants.base import find_variant


@pytest.mark.parametrize(
    ("variant", "documents"),
    [
        ("is-late-with-everything", "bidir,v2"),
        ("answers-in-kind", "rtrext"),
        ("announces-in-another-order", "v2,xcharext"),
        ("posts-larger-receives", "rfc8166,bidir,v2,xcharext"),
        ("grants-one-credit", ""),
    ],
)
def test_documents_are_those_in_which_the_choice_shows(variant: str, documents: str) -> None:
    assert documents_about(find_variant(variant)) == documents


def test_with_time_all_documents_are_taken() -> None:
    assert documents_about(find_variant("announces-later"), all_of_them=True) == ""


def test_chosen_is_what_the_choice_concerns_and_what_it_leaves_open() -> None:
    one = find_variant("grants-one-credit")
    chosen = chosen_cases(one, sample=1, seed=1)

    cases = {case.id: case for case in collect_cases()}
    assert {cases[name].role for name in chosen} == {"responder"}
    assert any(one.allowed_by in cases[name].requirements for name in chosen)
    for begin, _ in one.leaves_open:
        assert any(name.startswith(begin) for name in chosen)
    assert list(chosen) == [name for name in cases if name in chosen]


def test_a_reading_that_many_cases_rest_on_brings_some_of_them() -> None:
    chosen = chosen_cases(find_variant("is-silent-to-cut-headers"), sample=5, seed=1)

    assert len(chosen) == MOST_CONCERNED + 5
    assert {name.partition("/")[0] for name in chosen} == {"rfc8166", "v2"}


def test_the_sample_is_drawn_by_its_seed() -> None:
    one = find_variant("posts-larger-receives")

    assert chosen_cases(one, 10, 1) == chosen_cases(one, 10, 1) != chosen_cases(one, 10, 2)
