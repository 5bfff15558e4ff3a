"""The page about variants over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.proof.kept_results import write_kept
from conformance.proof.variants.page import PAGE, published, record_of, render, summary
from conformance.proof.variants.results import Judged, OfCode, Other
from reports.record import Verdict

if TYPE_CHECKING:
    from pathlib import Path

CODE = OfCode("digest", "0123456789ab", 24, 1)
LATER = OfCode("other", "ba9876543210", 8, 1)
LEFT_OPEN = Other("rfc8166/3/x", Verdict.PASS, Verdict.NA, "it grants\none credit")
HELD = Other("rfc8166/3/y", Verdict.PASS, Verdict.WARN, "it is late")
ALL = (
    Judged("two", "roce", 3, 2, (LEFT_OPEN,), ()),
    Judged("one", "roce", 3, 2, (HELD,), (HELD,)),
    Judged("one", "verbs", 2, 2, problem="the guest died"),
)


def test_the_summary_counts_by_fabric() -> None:
    assert summary(ALL) == (
        "roce: 2 variants, 6 verdicts, 1 of them held against a variant, 1 other than on loopback;"
        " verbs: 1 variant, 2 verdicts, 0 of them held against a variant, 0 other than on loopback"
    )


def test_the_page_has_a_row_for_each_and_every_reason() -> None:
    text = render(((CODE, ALL[:2]), (LATER, ALL[2:])))

    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows == [
        "| `one` | roce | 3 | 2 | 1 | 1 |",
        "| `one` | verbs | 2 | 2 | 0 | 0 |",
        "| `two` | roce | 3 | 2 | 1 | 0 |",
    ]
    assert "- `two`, roce: 1 case N/A: it grants one credit\n" in text
    assert "- `one`, roce: 1 case WARN: it is late\n" in text
    assert "- `one`, roce: `rfc8166/3/y` is WARN, not PASS: it is late\n" in text
    assert "- `one`, verbs: the guest died.\n" in text


def test_each_fabric_says_of_which_code_and_sample_it_is() -> None:
    text = render(((CODE, ALL[:2]), (LATER, ALL[2:])))

    assert "**roce: 2 variants" in text
    assert "commit 0123456789ab; the sample is of 24 cases" in text
    assert "**verbs: 1 variant" in text
    assert "commit ba9876543210; the sample is of 8 cases" in text


def test_where_nothing_differs_nothing_is_told() -> None:
    assert "- `" not in render([(CODE, (Judged("one", "roce", 3, 3),))])


def test_what_is_published_is_the_page_of_its_record() -> None:
    measured = published()

    assert PAGE.read_text(encoding="utf-8") == render(measured)
    latest = {(one.fabric, one.variant): one for _, judged in measured for one in judged}
    assert not any(one.held or one.problem for one in latest.values())


def test_what_was_judged_again_comes_after_what_was_before(tmp_path: Path) -> None:
    for name in ("verbs-again", "verbs", "roce"):
        write_kept(record_of(name, tmp_path), OfCode("", name, 1, 1), ())

    assert [head.commit for head, _ in published(tmp_path)] == ["roce", "verbs", "verbs-again"]
