"""What the newcomer types, and what makes them give up, at a machine that only answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from targets.lab.doctor import Check, render
from tests.fresh.errors import StepFailed
from tests.fresh.newcomer import Newcomer, judge_report

if TYPE_CHECKING:
    from collections.abc import Callable

README = (Path(__file__).parents[2] / "README.md").read_text()
MISSING = render([Check("qemu", present=False, found="not found", packages=("qemu", "file"))])
CONTENT = render([Check("qemu", present=True, found="/usr/bin/qemu", packages=("qemu",))])
GOOD = {"counts": {"PASS": 3, "FAIL": 1}, "baseline": {"known": [{}], "problems": []}}


class Typewriter:
    """A machine that notes what was typed, and answers what contains certain words."""

    def __init__(self) -> None:
        self.typed: list[str] = []
        self.as_root: list[str] = []
        self.answers = {"dpkg-query": (0, "un  file")}
        self.doctors = [(2, MISSING), (0, CONTENT)]
        self.show: Callable[[str], None] = lambda line: None

    def run(self, script: str, deadline_s: float, user: str = "root") -> tuple[int, str]:
        self.typed.append(script)
        if user == "root":
            self.as_root.append(script)
        if "lab doctor" in script:
            return self.doctors.pop(0)
        return next((a for words, a in self.answers.items() if words in script), (0, ""))

    def read(self, place: str) -> bytes:
        return json.dumps(GOOD).encode()


def test_all_is_typed_in_the_order_of_the_readme_and_the_doctor() -> None:
    machine = Typewriter()
    Newcomer(machine, README, "/srv/here.git").go()
    words = [
        "git python3-venv",
        "git clone",
        "-m venv",
        "certify reference",
        "lab doctor",
        "dpkg-query",
        "install -y --no-install-recommends file qemu",
        "lab doctor",
        "certify linux-server --section",
        "certify linux-client --section",
    ]
    assert len(machine.typed) == len(words)
    for typed, expected in zip(machine.typed, words, strict=True):
        assert expected in typed


def test_only_packages_are_installed_as_root() -> None:
    machine = Typewriter()
    Newcomer(machine, README, "/srv/here.git").go()
    typed = [script for script in machine.as_root if "dpkg-query" not in script]
    assert ["apt-get" in script for script in typed] == [True, True]


def test_the_doctors_command_is_typed_on_a_machine_that_has_none_of_its_packages() -> None:
    machine = Typewriter()
    machine.answers["dpkg-query"] = (0, "ii  file")
    with pytest.raises(StepFailed, match="the doctor misses what is installed: file"):
        Newcomer(machine, README, "/srv/here.git").go()


def test_a_doctor_who_misses_nothing_on_a_bare_machine_is_wrong() -> None:
    machine = Typewriter()
    machine.doctors.pop(0)
    with pytest.raises(StepFailed, match="lab doctor: status 0, not 2"):
        Newcomer(machine, README, "/srv/here.git").go()


def test_a_doctor_who_is_not_content_after_the_command_is_wrong() -> None:
    machine = Typewriter()
    machine.doctors[1] = (0, "ok qemu")
    with pytest.raises(StepFailed, match="the doctor is not content after its own command"):
        Newcomer(machine, README, "/srv/here.git").go()


@pytest.mark.parametrize("words", ["git clone", "-m venv", "apt-get install -y", "linux-client"])
def test_a_command_that_fails_ends_it(words: str) -> None:
    machine = Typewriter()
    machine.answers[words] = (100, "no")
    with pytest.raises(StepFailed, match="status 100, not 0"):
        Newcomer(machine, README, "/srv/here.git").go()


def report(**changes: object) -> bytes:
    return json.dumps({**GOOD, **changes}).encode()


def test_verdicts_as_in_the_baseline_are_good() -> None:
    judge_report(report())


@pytest.mark.parametrize(
    "octets",
    [
        report(counts={"FAIL": 1, "N/A": 5}),
        report(counts={"PASS": 3, "FAIL": 1, "ERROR": 1}),
        report(baseline={"known": [], "problems": []}),
        report(baseline={"known": [{}], "problems": [{"case": "a"}]}),
    ],
)
def test_a_run_that_shows_nothing_or_something_else_is_refused(octets: bytes) -> None:
    with pytest.raises(StepFailed, match="verdicts are not as in the baseline"):
        judge_report(octets)
