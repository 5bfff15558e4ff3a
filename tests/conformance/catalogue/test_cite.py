"""The decorator under which a scenario cites what it tests."""

from __future__ import annotations

from conformance.catalogue.cite import requirement
from conformance.catalogue.entries import Role, Testability, load_catalogue
from conformance.suite.runner import collect_cases


def test_a_scenario_stays_as_it_is_and_carries_a_mark() -> None:
    def scenario() -> None:
        """Does nothing."""

    cited = requirement(
        "a.1.b", "a.1.c", needs=("x",), interpretations=("D-12",), narrower="it knows more"
    )

    decorated = cited(scenario)

    assert decorated is scenario
    (mark,) = scenario.pytestmark  # type: ignore[attr-defined]  # put there by the mark
    assert (mark.name, mark.args) == ("requirement", ("a.1.b", "a.1.c"))
    assert mark.kwargs == {
        "role": "responder",
        "needs": ("x",),
        "interpretations": ("D-12",),
        "wider": "",
        "narrower": "it knows more",
        "means": {},
    }


def test_no_case_can_blame_a_device_for_what_it_is_permitted() -> None:
    """A verdict rests on a MUST, a SHOULD, an advisory rule, or one that the two ends need."""
    catalogue = load_catalogue()
    wrong = {
        (case.id.partition("[")[0], name)
        for case in collect_cases()
        for name in (*case.requirements, *(one for _, meant in case.means for one in meant))
        if catalogue[name].test is not Testability.WIRE
        or (catalogue[name].is_permission and Role(case.role) not in catalogue[name].seen_of)
    }

    assert wrong == set()
