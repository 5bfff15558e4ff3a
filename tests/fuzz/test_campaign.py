from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.explore.finding import load
from fuzz.campaign import Campaign
from fuzz.harnesses.v1_header import V1ReferenceCodec, check
from fuzz.invariant import BrokenInvariant
from fuzz.planted import PLANTED, BelievesTruth
from fuzz.registry import harness_names
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header

if TYPE_CHECKING:
    from pathlib import Path

    from fuzz.campaign import Result
    from fuzz.pulse import Pulse


@pytest.mark.long
def test_planted_boolean_bug_is_found_minimised_and_kept(tmp_path: Path) -> None:
    harness, subject = PLANTED["boolean-check"]
    result = Campaign(harness, 60, tmp_path, subject, seed=1, to_first=True).run(lambda pulse: None)
    (path,) = result.findings
    finding = load(path)
    assert (finding.way, finding.broken) == (harness, ("round-trip",))
    with pytest.raises(BrokenInvariant) as caught:
        check(finding.octets, BelievesTruth())
    assert caught.value.invariant == "round-trip"


def test_reference_has_no_finding_and_counts_its_executions(tmp_path: Path) -> None:
    result = Campaign("v1-header", 1, tmp_path, seed=1).run(lambda pulse: None)
    assert result.findings == ()
    assert result.failure == ""
    assert result.pulse.executions > 100
    assert result.pulse.coverage > 100


@pytest.mark.long
def test_a_run_goes_on_after_a_finding_and_tells_it_again_when_it_is_found_again(
    tmp_path: Path,
) -> None:
    harness, subject = PLANTED["credit-underflow"]
    campaign = Campaign(harness, 1, tmp_path / "found", subject, tmp_path / "corpus", seed=1)

    first, again = (campaign.run(lambda pulse: None) for _ in range(2))

    assert len(first.findings) == 1
    assert first.pulse.executions > first.pulse.findings
    assert again.findings == first.findings
    assert again.failure == ""


@pytest.mark.long
def test_what_is_new_is_kept_and_can_be_reduced(tmp_path: Path) -> None:
    campaign = Campaign("v1-header", 1, tmp_path / "found", corpus=tmp_path / "corpus", seed=1)
    campaign.run(lambda pulse: None)
    kept = len(list((tmp_path / "corpus").iterdir()))

    before, after = campaign.reduce()

    assert before == kept > after
    assert len(list((tmp_path / "corpus").iterdir())) == after


def test_a_process_that_dies_of_an_input_is_followed_by_another(tmp_path: Path) -> None:
    result = Campaign("v1-header", 2, tmp_path, f"{__name__}:Dies", seed=1).run(lambda pulse: None)

    assert {load(path).broken for path in result.findings} == {("process-died",)}


@pytest.mark.long
def test_several_processes_tell_of_a_cause_once(tmp_path: Path) -> None:
    harness, subject = PLANTED["boolean-check"]
    campaign = Campaign(harness, 2, tmp_path, subject, seed=1, processes=2)

    result = campaign.run(lambda pulse: None)

    assert result.failure == ""
    assert _broken(result).count("round-trip") == 1


@pytest.mark.long
def test_an_input_that_another_process_leaves_is_tried(tmp_path: Path) -> None:
    secret = encode_header(TransportHeader(SECRET, 1, 1, RdmaMsg((), (), None)))
    corpus, aside = tmp_path / "corpus", tmp_path / "aside"

    def leave(pulse: Pulse) -> None:
        if pulse.has_begun:
            # Whole at once: the fuzzer, which looks every second, must not meet half of it.
            aside.write_bytes(secret)
            aside.replace(corpus / "secret")

    subject = f"{__name__}:KnowsASecret"
    result = Campaign("v1-header", 8, tmp_path / "found", subject, corpus, seed=1).run(leave)

    assert _broken(result).count("round-trip") == 1
    starts = {load(path).octets[:4] for path in result.findings}
    assert secret[:4] in starts  # the rest of it is made smaller


def _broken(result: Result) -> list[str]:
    """What findings are of; on a machine that is busy some inputs take too long as well."""
    return [load(path).broken[0] for path in result.findings]


SECRET = 0x5EC12E70
"""An XID that no fuzzer guesses in time."""


class KnowsASecret(V1ReferenceCodec):
    """Does wrong with one XID."""

    def encode(self, header: TransportHeader) -> bytes:
        return b"" if header.rdma_xid == SECRET else super().encode(header)


class Dies(V1ReferenceCodec):
    """Takes its process along when it meets a Reply chunk."""

    def encode(self, header: TransportHeader) -> bytes:
        if getattr(header.rdma_body, "rdma_reply", None):
            os.abort()
        return super().encode(header)


def test_unknown_harness_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=", ".join(harness_names())):
        Campaign("v9", 1, tmp_path).run(lambda pulse: None)


def test_process_that_cannot_start_is_a_failure_with_its_last_words(tmp_path: Path) -> None:
    result = Campaign("v1-header", 1, tmp_path, "nowhere:Codec").run(lambda pulse: None)
    assert result.findings == ()
    assert "nowhere:Codec: No module named 'nowhere'" in result.failure
