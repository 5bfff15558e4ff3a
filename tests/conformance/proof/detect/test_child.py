"""What a process for one fault does: it judges records, and loads the module with its fault."""

from __future__ import annotations

import importlib
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest

from conformance.proof.detect.child import (
    AFTER_SILENCE,
    KillWatch,
    Told,
    judge_reference,
    put_in_place,
)
from conformance.proof.detect.results import Fate
from conformance.tester.case import Deviation, Inconclusive
from reports.record import CaseRecord, Verdict
from tests.conformance.proof.detect.planted import SOURCE, module

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SILENT = Deviation("Nothing came.", unanswered=True)
WRONG = Deviation("The wrong thing came.")


class EndedError(Exception):
    """In place of the process's end."""


class Watched:
    """A judging whose process does not end."""

    def __init__(self, known: dict[str, str] | None = None) -> None:
        self.endings: list[Told] = []
        self.judging = KillWatch(known or {}, 100.0, self._end)

    def _end(self, ending: Told) -> NoReturn:
        self.endings.append(ending)
        raise EndedError

    def case(self, name: str, verdict: Verdict, found: BaseException | None = None) -> None:
        self.judging.begin(name)
        self.judging.record(
            CaseRecord(name, "", verdict, reason="so it is", violated=("d.1.rule",)), found
        )

    @property
    def ending(self) -> Told:
        with pytest.raises(EndedError):
            self.judging.finish()
        return self.endings[-1]


@pytest.fixture(autouse=True)
def _no_timer() -> Iterator[None]:
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.WARN])
def test_a_verdict_that_names_a_statement_ends_it(verdict: Verdict) -> None:
    watched = Watched()
    watched.case("a", Verdict.PASS)

    with pytest.raises(EndedError):
        watched.case("b", verdict, WRONG)

    assert watched.endings == [Told(Fate.NAMED, "b", ("d.1.rule",), "so it is", ran=2)]


def test_silence_counts_if_nothing_else_is_found() -> None:
    watched = Watched()
    watched.case("a", Verdict.FAIL, SILENT)
    watched.case("b", Verdict.FAIL, SILENT)

    assert watched.ending == Told(Fate.LIVENESS, "a", ("d.1.rule",), "so it is", ran=2)


def test_a_name_is_worth_more_than_silence() -> None:
    watched = Watched()
    watched.case("a", Verdict.FAIL, SILENT)

    with pytest.raises(EndedError):
        watched.case("b", Verdict.FAIL, WRONG)

    assert watched.endings[0].outcome is Fate.NAMED


def test_a_device_that_is_silent_is_not_listened_to_for_ever() -> None:
    watched = Watched()
    watched.case("a", Verdict.FAIL, SILENT)
    for _ in range(AFTER_SILENCE - 1):
        watched.case("b", Verdict.INCONC)

    with pytest.raises(EndedError):
        watched.case("c", Verdict.INCONC)

    assert watched.endings[0].outcome is Fate.LIVENESS
    assert watched.endings[0].ran == 1 + AFTER_SILENCE


def test_a_fault_that_nothing_finds_survives() -> None:
    watched = Watched()
    watched.case("a", Verdict.PASS)

    assert watched.ending == Told(Fate.SURVIVED, ran=1)


def test_what_is_not_decided_is_no_verdict() -> None:
    watched = Watched()
    watched.case("a", Verdict.INCONC, Inconclusive("so it is"))
    watched.case("b", Verdict.ERROR, ValueError())

    assert watched.ending == Told(Fate.UNDECIDED, "a", reason="so it is", ran=2, undecided=2)


def test_a_verdict_that_the_reference_has_as_well_is_none() -> None:
    watched = Watched({"a": "FAIL", "b": "N/A"})
    watched.case("a", Verdict.FAIL, WRONG)
    watched.case("b", Verdict.NA)

    assert watched.ending.outcome is Fate.SURVIVED


def test_a_device_that_serves_nobody_is_found_by_that() -> None:
    watched = Watched()
    watched.judging.does_not_serve("it does not listen")

    assert watched.ending == Told(Fate.LIVENESS, reason="it does not listen")


def test_a_case_that_takes_too_long_ends_it() -> None:
    watched = Watched()
    watched.judging.begin("a")

    with pytest.raises(EndedError):
        watched.judging.overdue()

    assert watched.endings[0].outcome is Fate.HUNG
    assert watched.endings[0].case == "a"


def test_a_case_has_its_time_and_no_more() -> None:
    watched = Watched()
    watched.judging.begin("a")
    assert signal.getitimer(signal.ITIMER_PROF)[0] > 0
    watched.judging.record(CaseRecord("a", "", Verdict.PASS), None)

    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_whoever_imports_the_module_gets_the_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names that others take from it, and constants, too."""
    path = tmp_path / "planted_here.py"
    path.write_text(SOURCE)
    (tmp_path / "its_user.py").write_text("from planted_here import MOST, Counter\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    put_in_place(module(SOURCE, "planted_here", path), "planted_here:12:14:constant:0")

    user = importlib.import_module("its_user")
    assert user.MOST == 5
    assert user.Counter().take(5, twice=True)
    assert user.Counter.__init__.__code__.co_filename == str(path)


def test_a_fault_comes_too_late_once_the_endpoint_is_there() -> None:
    importlib.import_module("rpcrdma.endpoint.core.credits")
    there = module(SOURCE, "rpcrdma.endpoint.core.credits")

    with pytest.raises(RuntimeError, match="was imported before its fault was there"):
        put_in_place(there, "rpcrdma.endpoint.core.credits:12:14:constant:0")


def test_cases_run_in_the_order_that_is_asked_for() -> None:
    cases = (
        "rfc8166/3.3.1/responder-never-grants-zero-credits[1]",
        "rfc8166/4.5.1/responder-answers-an-unsupported-version-with-its-own-range[version-3]",
        "rfc8166/3.3.1/responder-never-grants-zero-credits[0]",
    )
    begun: list[str] = []
    verdicts: list[Verdict] = []

    shown: list[str] = []

    judge_reference(
        cases,
        dict.fromkeys(cases, "responder"),
        begun.append,
        lambda record, _: verdicts.append(record.verdict),
        pytest.fail,
        lambda case, seen: shown.append(case),
    )

    assert tuple(begun) == cases
    assert shown == begun
    assert set(verdicts) == {Verdict.PASS}
