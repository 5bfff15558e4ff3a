"""Leaks: a note tells what each keeps, no verdict does, and the reference has no such note."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import targets.leaks
from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from reports.record import Verdict
from rpcrdma.endpoint.core.driver import Driver
from targets.base import TargetError
from targets.leaks import base
from targets.leaks.base import find_leak, leak, leak_target, leaks
from targets.leaks.process import main
from targets.reference.client_parts import ClientParts
from targets.reference.replaced_parts import Registry
from targets.reference.server_parts import Parts
from targets.registry import find_any_target, find_profile
from targets.usage import Resource

if TYPE_CHECKING:
    from reports.record import CaseRecord

CASES = Selection(cases=("rfc8166/8.1.4/*-after-another*",))
"""Those that make many of one kind."""

ON_LOOPBACK = tuple(one for one in leaks() if one.fabric == "loopback")
BETWEEN = tuple(one for one in leaks() if one.fabric != "loopback")


OF_ERRORS = Selection(
    cases=(
        "rfc8166/8.1.4/responder-answers-one-error-after-another[err-chunk]",
        "rfc8166/8.1.4/requester-ends-one-refused-call-after-another",
    )
)
"""Those that make errors: a process takes real time for each of the others."""


def judged(name: str, fabric: str, cases: Selection = CASES) -> tuple[CaseRecord, ...]:
    found = tuple(judge(find_any_target(name, fabric), cases))
    assert {case.verdict for case in found} == {Verdict.PASS}
    return found


def notes_of(cases: tuple[CaseRecord, ...]) -> list[str]:
    return [note for case in cases for note in case.notes]


@pytest.mark.parametrize("name", ["reference", "reference-client"])
def test_reference_loses_nothing(name: str) -> None:
    assert notes_of(judged(name, "loopback")) == []


@pytest.mark.parametrize("one", ON_LOOPBACK, ids=lambda one: one.slug)
def test_a_leak_is_told_with_its_slope(one: base.Leak) -> None:
    assert tells_of(one)


@pytest.mark.long
@pytest.mark.parametrize("one", BETWEEN, ids=lambda one: one.slug)
def test_a_leak_of_a_process_is_told_with_its_slope(one: base.Leak) -> None:
    assert tells_of(one, OF_ERRORS)


@pytest.mark.long
@pytest.mark.parametrize("name", ["reference", "reference-client"])
def test_reference_as_a_process_loses_nothing(name: str) -> None:
    lost = [note for note in notes_of(judged(name, "roce")) if "keeps" in note]
    assert lost == []


def tells_of(one: base.Leak, cases: Selection = CASES) -> bool:
    """Whether notes have the slope: one region, 256 KiB, or twice the time and more."""
    notes = notes_of(judged(f"leak:{one.slug}", one.fabric, cases))
    told = {
        Resource.REGIONS: rf"keeps 1 memory region for each {one.item}: it had \d+ before \d\d ",
        Resource.RESIDENT: rf"keeps 26[0-9] kB of resident memory for each {one.item}:",
        None: rf"takes (?:[2-9]|\d\d)\.\d times as long after \d+ {one.item}s: ",
    }[one.resource]
    return any(re.search(told, note) for note in notes)


def test_a_leak_is_a_target_of_that_name_on_its_own_fabric() -> None:
    target = find_any_target("leak:keeps-a-region-of-each-connection")

    assert target.name == "leak:keeps-a-region-of-each-connection"
    assert target.profile.claims == find_profile("reference").claims
    with pytest.raises(TargetError, match="shows on loopback, not on roce"):
        find_any_target("leak:keeps-a-region-of-each-connection", "roce")


def test_what_is_not_there_is_said_so() -> None:
    with pytest.raises(TargetError, match="no leak `nobody`; `rpcrdma targets` lists them"):
        find_leak("leak:nobody")
    with pytest.raises(TargetError, match="no leak `nobody`"):
        leak_target("nobody", find_profile("reference"))
    with pytest.raises(TargetError, match="no leak `nobody`"):
        main(["server", "nobody"])
    with pytest.raises(TargetError, match="is no client"):
        main(["client", "keeps-memory-of-each-error"])


@pytest.fixture
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_registry", Registry(targets.leaks, "leak"))


@pytest.mark.usefixtures("_own_registry")
def test_registers_a_part_under_its_name() -> None:
    part = type("LosesIt", (Driver,), {"__doc__": "Loses\n it."})
    leak(Resource.THREADS, "call", roles=("responder",))(part)

    found = base._registry.find("loses-it")
    assert (found.resource, found.item, found.waste) == (Resource.THREADS, "call", "Loses it.")
    assert found.parts == Parts(driver=part)
    assert found.profile_name == "reference"


@pytest.mark.usefixtures("_own_registry")
def test_what_both_ends_have_is_a_leak_of_each() -> None:
    part = type("LosesIt", (Driver,), {"__doc__": "Loses\n it."})
    leak(Resource.THREADS, "call", roles=("responder", "requester"))(part)

    found = base._registry.find("loses-it-at-client")
    assert found.parts == ClientParts(driver=part)
    assert found.profile_name == "reference-client"
