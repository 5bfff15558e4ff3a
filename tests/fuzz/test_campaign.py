from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.explore.finding import load
from fuzz.campaign import Campaign
from fuzz.harnesses.v1_header import check
from fuzz.invariant import BrokenInvariant
from fuzz.planted import PLANTED, BelievesTruth
from fuzz.registry import harness_names

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
def test_planted_boolean_bug_is_found_minimised_and_kept(tmp_path: Path) -> None:
    harness, subject = PLANTED["boolean-check"]
    result = Campaign(harness, 60, tmp_path, subject, seed=1).run(lambda line: None)
    (path,) = result.findings
    finding = load(path)
    assert (finding.way, finding.broken) == (harness, ("round-trip",))
    with pytest.raises(BrokenInvariant) as caught:
        check(finding.octets, BelievesTruth())
    assert caught.value.invariant == "round-trip"


def test_reference_has_no_finding_and_counts_its_executions(tmp_path: Path) -> None:
    result = Campaign("v1-header", 1, tmp_path, seed=1).run(lambda line: None)
    assert result.findings == ()
    assert result.failure == ""
    assert result.executions > 100


def test_unknown_harness_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=", ".join(harness_names())):
        Campaign("v9", 1, tmp_path).run(lambda line: None)


def test_process_that_cannot_start_is_a_failure_with_its_last_words(tmp_path: Path) -> None:
    result = Campaign("v1-header", 1, tmp_path, "nowhere:Codec").run(lambda line: None)
    assert result.findings == ()
    assert "nowhere:Codec: No module named 'nowhere'" in result.failure
