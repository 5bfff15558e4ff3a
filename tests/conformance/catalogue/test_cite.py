"""The decorator under which a scenario cites what it tests."""

from __future__ import annotations

from conformance.catalogue.cite import requirement


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
