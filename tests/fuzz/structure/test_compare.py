from __future__ import annotations

from fuzz.structure.compare import Run, page, run_once


def test_a_planted_bug_is_found_and_its_executions_are_counted() -> None:
    run = run_once("v2-header", "fuzz.planted_headers:TakesErrorsForOptions", 500, 1, raw=False)

    assert run.found
    assert 0 < run.executions < 500


def test_a_run_without_a_finding_tells_what_it_reached() -> None:
    run = run_once("v1-header", "", 500, 1, raw=True)

    assert not run.found
    assert run.executions == 500
    assert run.blocks > 100


def test_the_page_has_medians_and_what_most_seeds_do_not_find() -> None:
    never = Run(found=False, executions=900, seconds=2, blocks=5)
    late = Run(found=True, executions=800, seconds=9, blocks=6)
    soon = Run(found=True, executions=70, seconds=1, blocks=7)
    text = page(
        {("a-bug", "v1-header"): ((never, never, soon), (never, late, soon))},
        {"v1-header": ((never, late, soon), (soon, soon, soon))},
        900,
    )

    assert "| a-bug | v1-header | 1 of 3 seeds find it | 800 (2 s) |" in text
    assert "| v1-header | 6 (2 s) | 7 (1 s) |" in text
