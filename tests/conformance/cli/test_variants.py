"""`rpcrdma dev variants`: what it is told to judge, and what it publishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cli import variants
from conformance.proof.variants import page
from conformance.proof.variants.results import Judged, OfCode, Other, read_results
from reports.record import Verdict
from tests.conformance.cli.command_line import refused, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conformance.proof.variants.run import VariantPlan

CODE = OfCode("digest", "0123456789ab", 24, 1)
CLEAN = Judged("grants-one-credit", "roce", 3, 3)
HELD = Judged(
    "posts-few-receives",
    *("roce", 3, 2),
    unlike_reference=(Other("a", Verdict.PASS, Verdict.FAIL, "why"),),
    problem="it was ended",
)


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[VariantPlan]:
    """The plans that were carried out; of one variant something is said."""
    seen: list[VariantPlan] = []

    def judge_all(
        plan: VariantPlan, on_judged: Callable[[Judged, int], None]
    ) -> tuple[OfCode, tuple[Judged, ...]]:
        seen.append(plan)
        found = (CLEAN, HELD)[: len(plan.variants)]
        for one in found:
            on_judged(one, 0)
        return CODE, found

    monkeypatch.setattr(variants, "judge_all", judge_all)
    return seen


@pytest.mark.parametrize(("words", "record"), [((), "roce"), (("--again",), "roce-again")])
def test_one_variant_is_judged_and_published(
    plans: list[VariantPlan],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    record: str,
) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path / "README.md")
    monkeypatch.setattr(page, "record_of", lambda name: tmp_path / f"{name}.jsonl")
    monkeypatch.setattr(page, "published", lambda: [(CODE, (CLEAN,))])

    assert run("dev", "variants", "grants-one-credit", "--write", *words) == 0

    (plan,) = plans
    assert [one.slug for one in plan.variants] == ["grants-one-credit"]
    assert plan.fabric == "roce"
    assert read_results(tmp_path / f"{record}.jsonl") == (CODE, (CLEAN,))
    assert page.PAGE.read_text(encoding="utf-8") == page.render([(CODE, (CLEAN,))])


def test_what_is_held_against_one_ends_with_status_1(
    plans: list[VariantPlan], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("dev", "variants", "--fabric", "verbs", "-n", "2", "--sample", "5") == 1

    (plan,) = plans
    assert (plan.fabric, plan.workers, plan.sample) == ("verbs", 2, 5)
    assert "uses-handles-again" not in {one.slug for one in plan.variants}
    said = capsys.readouterr().err
    assert "posts-few-receives: 2 of 3 passed" in said
    assert "    a: FAIL, not PASS: why\n    it was ended\n" in said


def test_a_number_is_at_least_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert "give at least 1" in refused(capsys, "dev", "variants", "--sample", "0")
