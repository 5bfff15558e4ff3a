"""A campaign, with a function in the device's place and a clock that moves when it is looked at."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from fuzz.live.campaign import LiveCampaign, LivePulse
from fuzz.live.corpus import LiveCorpus
from fuzz.live.coverage import Block, NoCoverage
from fuzz.live.execution import LiveExecution
from fuzz.live.executor import LiveExecutor
from fuzz.live.findings import MESSAGES, LiveFindings
from fuzz.live.reach import ModuleReach
from fuzz.live.seeds import seeds_for
from fuzz.responder_executor import good_call
from fuzz.sequence import join
from fuzz.structure.headers import V1_SEQUENCE
from targets.lab.errors import LabError
from targets.registry import find_target
from tests.conformance import miniatures as mini
from tests.fuzz.live.fakes import FakeCoverage, FakeExecutor, answered, failed, kept_back

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fuzz.live.coverage import BlockCoverage
    from targets.base import Target

START = Block("rpcrdma", "receive", 0)
SEEDS = (join([good_call(1)]), join([good_call(2), good_call(3)]))


def campaign(
    folder: Path, executor: FakeExecutor | LiveExecutor, coverage: BlockCoverage, step: float = 1
) -> LiveCampaign:
    corpus = LiveCorpus(folder / "corpus", V1_SEQUENCE, 1)
    clock = count(0, step).__next__
    findings = LiveFindings(executor, folder / "findings", MESSAGES, "device", 1, clock)  # type: ignore[arg-type]
    return LiveCampaign(executor, coverage, corpus, findings, clock)  # type: ignore[arg-type]


def deep(messages: list[bytes]) -> set[Block]:
    """One more block for each message, so that longer sequences reach more."""
    return {START, *(Block("rpcrdma", "send", number) for number in range(len(messages)))}


def test_inputs_that_reach_new_blocks_are_kept_and_made_further_use_of(tmp_path: Path) -> None:
    executor = FakeExecutor(lambda _: answered("a Reply"))
    run = campaign(tmp_path, executor, FakeCoverage(executor, deep), 0.1)
    pulse = run.run(SEEDS, 60)
    assert executor.ran[:2] == [[good_call(1)], [good_call(2), good_call(3)]]
    assert pulse.blocks == len(run.known) > 10  # no seed has so many messages
    assert pulse.functions == 2
    assert pulse.corpus == len(list((tmp_path / "corpus").iterdir())) < pulse.inputs
    assert pulse.samples[0].inputs == 0
    assert pulse.samples[-1].modules["rpcrdma"] == ModuleReach(pulse.blocks, 2, 2)
    assert len(pulse.samples) > 3
    assert "blocks in 2 functions" in str(pulse)


def test_a_new_kind_of_answer_counts_where_nobody_sees_blocks(tmp_path: Path) -> None:
    def does(messages: list[bytes]) -> LiveExecution:
        return answered(
            f"a Reply of {len(messages)} octets", "an error" if len(messages) > 2 else ""
        )

    pulse = campaign(tmp_path, FakeExecutor(does), NoCoverage()).run(SEEDS, 100)
    assert pulse.corpus == 2  # the numbers in an answer make no other kind
    assert (pulse.blocks, pulse.functions) == (0, 0)
    assert "blocks" not in str(pulse)


def test_what_is_wrong_is_found_and_the_campaign_goes_on(tmp_path: Path) -> None:
    executor = FakeExecutor(lambda _: failed("silence", "a.1.rule"))
    told: list[int] = []
    pulse = campaign(tmp_path, executor, NoCoverage()).run(
        SEEDS, 30, lambda pulse: told.append(pulse.findings)
    )
    assert pulse.findings == 1
    assert pulse.inputs > 3
    assert told[-1] == 1


def test_what_was_kept_back_is_counted_and_not_sent(tmp_path: Path) -> None:
    pulse = campaign(tmp_path, FakeExecutor(lambda _: kept_back()), NoCoverage()).run(SEEDS, 10)
    assert (pulse.kept_back, pulse.messages) == (pulse.inputs, 0)


def test_an_input_that_brings_the_device_down_is_in_no_corpus(tmp_path: Path) -> None:
    executor = FakeExecutor(lambda _: LiveExecution((), "oops", "oops"))
    pulse = campaign(tmp_path, executor, FakeCoverage(executor, deep)).run(SEEDS, 10)
    assert pulse.corpus == 0
    assert pulse.deaths >= pulse.inputs


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (Inconclusive("it is gone"), "it is gone"),
        (LabError("booting the lab", "no memory"), "booting the lab: no memory"),
        (KeyboardInterrupt(), "interrupted"),
        (ZeroDivisionError("of what?"), "an error of the suite, to be reported: ZeroDivisionError"),
    ],
)
def test_what_ends_it_early_is_told_with_what_there_is(
    end: BaseException, told: str, tmp_path: Path
) -> None:
    left = count(5, -1)

    def does(_: list[bytes]) -> LiveExecution:
        if next(left) <= 0:
            raise end
        return answered("a Reply")

    pulse = campaign(tmp_path, FakeExecutor(does), NoCoverage()).run(SEEDS, 1000)
    assert pulse.stopped.startswith(told)
    assert pulse.inputs == 5


def test_a_rate_of_no_time_is_none() -> None:
    assert LivePulse(inputs=3).rate == 0.0


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: find_target("reference"), False),
        (lambda: find_target("reference", "switch"), False),
        (lambda: find_target("mutant:grants-zero"), True),
        (lambda: mini.MiniatureTarget(mini.good, dies_after=300), True),
    ],
)
def test_devices_in_this_process(make: Callable[[], Target], wrong: bool, tmp_path: Path) -> None:
    """The reference keeps the rules whatever comes; a mutant and a mortal device are found out."""
    harness = Harness(make())
    run = campaign(tmp_path, LiveExecutor(harness, destructive=True), NoCoverage(), 0.5)
    pulse = run.run(seeds_for(harness, "v1-responder")[-20:], 60)
    harness.close()
    assert pulse.inputs > 10
    assert bool(pulse.findings) == wrong
    assert not pulse.stopped
