"""The matrix: how the records of a run against a mutant are sorted, and what is printed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.proof import matrix
from conformance.proof.difference import Difference, DifferenceKind
from conformance.proof.kills import Kill
from conformance.proof.matrix import (
    MatrixRow,
    Trip,
    add_arguments,
    cases_citing,
    row_of,
    run,
    run_mutant,
)
from conformance.proof.method_reach import MethodReach
from conformance.suite.plugin import Plugin
from conformance.suite.runner import GaveUp
from reports.record import CaseRecord, Citation, Verdict
from targets.base import TargetError
from targets.mutants.base import Mutant, find_mutant
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conformance.suite.case import Case

BROKEN = "rfc8166.3.3.1.grant-is-never-zero"
OTHER = "rfc8166.4.5.error-xid-echoed"
MUTANT = Mutant("odd", BROKEN, "Is odd.", Parts(), (("rfc8166.4.5", "errors are replies, too"),))


def options(*words: str) -> Namespace:
    parser = ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(words)


def record(verdict: Verdict, cited: str, name: str = "a", violated: str = "") -> CaseRecord:
    return CaseRecord(
        id=f"rfc8166/1/{name}",
        title="",
        verdict=verdict,
        reason="so it is",
        citations=(Citation(cited, "MUST", "rfc8166", "1", ""),),
        violated=(violated or cited,),
    )


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.WARN])
def test_a_verdict_that_names_the_broken_requirement_kills(verdict: Verdict) -> None:
    row = row_of(MUTANT, [record(verdict, BROKEN), record(Verdict.FAIL, OTHER, "b")])

    assert row.killers == ("rfc8166/1/a",)
    assert row.trips == (Trip("rfc8166/1/b", (OTHER,), "errors are replies, too"),)
    assert row.good


def test_a_case_that_contradicts_the_oracle_is_not_understood() -> None:
    found = Difference("rfc8166/1/a", "a call", DifferenceKind.NARROWER, (BROKEN,), "odd", "good")

    row = row_of(MUTANT, [record(Verdict.FAIL, BROKEN), record(Verdict.FAIL, OTHER, "b")], [found])

    assert row.killed
    assert not row.good


def test_a_verdict_that_blames_something_else_does_not_kill() -> None:
    about_it = record(Verdict.FAIL, BROKEN, violated="rfc8166.4.2.2.version-is-one")

    row = row_of(Mutant("odd", BROKEN, "Is odd.", Parts()), [about_it])

    assert row.killers == ()
    assert [trip.case for trip in row.trips] == ["rfc8166/1/a"]
    assert row.unexplained == ()
    assert not row.good


def test_says_what_no_case_came_to_look_at() -> None:
    failed = msgspec.structs.replace(
        record(Verdict.FAIL, OTHER), violated=(BROKEN,), not_reached=(OTHER,)
    )

    assert row_of(MUTANT, [failed]).not_reached == (OTHER,)
    assert row_of(MUTANT, [failed, record(Verdict.PASS, OTHER, "b")]).not_reached == ()


def test_keeps_the_first_killer_of_a_case_and_what_others_blame() -> None:
    records = [record(Verdict.FAIL, BROKEN, f"a[{n}]") for n in (1, 2)]

    kill = row_of(MUTANT, [*records, record(Verdict.FAIL, OTHER, "b")]).kill

    assert kill == Kill("odd", ("rfc8166/1/a[1]",), (OTHER,))


def test_a_mutant_that_nothing_notices_lives() -> None:
    row = row_of(MUTANT, [record(Verdict.PASS, BROKEN), record(Verdict.NA, BROKEN, "b")])

    assert row.killers == ()
    assert row.cases == 2
    assert not row.good


def test_a_trip_without_explanation_is_not_good() -> None:
    unexplained = record(Verdict.FAIL, "rfc8166.4.2.2.version-is-one", "b")

    row = row_of(MUTANT, [record(Verdict.FAIL, BROKEN), unexplained])

    assert [trip.case for trip in row.unexplained] == ["rfc8166/1/b"]
    assert not row.good


@pytest.mark.parametrize(
    ("breaks", "case", "is_explained"),
    [
        (BROKEN, "v2/1/b", True),
        (BROKEN, "xcharext/1/b", True),
        (BROKEN, "rtrext/1/b", True),
        (BROKEN, "rfc8166/1/b", False),
        (BROKEN, "bidir/1/b", False),
        ("v2.5.1.answer-is-no-error", "v2/1/b", False),
        ("v2.5.1.answer-is-no-error", "xcharext/1/b", True),
        ("xcharext.4.1.sender-bears-defaults", "v2/1/b", False),
        ("xcharext.4.1.sender-bears-defaults", "rtrext/1/b", True),
        ("rtrext.9.5.badoff", "rtrext/1/b", False),
    ],
)
def test_what_breaks_a_document_explains_what_breaks_in_those_above_it(
    breaks: str, case: str, *, is_explained: bool
) -> None:
    mutant = Mutant("odd", breaks, "Is odd.", Parts())
    tripped = msgspec.structs.replace(record(Verdict.FAIL, OTHER), id=case)

    (trip,) = row_of(mutant, [tripped]).trips

    assert bool(trip.why) is is_explained


@pytest.mark.parametrize(
    ("breaks", "violated", "is_explained"),
    [
        (BROKEN, ("v2.4.2.header-layout",), True),
        (BROKEN, ("v2.4.2.header-layout", OTHER), False),
        ("v2.5.1.answer-is-no-error", ("v2.4.2.header-layout",), False),
    ],
)
def test_it_explains_a_case_below_them_that_blames_nothing_but_theirs(
    breaks: str, violated: tuple[str, ...], *, is_explained: bool
) -> None:
    mutant = Mutant("odd", breaks, "Is odd.", Parts())
    tripped = msgspec.structs.replace(record(Verdict.FAIL, OTHER), violated=violated)

    (trip,) = row_of(mutant, [tripped]).trips

    assert bool(trip.why) is is_explained


@pytest.mark.parametrize(
    "drawn",
    [
        "rfc8166/3.4.4/responder-serves-chunks-of-every-shape[fetch]",
        "rfc8166/4.5/responder-answers-several-faults-at-once[26]",
    ],
)
def test_a_case_that_is_drawn_meets_whatever_is_broken(drawn: str) -> None:
    tripped = msgspec.structs.replace(record(Verdict.FAIL, OTHER), id=drawn)

    (trip,) = row_of(Mutant("odd", BROKEN, "Is odd.", Parts()), [tripped]).trips

    assert "drawn from a model" in trip.why


@pytest.mark.parametrize(
    ("verdict", "about"),
    [(Verdict.ERROR, OTHER), (Verdict.INCONC, "rfc8166.4.2.2.version-is-one")],
)
def test_a_case_that_could_not_be_judged_is_not_good(verdict: Verdict, about: str) -> None:
    records = [record(Verdict.FAIL, BROKEN), record(Verdict.FAIL, OTHER), record(verdict, about)]

    row = row_of(MUTANT, records)

    assert row.unjudged == (("rfc8166/1/a", f"{verdict.value}: so it is"),)
    assert not row.good


def test_what_a_mutant_hides_may_be_explained() -> None:
    row = row_of(MUTANT, [record(Verdict.FAIL, BROKEN), record(Verdict.INCONC, OTHER, "b")])

    assert row.trips == (Trip("rfc8166/1/b", (OTHER,), "errors are replies, too"),)
    assert row.good


def test_an_explanation_that_nothing_needs_is_not_good() -> None:
    row = row_of(MUTANT, [record(Verdict.FAIL, BROKEN)])

    assert row.idle == (("rfc8166.4.5", "errors are replies, too"),)
    assert not row.good


def test_every_case_that_is_said_to_be_drawn_is_there() -> None:
    names = [case.id for case in matrix._all_cases()]

    assert set(matrix._DRAWN) <= {name.partition("[")[0] for name in names}


def test_knows_the_cases_that_cite_a_requirement() -> None:
    cases = cases_citing(BROKEN)

    assert any(case.startswith("rfc8166/3.3.1/") for case in cases)
    assert len(set(cases)) == len(cases)


def test_prints_killers_and_trips_by_reason() -> None:
    trips = (Trip("r/1/b", (OTHER,), "why"), Trip("r/1/d", (OTHER,), ""))
    row = MatrixRow(
        "odd",
        ("r/1/a[1]", "r/1/a[2]", "r/1/c"),
        trips,
        (("r/1/e", "ERROR: x"),),
        (("rfc8166.9", "idle"),),
        (OTHER,),
        9,
    )

    text = "\n".join(matrix._lines(MUTANT, row))

    assert text == (
        "odd: killed. Is odd.\n"
        f"    breaks {BROKEN}\n"
        "    killed by r/1/a (2 parameters)\n"
        "    killed by r/1/c\n"
        "    also trips, since why:\n"
        "        r/1/b\n"
        "    leaves 1 requirements that no case reached\n"
        f"    UNEXPLAINED r/1/d: {OTHER}\n"
        "    UNJUDGED r/1/e: ERROR: x\n"
        "    EXPLAINS NOTHING: rfc8166.9: idle"
    )


@pytest.mark.long
def test_runs_a_mutant_and_says_what_killed_it(capsys: pytest.CaptureFixture[str]) -> None:
    status = run(options("--processes", "1", "claims-version-three"))

    printed = capsys.readouterr().out
    assert "claims-version-three: killed." in printed
    assert "1 mutants," in printed
    assert status == 0


def test_refuses_a_mutant_that_there_is_not() -> None:
    with pytest.raises(TargetError, match="there is no mutant `grants-plenty`"):
        run(options("grants-plenty"))


KILLED = "claims-version-three"


@pytest.fixture
def breaking_down(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The case after each killer of `KILLED` breaks pytest down; returns the killers' ids."""
    killers: list[str] = []
    record_case = Plugin._record

    def record(self: Plugin, case: Case, **_told: object) -> Verdict:
        if killers:
            raise RuntimeError("a hook broke")
        verdict = record_case(self, case)
        if verdict is Verdict.FAIL and self._running.target.name.endswith(KILLED):
            killers.append(case.id)
        return verdict

    monkeypatch.setattr(Plugin, "_record", record)
    return killers


def test_a_mutant_whose_run_pytest_gave_up_was_not_judged_though_a_case_had_failed(
    breaking_down: list[str],
) -> None:
    with pytest.raises(GaveUp, match=f"`{KILLED}` was not judged: .*RuntimeError: a hook broke"):
        run_mutant(KILLED)
    assert len(breaking_down) == 1


def given_up_or_killed(
    slug: str, _: tuple[str, ...] = (), reach: MethodReach | None = None
) -> MatrixRow:
    """In place of `run_mutant`, at a place where another process finds it."""
    assert reach is None
    if slug == KILLED:
        raise GaveUp(f"the mutant `{slug}` was not judged")
    return MatrixRow(slug, ("r/1/a",), (), (), (), (), 1)


def test_the_matrix_ends_in_an_error_after_the_rows_of_the_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []

    def keep(kills: Iterable[Kill], _every: Iterable[str]) -> None:
        kept.extend(kill.slug for kill in kills)

    monkeypatch.setattr(matrix, "write_kills", keep)
    monkeypatch.setattr(matrix, "run_mutant", given_up_or_killed)
    with pytest.raises(GaveUp, match=f"^the mutant `{KILLED}` was not judged$"):
        run(options("--processes", "1", "--write", KILLED, "grants-zero"))

    printed = capsys.readouterr().out
    assert "grants-zero: killed." in printed
    assert KILLED not in printed
    assert kept == ["grants-zero"]


def nothing_reached(profile: str, methods: Collection[str]) -> MethodReach:
    """In place of `reach_of_methods`: the methods that were asked for."""
    return MethodReach((), dict.fromkeys(methods, frozenset((profile,))))


def killed_where_reached(
    slug: str, _: tuple[str, ...], reach: MethodReach | None = None
) -> MatrixRow:
    """In place of `run_mutant`: killed by what the reach says of its method."""
    method = find_mutant(slug).method
    killers = tuple(reach.cases[method]) if reach else ("whole",)
    return MatrixRow(slug, killers, (), (), (), (), 1)


@pytest.mark.parametrize(("many", "killer"), [(2, "reference"), (3, "whole")])
def test_of_many_mutants_each_runs_where_the_reference_comes_to_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, many: int, killer: str
) -> None:
    monkeypatch.setattr(matrix, "_MANY", many)
    monkeypatch.setattr(matrix, "reach_of_methods", nothing_reached)
    monkeypatch.setattr(matrix, "run_mutant", killed_where_reached)

    assert run(options("--processes", "1", "grants-zero", "names-no-version")) == 0

    assert capsys.readouterr().out.count(f"killed by {killer}\n") == 2
