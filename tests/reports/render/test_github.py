from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.record import CaseRecord, Verdict
from reports.render.github import github_annotations

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck
    from reports.record import RunRecord


def kinds(text: str) -> list[str]:
    return [line.split(" ", 1)[0] for line in text.splitlines()]


def deviating(count: int, *, same: bool, verdict: Verdict = Verdict.FAIL) -> tuple[CaseRecord, ...]:
    return tuple(
        CaseRecord(
            f"rfc8166/4.5.1/case-{number}",
            "Title.",
            verdict,
            f"Why {number}.",
            violated=("a" if same else f"a{number}",),
        )
        for number in range(count)
    )


def test_each_deviation_and_the_run_are_annotated(run: RunRecord) -> None:
    text = github_annotations(run)

    assert kinds(text) == ["::error", "::error", "::warning", "::notice"]
    assert text.startswith("::error title=FAIL rfc8166/4.5.1/case[FAIL]::because of FAIL ")
    assert "%0Arun again: rpcrdma certify reference --case" in text
    assert "case[PASS]" not in text


def test_what_a_device_sent_ends_no_annotation_and_begins_none(run: RunRecord) -> None:
    evil = CaseRecord("a/b/c:d,e", "Title.", Verdict.FAIL, "100 %\r\n::error::forged\x1b")

    first, *_ = github_annotations(msgspec.structs.replace(run, cases=(evil,))).splitlines()

    assert first.startswith(
        "::error title=FAIL a/b/c%3Ad%2Ce::100 %25\\x0d%0A::error::forged\\x1b%0A"
    )


@pytest.mark.parametrize(
    ("verdict", "kind"), [(Verdict.FAIL, "::error"), (Verdict.WARN, "::warning")]
)
def test_one_cause_is_one_annotation(run: RunRecord, verdict: Verdict, kind: str) -> None:
    cases = deviating(20, same=True, verdict=verdict)
    text = github_annotations(msgspec.structs.replace(run, cases=cases))

    assert kinds(text) == [kind, "::notice"]
    assert "by the same cause: 19 cases more" in text


def test_the_last_annotation_counts_what_github_would_not_show(run: RunRecord) -> None:
    text = github_annotations(msgspec.structs.replace(run, cases=deviating(11, same=False)))

    assert kinds(text) == ["::error"] * 10 + ["::notice"]
    assert text.splitlines()[9] == "::error title=rpcrdma::2 more: see the report"


def test_what_is_known_is_not_annotated(run: RunRecord, check: BaselineCheck) -> None:
    text = github_annotations(run, check)

    assert "title=FAIL rfc8166/4.5.1/case[FAIL]" not in text
    assert "title=rfc8166/4.5.1/gone::The suite has no such case" in text
    assert "title=PASS rfc8166/4.5.1/case[PASS]::The verdict is PASS now." in text
