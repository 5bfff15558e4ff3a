"""How a baseline is drawn up from a run, and what survives of an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.baseline import Baseline, BaselineFinding, KnownCase, check_baseline, load_baseline
from reports.baseline_file import draw_up, render_baseline, stable_text
from reports.record import Verdict
from tests.reports.test_baseline import FILE, Judged, known, run_of

if TYPE_CHECKING:
    from pathlib import Path

RUN = run_of(
    Judged("d/1/slow[a]", Verdict.FAIL, "Nothing came within 5 s."),
    Judged("d/1/slow[b]", Verdict.FAIL, "Nothing came within 6 s."),
    Judged("d/1/good", Verdict.PASS),
    Judged("d/1/unclaimed", Verdict.NA, "not claimed"),
    Judged("d/2/odd", Verdict.WARN, "Odd."),
)


def test_every_deviation_is_listed_by_scenario_without_a_reason() -> None:
    draft = draw_up(RUN)
    assert [[case.id for case in finding.case] for finding in draft.baseline.finding] == [
        ["d/1/slow[a]", "d/1/slow[b]"],
        ["d/2/odd"],
    ]
    assert {finding.why for finding in draft.baseline.finding} == {""}
    assert draft.unexplained == ("d/1/slow[a]", "d/1/slow[b]", "d/2/odd")
    assert draft.baseline.target == "server"


def test_what_was_drawn_up_is_what_the_run_needs(tmp_path: Path) -> None:
    text = render_baseline(draw_up(RUN).baseline).replace('why = ""', 'why = "known"')
    (tmp_path / "known.toml").write_text(text)
    baseline = load_baseline(tmp_path / "known.toml", "server")
    check = check_baseline(RUN, baseline, FILE, {case.id for case in RUN.cases})
    assert (len(check.known), check.problems) == (3, ())


def test_reasons_links_and_texts_survive() -> None:
    earlier = Baseline("server", (known("d/2/odd", Verdict.WARN, "dd"),))
    draft = draw_up(RUN, earlier)
    assert draft.baseline.finding[0] == earlier.finding[0]
    assert draft.unexplained == ("d/1/slow[a]", "d/1/slow[b]")


def test_a_text_that_does_not_match_any_more_is_renewed() -> None:
    earlier = Baseline("server", (known("d/2/odd", Verdict.WARN, "even"),))
    (first, *_) = draw_up(RUN, earlier).baseline.finding
    assert (first.why, first.case[0].text) == ("it is slow", "Odd.")


def test_what_deviates_no_more_is_dropped_with_its_finding() -> None:
    draft = draw_up(RUN, Baseline("server", (known("d/1/good"),)))
    assert draft.dropped == ("d/1/good",)
    assert "it is slow" not in {finding.why for finding in draft.baseline.finding}


def test_what_shows_only_sometimes_is_kept_whether_it_shows_or_not() -> None:
    def racing(identity: str, text: str) -> BaselineFinding:
        return BaselineFinding(
            "it races", (KnownCase(identity, Verdict.WARN, text, sometimes=True),)
        )

    passes, unclaimed = racing("d/1/good", "x"), racing("d/1/unclaimed", "x")
    draft = draw_up(RUN, Baseline("server", (passes, unclaimed, racing("d/2/odd", "even"))))
    assert draft.baseline.finding[:3] == (passes, unclaimed, racing("d/2/odd", "Odd."))
    assert draft.dropped == ()
    assert "sometimes = true" in render_baseline(draft.baseline)


def test_every_end_of_a_race_is_kept_while_one_of_them_shows() -> None:
    ends = tuple(
        BaselineFinding(why, (KnownCase("d/2/odd", verdict, text, sometimes=True),))
        for why, verdict, text in (("late", Verdict.FAIL, "x"), ("early", Verdict.WARN, "Odd."))
    )
    draft = draw_up(RUN, Baseline("server", ends))
    assert draft.baseline.finding[:2] == ends
    assert draft.dropped == ()


def test_another_verdict_has_to_be_explained_again() -> None:
    draft = draw_up(RUN, Baseline("server", (known("d/2/odd", Verdict.FAIL, "Odd."),)))
    assert "d/2/odd" in draft.unexplained
    assert draft.dropped == ()


def test_what_nobody_has_explained_stays_unexplained() -> None:
    earlier = draw_up(RUN)
    again = draw_up(RUN, earlier.baseline)
    assert again == earlier


def test_what_the_run_does_not_speak_of_is_left_alone() -> None:
    elsewhere = known("d/2/odd", Verdict.FAIL, "x", kernels=("6.12",))
    unselected = known("d/9/unselected")
    draft = draw_up(RUN, Baseline("server", (elsewhere, unselected)))
    assert draft.baseline.finding[:2] == (elsewhere, unselected)
    assert draft.dropped == ()
    assert draft.baseline.finding[-1].kernels == ("6.1.0-56-amd64",)


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("Nothing came.", "Nothing came."),
        (
            "The end came for WRITE with target.handle 0x00000bad instead of 0x1f2e3d4c; too long.",
            "The end came for WRITE with target.",
        ),
        (
            "The end came for WRITE with target.offset 0x8, which was not what is allowed.",
            ("The end came for WRITE with target.", ", which was not what is allowed."),
        ),
        ("Region handle 0x8 lost", "Region"),
        (
            "1 octet was not discarded: ERR_VERS xid 0xb3000000 version 0.",
            "1 octet was not discarded: ERR_VERS",
        ),
        (
            "NULL, 68 octets, octet 0 0xffffffffff instead of 0xb384c60200 was answered twice now.",
            "was answered twice now.",
        ),
        (
            "The device died: it was ended by SIGSEGV; the kernel says: x[99]: segfault at 8.",
            "The device died: it was ended by SIGSEGV",
        ),
        (
            "It was ended; the kernel says: Out of memory: Killed 99; it said last: 10:01 hello.",
            "It was ended; the kernel says: Out of memory",
        ),
    ],
)
def test_what_differs_from_run_to_run_is_left_out(reason: str, text: str) -> None:
    assert stable_text(reason) == text


@given(st.text(min_size=1).filter(str.strip))
def test_a_reason_is_always_described_by_its_stable_text(reason: str) -> None:
    case = KnownCase("x", Verdict.FAIL, stable_text(reason))
    assert case.describes(reason)


@given(why=st.text(st.characters(codec="utf-8")), text=st.text(st.characters(codec="utf-8")))
def test_any_text_comes_back_from_the_file(
    why: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    case = KnownCase("d/1/x", Verdict.FAIL, ("a", f"{text}."), sometimes=True)
    baseline = Baseline("server", (BaselineFinding(f"{why}.", (case,), "l.md", ("6.1",)),))
    file.write_text(render_baseline(baseline), encoding="utf-8", newline="")
    assert load_baseline(file) == baseline
