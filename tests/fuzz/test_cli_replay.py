"""`rpcrdma replay` takes whatever was kept, and bare octets."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from conformance.explore.finding import Finding, keep
from conformance.explore.firing import Fired
from conformance.explore.named_memory import WRITABLE
from fuzz import cli_replay
from fuzz.invariant import BrokenInvariant, finding_of
from fuzz.live.server import steps
from fuzz.responder_executor import good_call
from fuzz.sequence import join
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header
from targets.lab.lab import Ending
from targets.lab.place import RunPlace
from targets.registry import find_target
from tests.conformance.cli.fake_lab import FakeLab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from targets.base import Target

PLACE = RdmaSegment(WRITABLE.handle, 100, WRITABLE.offset + 4)
FETCH = encode_header(TransportHeader(1, 1, 8, RdmaMsg((), (WriteChunk((PLACE,)),), None)))
FETCH += calls.fetch(1, 100)
TWISTED = good_call(2)[:16] + b"\0\0\0\x47" + good_call(2)[20:]


def test_command_replays_a_kept_finding_and_prints_what_is_decoded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = BrokenInvariant("oracle", "seen")
    path = keep(tmp_path, finding_of("v1-responder", join([FETCH, TWISTED]), broken))
    assert main(["replay", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "reference: keeps the invariant" in printed
    assert "rdma_writes[0].target[0].length" in printed or "rdma_writes" in printed
    assert printed.count("verdict   PASS") == 2
    assert "still serves a good call" in printed


def test_command_takes_the_steps_of_a_live_campaign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ("connect 7", "hurry", f"message {FETCH.hex()}", "withdraw 1", "wait")
    path = keep(tmp_path, Finding(steps.WAY, lines=lines))
    assert main(["replay", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "step      withdraw 1 0\nverdict   PASS" in printed
    assert "\nmessage   " in printed
    assert "reference: keeps the rules, and still serves a good call" in printed
    assert main(["replay", str(path), "mutant:dies-of-access-errors"]) == 1
    assert "FAIL: " in capsys.readouterr().out


def test_lines_that_are_no_steps_and_clients_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = keep(tmp_path, Finding(steps.WAY, lines=("jump",)))
    assert main(["replay", str(path)]) == 2
    assert "`jump` is no step to a server" in capsys.readouterr().err
    path = keep(tmp_path, Finding(steps.WAY, lines=("close",)))
    assert main(["replay", str(path), "reference-client"]) == 2
    assert "reference-client" in capsys.readouterr().err


def test_what_a_device_says_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = "an error named \x1b]0;pwned\x07"
    fired = Fired(TWISTED, "a message", (), (outcome,), Verdict.FAIL, outcome)
    cli_replay._print_verdict(fired)
    cli_replay._tell_rules("device", (outcome,), "serves")
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert said.count("\\x1b]0;pwned\\x07") == 3


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


def test_device_in_a_guest_is_sent_to_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the kernel that was asked for; here a mutant is in its place, and a log in the guest's."""
    asked: list[tuple[str, RunPlace, str]] = []

    @contextmanager
    def placed(
        target: Target, place: RunPlace, kernel: str, told: object, *, logs: Path
    ) -> Iterator[tuple[Target, tuple[()]]]:
        assert told is print
        asked.append((target.name, place, kernel))
        yield find_target("mutant:grants-zero"), ()
        logs.mkdir(parents=True)

    monkeypatch.setattr(cli_replay, "place_of", lambda _profile, _fabric: RunPlace.DEVICE_IN_GUEST)
    monkeypatch.setattr(cli_replay, "placed", placed)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crash").write_bytes(TWISTED)

    assert main(["replay", str(tmp_path / "crash"), "linux-server", "--kernel", "6.12"]) == 0

    assert asked == [("linux-server", RunPlace.DEVICE_IN_GUEST, "6.12")]
    said = capsys.readouterr().out
    assert "linux-server: keeps the rules" in said
    assert said.endswith("\nlogs      rpcrdma-replay-crash/lab\n")


def test_over_verbs_tester_and_device_are_in_the_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guest runs the same command, and its status is ours."""
    lab = FakeLab(status=3)
    monkeypatch.setattr(cli_replay, "place_of", lambda _profile, _fabric: RunPlace.ALL_IN_GUEST)
    monkeypatch.setattr(cli_replay, "run_in_lab", lab.run)
    (tmp_path / "crash").write_bytes(TWISTED)

    given = ["replay", str(tmp_path / "crash"), "linux-server", "--fabric", "verbs"]
    assert main([*given, "--output", str(tmp_path / "out")]) == 3

    (run,) = lab.asked
    assert run.logs == tmp_path / "out" / "lab"
    assert run.setup.command[3:] == (
        *("replay", str(tmp_path / "crash"), "linux-server"),
        *("--fabric", "verbs"),
    )


def ended_in_the_lab(ending: Ending, file: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The status of a replay whose guest has ended like this."""
    lab = FakeLab(0, ending)
    monkeypatch.setattr(cli_replay, "place_of", lambda _profile, _fabric: RunPlace.ALL_IN_GUEST)
    monkeypatch.setattr(cli_replay, "run_in_lab", lab.run)
    file.write_bytes(TWISTED)
    return main(["replay", str(file), "linux-server", "--fabric", "verbs"])


def test_the_labs_own_deadline_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended_in_the_lab(Ending.DEADLINE, tmp_path / "crash", monkeypatch) == 2
    told = capsys.readouterr()
    assert "verdict" not in told.out
    assert "the deadline was exceeded after 1 s; nothing is known of what" in told.err


def test_a_guest_that_panics_is_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended_in_the_lab(Ending.PANIC, tmp_path / "crash", monkeypatch) == 1
    assert "verdict   FAIL: the guest's kernel panicked" in capsys.readouterr().out


def test_bare_sequence_is_one_by_the_name_of_its_harness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "crash").write_bytes(join([FETCH, TWISTED]))
    assert main(["replay", str(tmp_path / "crash"), "--harness", "v1-responder"]) == 0
    assert capsys.readouterr().out.count("verdict ") == 2
