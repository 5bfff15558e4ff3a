from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from conformance.tester.client.harness import Harness
from fuzz.finding import Finding, keep
from fuzz.harnesses.v1_responder import good_call
from fuzz.replay import Step, replay
from fuzz.sequence import join
from fuzz.world import WRITABLE
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

PLACE = RdmaSegment(WRITABLE.handle, 100, WRITABLE.offset + 4)
FETCH = encode_header(TransportHeader(1, 1, 8, RdmaMsg((), (WriteChunk((PLACE,)),), None)))
FETCH += calls.fetch(1, 100)
TWISTED = good_call(2)[:16] + b"\0\0\0\x47" + good_call(2)[20:]


def steps_of(target: str, messages: list[bytes]) -> tuple[list[Step], Step | None]:
    harness = Harness(find_target(target))
    steps: list[Step] = []
    try:
        harness.begin()
        return steps, replay(harness, messages, steps.append)
    finally:
        harness.close()


def test_replay_translates_handles_to_memory_of_its_own_connection() -> None:
    steps, broken = steps_of("reference", [FETCH])
    assert [step.verdict for step in steps] == [Verdict.PASS]
    assert steps[0].octets != FETCH
    assert broken is None


def test_replay_judges_each_message_by_the_oracle() -> None:
    steps, broken = steps_of("reference", [TWISTED, b"\0", good_call(3)])
    assert [step.verdict for step in steps] == [Verdict.PASS] * 3
    assert steps[0].outcomes[0].startswith("ERR_CHUNK xid 0x00000002")
    assert steps[1].outcomes[0].startswith("nothing within")
    assert broken is None


def test_replay_fails_a_device_that_answers_wrongly() -> None:
    steps, _ = steps_of("mutant:grants-zero", [good_call(1)])
    assert steps[0].verdict is Verdict.FAIL
    assert steps[0].reason == "rdma_credit is 0"


def test_command_replays_a_kept_finding_and_prints_what_is_decoded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = keep(tmp_path, "v1-responder", join([FETCH, TWISTED]), Finding("oracle", "seen"))
    assert main(["replay", str(place)]) == 0
    printed = capsys.readouterr().out
    assert "reference: keeps the invariant" in printed
    assert "rdma_writes[0].target[0].length" in printed or "rdma_writes" in printed
    assert printed.count("verdict   PASS") == 2
    assert "still serves a good call" in printed


def test_command_takes_a_bare_file_as_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "crash").write_bytes(TWISTED)
    assert main(["replay", str(tmp_path / "crash"), "mutant:grants-zero"]) == 0
    assert capsys.readouterr().out.count("verdict ") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["replay", "nowhere"], "nowhere"),
        (["replay", "FILE", "no-such-target"], "no target `no-such-target`"),
        (["replay", "FILE", "mutant:no-such"], "no-such"),
    ],
)
def test_bad_input_is_one_sentence_and_status_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    (tmp_path / "crash").write_bytes(TWISTED)
    given = [str(tmp_path / "crash") if word == "FILE" else word for word in arguments]
    assert main(given) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1
