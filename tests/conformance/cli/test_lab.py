"""`rpcrdma lab`: arguments, exit statuses, and one clear sentence for a bad environment."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from conformance.cli import lab as command
from targets.lab.console import ConsoleFault, Severity
from targets.lab.errors import LabError
from targets.lab.lab import Ending, LabResult, LabRun
from targets.lab.setup import LabServer, ServerKind
from targets.standing.stay import GuestState
from tests.conformance.cli.fake_lab import FakeLab

if TYPE_CHECKING:
    from pathlib import Path

    from targets.standing.setup import StandingSetup


def lab(*words: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    arguments = parser.parse_args(["lab", *words])
    return command.run(arguments)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[LabRun]:
    """Runs that were asked for; each prints a line and ends with status 4."""
    made = FakeLab(status=4)
    monkeypatch.setattr(command, "run_in_lab", made.run)
    monkeypatch.setattr(command, "is_native", lambda: False)
    return made.asked


def test_run_passes_the_command_on_and_ends_with_its_status(
    requests: list[LabRun], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert lab("run", "--writable", str(tmp_path), "--", "uname", "-r") == 4
    assert requests[0].setup.command == ("uname", "-r")
    assert requests[0].writable == (tmp_path,)
    assert capsys.readouterr().out == "hello\n"


def test_another_server_replaces_nfsd(requests: list[LabRun]) -> None:
    lab("run", "--server", "./server --port 1", "true")
    lab("run", "--server", "none", "true")
    assert requests[0].setup.server == LabServer(ServerKind.COMMAND, ("./server", "--port", "1"))
    assert requests[1].setup.server.kind is ServerKind.NONE


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "--memory", "8GB", "true"), "--memory is `8GB`; write a number of mebibytes"),
        (("run", "--memory", "99999G", "true"), "and this machine has"),
        (("run",), "lab run: no command was given"),
        (("run", "--trace", "rpcrdma:*", "true"), "--trace needs a folder to leave the trace in"),
    ],
)
def test_a_bad_request_is_one_sentence_and_status_2(
    requests: list[LabRun],
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    sentence: str,
) -> None:
    assert lab(*words) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.splitlines()) == 1
    assert requests == []


def test_a_lab_that_does_not_come_up_is_one_sentence_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], requests: list[LabRun]
) -> None:
    def fail(request: LabRun, on_line: object) -> LabResult:
        raise LabError("booting the lab", "virtme-ng is missing", "install it")

    monkeypatch.setattr(command, "run_in_lab", fail)
    assert lab("run", "true") == 2
    assert capsys.readouterr().err == (
        "rpcrdma lab: booting the lab: virtme-ng is missing; install it\n"
    )


def test_a_panic_is_status_1_and_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], requests: list[LabRun]
) -> None:
    fault = ConsoleFault(Severity.PANIC, 9, "Kernel panic - not syncing: x")
    result = LabResult(Ending.PANIC, None, 1.0, (fault,))
    monkeypatch.setattr(command, "run_in_lab", lambda request, on_line: result)
    assert lab("run", "true") == 1
    assert "panic in the guest: Kernel panic - not syncing: x" in capsys.readouterr().err


@pytest.fixture
def standing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[GuestState]:
    """The guest that is up, if there is one; bringing one up takes no time."""
    up: list[GuestState] = []

    def bring_up(setup: StandingSetup, target: str, kernel: str | None) -> GuestState:
        up.append(GuestState(tmp_path, kernel or "6.1", target, setup))
        return up[0]

    monkeypatch.setattr(command, "bring_up", bring_up)
    monkeypatch.setattr(command, "find_guest", lambda: up[0] if up else None)
    monkeypatch.setattr(command, "bring_down", lambda: up.pop() if up else None)
    return up


def test_a_guest_is_brought_up_looked_at_and_brought_down(
    standing: list[GuestState], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert [lab("status"), lab("up", "linux-client", "--kernel", "6.12"), lab("status")] == [
        1,
        0,
        0,
    ]
    assert standing[0].setup.server.kind is ServerKind.NONE
    assert [lab("down"), lab("down")] == [0, 0]
    described = f"linux-client on Linux 6.12 is up, in {tmp_path}"
    assert capsys.readouterr().out.splitlines() == [
        "no guest is up",
        described,
        described,
        "linux-client on Linux 6.12 is down",
        "no guest was up",
    ]


def test_a_guest_that_is_up_and_dead_is_said_to_be(
    standing: list[GuestState], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lab("up")
    (tmp_path / "console.log").write_text("Kernel panic - not syncing: Attempted\n")

    assert lab("status") == 0

    assert capsys.readouterr().out.splitlines()[-1] == (
        f"linux-server on Linux 6.1 is up, in {tmp_path}, and no run uses it: panic in the kernel:"
        " Kernel panic - not syncing: Attempted"
    )
    assert len(standing) == 1


def test_the_kernels_server_is_what_is_brought_up_by_default(standing: list[GuestState]) -> None:
    assert lab("up") == 0
    assert standing[0].target == "linux-server"
    assert len(standing[0].setup.networks) == 1


def test_a_guest_for_several_processes_has_a_link_for_each(standing: list[GuestState]) -> None:
    assert lab("up", "-n", "2") == 0
    assert len(standing[0].setup.networks) == 2


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("no-such", "rpcrdma lab: no target `no-such`; there are "),
        ("reference", "rpcrdma lab: starting the target: reference has no place in the lab; "),
    ],
)
@pytest.mark.usefixtures("standing")
def test_what_cannot_be_brought_up_is_said_in_a_sentence(
    target: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab("up", target) == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_the_configuration_is_printed_with_what_is_wanted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert lab("config") == 0
    plain = capsys.readouterr().out
    assert lab("config", "--kasan", "--lockdep") == 0
    more = capsys.readouterr().out
    assert more.startswith(plain.rstrip())
    assert "CONFIG_RDMA_RXE=m" in plain
    assert "CONFIG_KASAN=y" in more
    assert "CONFIG_PROVE_LOCKING=y" in more
    assert "CONFIG_KCOV=y" not in more


def test_the_tree_is_made_in_a_folder_of_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab("tree", str(tmp_path / "export")) == 0
    assert (tmp_path / "export" / "size-1000").stat().st_size == 1000
    assert "has the files that cases expect" in capsys.readouterr().out


def test_a_tree_that_cannot_be_made_is_one_sentence_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert lab("tree", str(tmp_path / "file")) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"rpcrdma lab: making the file tree: {tmp_path / 'file'}: File exists;")
    assert len(told.splitlines()) == 1
