"""A standing guest's start and end, with a shell script in QEMU's place."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from targets.lab.accelerator import Accelerator
from targets.lab.errors import LabError
from targets.lab.kernel import Kernel
from targets.lab.logs import CONSOLE_LOG, SERVER_LOG
from targets.lab.resources import Resources
from targets.lab.setup import LabServer, ServerKind
from targets.standing import guest as module
from targets.standing.guest import StandingGuest, machine_of
from targets.standing.lines import LineSplitter, as_line
from targets.standing.machine import MachineFiles
from targets.standing.setup import StandingSetup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], StandingGuest]]:
    """Starts a shell script as the machine; it runs in the guest's folder."""
    monkeypatch.setattr(module, "select_kernel", lambda _name: Kernel(tmp_path, "6.1-test", None))
    monkeypatch.setattr(module, "chosen_accelerator", lambda: Accelerator.TCG)
    monkeypatch.setattr(module, "write_first_files", lambda *_: None)
    guests: list[StandingGuest] = []

    def begin(script: str) -> StandingGuest:
        def command(files: MachineFiles, *_: object) -> list[str]:
            return ["sh", "-c", f"cd {files.folder}; {script}"]

        monkeypatch.setattr(module, "machine_of", command)
        guests.append(StandingGuest.start(StandingSetup()))
        return guests[-1]

    yield begin
    for guest in guests:
        guest.close()


class FakeAgent:
    """Answers `describe` in a guest's folder."""

    def __init__(self, guest: StandingGuest, answer: dict[str, object]) -> None:
        self._answer = answer
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(guest.files.agent_socket))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with self._listener, self._listener.accept()[0] as stream:
            (said,) = LineSplitter().feed(stream.recv(1000))
            assert said["do"] == "describe"
            stream.sendall(as_line({"id": said["id"], **self._answer}))
            stream.recv(1000)

    def join(self) -> None:
        self._thread.join()


def test_a_guest_that_is_set_up_is_asked(start: Callable[[str], StandingGuest]) -> None:
    guest = start("exec sleep 1000")
    agent = FakeAgent(guest, {"ok": {"ready_s": 5.0}})
    guest.await_ready()
    assert guest.agent is guest.agent
    assert guest.alive() is None
    guest.close()
    guest.close()
    agent.join()
    assert not guest.files.folder.exists()


def test_a_step_of_the_setup_that_failed_is_told(start: Callable[[str], StandingGuest]) -> None:
    guest = start("exec sleep 1000")
    agent = FakeAgent(guest, {"error": ["starting nfsd", "no module", "boot another"]})
    with pytest.raises(LabError, match=r"^starting nfsd: no module; boot another$"):
        guest.await_ready()
    agent.join()


def test_a_machine_that_does_not_start_is_told_by_its_complaint(
    start: Callable[[str], StandingGuest],
) -> None:
    guest = start("echo 'qemu: no such netdev' >&2")
    with pytest.raises(LabError, match="booting the lab: the guest did not start: qemu: no such"):
        guest.await_ready()


def test_a_plugin_of_the_translator_is_one_more_argument(
    start: Callable[[str], StandingGuest], monkeypatch: pytest.MonkeyPatch
) -> None:
    start("exit 0")  # puts the script in the machine's place
    used: list[object] = []

    def command(_files: object, _kernel: object, accelerator: object, *_: object) -> list[str]:
        used.append(accelerator)
        return ["sh", "-c", 'echo "$*" >&2', "sh"]

    monkeypatch.setattr(module, "chosen_accelerator", lambda: Accelerator.KVM)
    monkeypatch.setattr(module, "machine_of", command)
    with (
        StandingGuest.start(StandingSetup(), plugin="blocks.so,to=1") as guest,
        pytest.raises(LabError, match=r"-plugin blocks\.so,to=1"),
    ):
        guest.await_ready()
    assert used == [Accelerator.TCG]


def test_a_panic_is_told_before_anything_else(start: Callable[[str], StandingGuest]) -> None:
    guest = start("echo 'Kernel panic - not syncing: Attempted' >console.log; echo end >&2")
    with pytest.raises(LabError, match="did not start: panic in the kernel: Kernel panic - not"):
        guest.await_ready()
    assert guest.alive() == "panic in the kernel: Kernel panic - not syncing: Attempted"
    assert guest.log() == "Kernel panic - not syncing: Attempted\n"


def test_a_guest_that_takes_too_long_is_told(
    start: Callable[[str], StandingGuest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(module._READY_S, Accelerator.TCG, 0.05)
    with pytest.raises(LabError, match="is not set up within 0 s: no output"):
        start("exec sleep 1000").await_ready()


def test_a_machine_that_has_ended_is_dead(start: Callable[[str], StandingGuest]) -> None:
    guest = start("exit 0")
    end = time.monotonic() + 10
    while guest.alive() is None:
        assert time.monotonic() < end
    assert guest.alive() == "the virtual machine has ended"


def test_nothing_is_left_where_nothing_could_be_started(
    start: Callable[[str], StandingGuest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise LabError("making the guest's first file system", "no busybox")

    monkeypatch.setattr(module, "write_first_files", refuse)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(LabError, match="no busybox"):
        start("exit 0")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_is_too_long_for_a_socket_is_not_taken(
    start: Callable[[str], StandingGuest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("long" * 25)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    guest = start("exec sleep 1000")
    assert len(str(guest.files.agent_socket).encode()) < 108
    assert list(long.iterdir()) == []


def test_what_kernel_and_server_print_can_be_kept(
    start: Callable[[str], StandingGuest], tmp_path: Path
) -> None:
    guest = start("read never </dev/zero")
    guest.files.console.write_text("booted\n")
    guest.files.logs.mkdir()
    (guest.files.logs / SERVER_LOG).write_text("serving\n")
    guest.keep_logs(tmp_path / "lab")
    guest.close()
    assert (tmp_path / "lab" / CONSOLE_LOG).read_text() == "booted\n"
    assert (tmp_path / "lab" / SERVER_LOG).read_text() == "serving\n"


def test_the_servers_log_is_in_the_last_of_the_shared_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "bootable_image", lambda image: image)
    kernel, files = Kernel(tmp_path, "6.1-test", None), MachineFiles(tmp_path)
    given = Resources(shares=("/srv/data",))
    for kind, shared in (
        (ServerKind.COMMAND, ["/srv/data", str(files.logs)]),
        (ServerKind.NFSD, ["/srv/data"]),
    ):
        setup = StandingSetup(LabServer(kind, ("server",)), resources=given)
        words = machine_of(files, kernel, Accelerator.TCG, 1, setup)
        found = [word for word in words if word.startswith("local,id=share")]
        assert [word.split("path=")[1].split(",")[0] for word in found] == shared


@pytest.mark.parametrize(
    ("kind", "boot", "seconds"),
    [
        (ServerKind.NFSD, 0.0, 120.0),
        (ServerKind.NFSD, 7.0, 7.0),
        (ServerKind.COMMAND, 0.0, 300.0),
        (ServerKind.COMMAND, 7.0, 187.0),
    ],
)
def test_a_server_may_take_its_time_beside_the_boot(
    kind: ServerKind, boot: float, seconds: float
) -> None:
    setup = StandingSetup(LabServer(kind, ready_s=180.0), resources=Resources(boot_s=boot))
    assert module._ready_s(setup, Accelerator.TCG) == seconds
