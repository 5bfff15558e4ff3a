"""Places exist, and what is said to stand there does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.catalogue.interpretations import load_interpretations
from conformance.proof.places import (
    ROOT,
    Place,
    files_with,
    files_with_case,
    of_case,
    of_mutant,
    of_reading,
    of_requirement,
    overridden,
    relative,
)
from conformance.suite.runner import collect_cases
from targets.mutants.base import find_mutant, mutants

if TYPE_CHECKING:
    from collections.abc import Iterable

CASES = {case.id.partition("[")[0]: case for case in collect_cases()}
"""One case of each scenario."""


def line(place: Place) -> str:
    return (ROOT / place.file).read_text().splitlines()[place.line - 1]


def misplaced(found: Iterable[tuple[str, Place]]) -> list[tuple[str, Place]]:
    """The places at which a text is not to be found."""
    return [(text, place) for text, place in found if text not in line(place)]


def test_every_requirement_is_where_its_place_says() -> None:
    entries = [entry.id for entry in load_catalogue()]

    assert misplaced((f'"{one}"', of_requirement(one)) for one in entries) == []


def test_every_interpretation_is_where_its_place_says() -> None:
    assert misplaced((f'"{one}"', of_reading(one)) for one in load_interpretations()) == []


def test_every_case_is_where_its_place_says() -> None:
    places = {one: of_case(one) for one in CASES}

    assert misplaced((f"def {place.name}(", place) for place in places.values()) == []
    slugs = {one: one.rpartition("/")[2].replace("-", "_") for one in CASES}
    assert [one for one, place in places.items() if place.name != f"test_{slugs[one]}"] == []


def test_a_case_with_parameters_is_where_the_others_are() -> None:
    case = next(case.id for case in collect_cases() if "[" in case.id)

    assert of_case(case) == of_case(case.partition("[")[0])


def test_a_case_that_there_is_not_has_no_place() -> None:
    with pytest.raises(LookupError):
        of_case("rfc8166/3.3.1/no-such-case")


def test_every_mutant_and_what_it_overrides_is_where_its_place_says() -> None:
    classes = ((f"class {place.name}(", place) for place in map(of_mutant, mutants()))
    methods = [overridden(mutant) for mutant in mutants()]

    assert misplaced(classes) == []
    # A property begins at its decorator.
    begins = [(place, line(place).strip()) for place in methods]
    assert [
        (place, text)
        for place, text in begins
        if f"def {place.name.partition('.')[2]}(" not in text and not text.startswith("@")
    ] == []
    assert {place.file.split("/")[0] for place in methods} == {"rpcrdma"}


def test_what_a_mutant_overrides_is_the_endpoints_method() -> None:
    place = overridden(find_mutant("grants-zero"))

    assert (place.file, place.name) == (
        "rpcrdma/endpoint/responder/reply_rules.py",
        "ReplyRules.grant",
    )


@pytest.mark.long
def test_the_files_of_a_case_and_of_a_requirement_contain_it() -> None:
    for one, case in CASES.items():
        file = of_case(one).file
        assert file in map(relative, files_with_case(one))
        for requirement in case.requirements:
            assert file in map(relative, files_with(requirement)), (one, requirement)


def test_a_place_is_written_as_editors_take_it() -> None:
    assert str(Place("a/b.py", 3, "name")) == "a/b.py:3 name"
    assert str(Place("a/b.toml", 3)) == "a/b.toml:3"
