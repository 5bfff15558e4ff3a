"""How a run in the lab ends, with a script in place of the virtual machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from targets.lab import lab
from targets.lab.accelerator import Accelerator
from targets.lab.boot import STARTED
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.lab.kernel import Kernel
from targets.lab.lab import Ending, LabResult, LabRun, is_native, run_in_lab, run_shell, server_of
from targets.lab.setup import GuestSetup, ServerKind
from targets.profile import SHIPPED, load_profile


def with_script(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(Path("/boot/vmlinuz-6.1.0"), "6.1.0", None)
    monkeypatch.setattr(lab, "select_kernel", lambda wanted: kernel)
    monkeypatch.setattr(lab, "host_environment", lambda: None)
    monkeypatch.setattr(lab, "untested_virtme_ng", lambda: "")
    monkeypatch.setattr(lab, "chosen_accelerator", lambda: Accelerator.TCG)
    monkeypatch.setattr(lab, "_prepare", lambda run, job, accelerator: ["sh", "-c", script])


def run(
    script: str, job: Path, monkeypatch: pytest.MonkeyPatch, deadline_s: float = 10
) -> tuple[LabResult, list[str]]:
    with_script(script, monkeypatch)
    lines: list[str] = []
    request = LabRun(GuestSetup(("true",), "/"), deadline_s, job=job)
    return run_in_lab(request, lines.append), lines


def report(job: Path, status: str) -> str:
    text = f'{{"stage": "{status}", "status": 3, "ready_s": 9.5}}'
    return f"echo '{text}' >{job}/report.json"


def test_the_commands_own_status_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"echo '{STARTED}'; echo hello; {report(tmp_path, 'done')}"
    result, lines = run(script, tmp_path, monkeypatch)
    assert (result.ending, result.status, result.ready_s) == (Ending.EXITED, 3, 9.5)
    assert lines == ["hello"]


def test_time_is_counted_without_kvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_script(f"echo '{STARTED}'; {report(tmp_path, 'done')}", monkeypatch)
    monkeypatch.setattr(lab, "chosen_accelerator", lambda: Accelerator.KVM)
    request = LabRun(GuestSetup(("true",), "/"), 10, job=tmp_path, counted=True)
    assert run_in_lab(request, lambda line: None).accelerator is Accelerator.TCG


def test_a_machine_that_ends_under_the_command_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, _ = run(f"echo '{STARTED}'; {report(tmp_path, 'ready')}", tmp_path, monkeypatch)
    assert (result.ending, result.status) == (Ending.DIED, None)


def test_a_panic_on_the_console_is_told_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panic = "[   1.0] Kernel panic - not syncing: Fatal exception"
    result, _ = run(f"echo '{STARTED}'; echo '{panic}' >&2", tmp_path, monkeypatch)
    assert result.ending is Ending.PANIC
    assert "Kernel panic - not syncing: Fatal exception" in result.describe()


def test_a_command_that_hangs_meets_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, _ = run(f"echo '{STARTED}'; sleep 1000", tmp_path, monkeypatch, deadline_s=0.5)
    assert (result.ending, result.status) == (Ending.DEADLINE, None)


def test_a_guest_that_never_starts_is_no_verdict_but_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LabError, match="the guest did not start: no such machine"):
        run("echo no such machine >&2; exit 1", tmp_path, monkeypatch)


def test_a_guest_that_an_untested_virtme_ng_did_not_start_names_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_script("echo no such option >&2; exit 2", monkeypatch)
    monkeypatch.setattr(lab, "untested_virtme_ng", lambda: "virtme-ng 9.9 was not tested")
    request = LabRun(GuestSetup(("true",), "/"), 10, job=tmp_path)
    with pytest.raises(LabError, match=r"no such option; virtme-ng 9\.9 was not tested"):
        run_in_lab(request, lambda line: None)


def test_a_guest_that_panics_before_it_starts_is_told_by_its_panic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panic = "[   0.3] Kernel panic - not syncing: Too many boot env vars"
    with pytest.raises(LabError, match=r"not start: Kernel panic .* Too many boot env vars"):
        run(f'echo "{panic}" >&2; printf "%s\n" 1 2 3 >&2', tmp_path, monkeypatch)


def test_a_device_or_being_inside_makes_it_native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(INSIDE, raising=False)
    monkeypatch.setattr(lab, "has_rdma_device", lambda: False)
    assert not is_native()
    monkeypatch.setattr(lab, "has_rdma_device", lambda: True)
    assert is_native()
    monkeypatch.setattr(lab, "has_rdma_device", lambda: False)
    monkeypatch.setenv(INSIDE, "1")
    assert is_native()


def test_the_shipped_linux_profile_is_served_by_nfsd() -> None:
    server = server_of(load_profile(SHIPPED / "linux-server.toml"))
    assert (server.kind, server.port) == (ServerKind.NFSD, 20049)


def test_a_profile_without_a_place_in_the_lab_is_refused() -> None:
    with pytest.raises(LabError, match=r"reference has no place in the lab; add a \[lab\] table"):
        server_of(load_profile(SHIPPED / "reference.toml"))


def test_a_server_built_elsewhere_is_started_by_its_command(tmp_path: Path) -> None:
    text = (SHIPPED / "linux-server.toml").read_text()
    file = tmp_path / "mine.toml"
    file.write_text(text.replace("nfsd = true", 'start = ["./server", "--rdma"]'))
    server = server_of(load_profile(file))
    assert (server.kind, server.command) == (ServerKind.COMMAND, ("./server", "--rdma"))


def test_a_shell_has_the_terminal_and_the_console_goes_into_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with_script(f"echo prompt; echo kernel >&2; {report(tmp_path, 'done')}", monkeypatch)

    assert run_shell(LabRun(GuestSetup(("bash",), "/"), job=tmp_path)) == 3

    assert capfd.readouterr() == ("prompt\n", "")
    assert (tmp_path / "console.log").read_text() == "kernel\n"


def test_a_shell_in_a_guest_that_never_starts_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_script("echo no such machine >&2; exit 1", monkeypatch)

    with pytest.raises(LabError, match="the guest did not start: no such machine"):
        run_shell(LabRun(GuestSetup(("bash",), "/"), job=tmp_path))
