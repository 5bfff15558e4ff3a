"""A device that dies again and again, or does not come back, costs a bounded number of starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from conformance.suite.case import Case
from conformance.suite.losses import MOST_SECTIONS, Losses
from conformance.tester.case import NotServing

if TYPE_CHECKING:
    from conformance.suite.rigs import Rig

DEATH = "ended by SIGKILL"


@dataclass
class Device:
    """As much of a rig as matters."""

    died: str = ""
    died_before: str = ""
    trace: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(events=(1,)))
    profile: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(extra=SimpleNamespace(deaths=2))
    )


def case(name: str) -> Case:
    return Case(f"rfc8166/{name}", "It.", ("one",), "responder", (), (), destructive=False)


def tried(losses: Losses, name: str, rig: Device, unserved: str = "") -> str:
    """Why the case was passed over; empty if it was tried."""
    why: NotServing | None = None
    try:
        losses.check(case(name))
    except NotServing as error:
        why = error
    given: Rig = rig  # type: ignore[assignment]
    losses.judged(case(name), given, why or (NotServing(unserved) if unserved else None))
    return str(why or "")


def test_a_device_that_dies_in_a_row_costs_the_rest_of_its_section_alone() -> None:
    losses = Losses()
    assert tried(losses, "1/a", Device(died=DEATH)) == ""
    assert tried(losses, "1/b", Device(died_before=DEATH)) == ""
    for name in ("1/c", "1/d"):
        assert tried(losses, name, Device()) == (
            "the rest of this section is passed over: the device died in 2 of its cases in a row,"
            f" at last so: {DEATH}"
        )
    assert tried(losses, "2/a", Device()) == ""


@pytest.mark.parametrize("second", ["1/c", "2/a"])
def test_deaths_that_are_not_in_a_row_cost_nothing(second: str) -> None:
    losses = Losses()
    tried(losses, "1/a", Device(died=DEATH))
    tried(losses, "1/b", Device())
    assert tried(losses, second, Device(died=DEATH)) == ""
    assert tried(losses, f"{second}-then", Device()) == ""


def test_a_device_that_does_not_come_back_is_tried_once_a_section_and_then_no_more() -> None:
    losses = Losses()
    for section in range(MOST_SECTIONS):
        assert tried(losses, f"{section}/a", Device(), "nobody is there") == ""
        where = "this section" if section + 1 < MOST_SECTIONS else "the run"
        told = f"the rest of {where} is passed over: nobody is there"
        assert tried(losses, f"{section}/b", Device()) == told
    assert tried(losses, "9/a", Device()) == told


def test_a_device_that_has_come_back_is_looked_for_as_long_as_ever() -> None:
    losses = Losses()
    for section in range(MOST_SECTIONS - 1):
        tried(losses, f"{section}/a", Device(), "nobody is there")
    assert tried(losses, "7/a", Device()) == ""
    assert tried(losses, "8/a", Device(), "nobody is there") == ""
    assert tried(losses, "9/a", Device()) == ""
