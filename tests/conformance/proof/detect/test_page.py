"""The page: the rate, the table, what is listed, and that it is what the record says."""

from __future__ import annotations

import msgspec

from conformance.proof.detect import page
from conformance.proof.detect.explained import Explanation, WhyMissed, read_explained
from conformance.proof.detect.page import (
    contradicted,
    not_found,
    open_faults,
    rate,
    render,
    seen_rate,
    summary,
)
from conformance.proof.detect.results import Fate, Head, Tried, read_results

HEAD = Head("digest", "0123456789ab", 7, "rpcrdma.endpoint", 100)


def tried(name: str, outcome: Fate, module: str = "core.credits") -> Tried:
    module = f"rpcrdma.endpoint.{module}"
    return Tried(f"{module}:1:0:{name}", module, "f", "compare", f"`{name}` is it", name, outcome)


TRIED = (
    tried("a", Fate.NAMED),
    tried("b", Fate.NAMED),
    tried("c", Fate.LIVENESS),
    tried("d", Fate.HUNG, "responder.plan"),
    tried("e", Fate.SURVIVED),
    tried("f", Fate.SURVIVED),
    tried("g", Fate.UNREACHED, "responder.plan"),
    tried("h", Fate.UNDECIDED),
)
WHY = {
    name: Explanation(name, name, kind, f"It is {kind.value}.")
    for name, kind in (
        ("e", WhyMissed.EQUIVALENT),
        ("f", WhyMissed.MISSING_CASE),
        ("a", WhyMissed.LAWFUL),
    )
}


def test_the_rate_leaves_out_what_there_is_nothing_to_find_in() -> None:
    """Not what a case is missing for, and not what was found although somebody explained it."""
    assert rate(TRIED, {}) == (4, 8)
    assert rate(TRIED, WHY) == (4, 7)


def test_what_nobody_has_explained_is_open() -> None:
    assert [one.fingerprint for one in open_faults(TRIED, WHY)] == ["g", "h"]


def test_one_sentence_says_it() -> None:
    assert summary(TRIED, WHY) == (
        "8 faults: 4 found, 2 of them by a verdict that names a statement; 1 in which there is"
        " nothing to find; 57 % of the rest found, 29 % named"
    )


def test_each_module_has_a_row() -> None:
    text = render(HEAD, TRIED, WHY)

    assert "| `endpoint.core.credits` | 6 | 2 | 1 | 0 | 1 | 0 | 2 | 1 | 60 % |" in text
    assert "| `endpoint.responder.plan` | 2 | 0 | 0 | 1 | 0 | 1 | 0 | 0 | 50 % |" in text
    assert "| all | 8 | 2 | 1 | 1 | 1 | 1 | 2 | 1 | 57 % |" in text


def test_what_was_not_found_is_listed_with_its_reason() -> None:
    text = render(HEAD, TRIED, WHY)

    assert "## Defects that a case should find: 1" in text
    assert "(survived, f): `f` is it. It is missing-case." in text
    assert "## Not looked at yet: 2" in text
    assert "commit 0123456789ab: a sample of 8 of 100 faults" in text
    assert "It is lawful" not in text


def test_what_shows_is_told_from_what_changes_nothing() -> None:
    shows = tried("i", Fate.SURVIVED)
    shows = msgspec.structs.replace(shows, seen=5, seen_in=("c1", "c2", "c3"), difference="event 1")
    silent = msgspec.structs.replace(tried("j", Fate.SURVIVED), seen=0)
    looked_at = (*TRIED, shows, silent)

    text = render(HEAD, looked_at, WHY)

    assert "## Changes what is sent, no verdict: 1" in text
    assert "`i` is it. Shows in `c1`, `c2`, `c3` and 2 more: event 1." in text
    assert "## Changes nothing in any case: 1" in text
    assert "## Not looked at yet: 2" in text
    assert seen_rate(looked_at, WHY) == (4, 5)
    assert "44 % of the rest found" in text
    assert "of those that change what a case shows, 80 %.**" in text


def test_what_was_not_found_may_be_looked_for_again() -> None:
    """Not what is explained as no defect."""
    assert [one.fingerprint for one in not_found(TRIED, WHY)] == ["f", "g", "h"]


def test_an_explanation_that_cannot_be_right_is_told() -> None:
    equivalent, missing = (msgspec.structs.replace(one, seen=1) for one in TRIED[4:6])

    assert contradicted((equivalent, missing), WHY) == (equivalent,)


def test_nothing_is_no_rate() -> None:
    assert "- of the rest found" in summary((), {})


def test_the_page_is_what_its_record_says() -> None:
    """And what the explanations say: `rpcrdma dev detect --write` brings it up to date."""
    head, found = read_results(page.RECORD)

    assert page.PAGE.read_text(encoding="utf-8") == render(head, found, read_explained())
