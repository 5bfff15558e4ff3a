"""Runs one command in the lab, and tells how it ended.

The guest starts with an empty network and a new server each time, so runs do not influence each
other, and any number of them may run at once.

Where the machine has an RDMA device, or this already is the guest, the command runs directly:
nothing is set up then, the target's server must be there already.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.device_address import has_rdma_device
from targets.lab.accelerator import Accelerator, choose_accelerator
from targets.lab.boot import STARTED, Machine, boot_command, guest_script, host_environment
from targets.lab.console import ConsoleFault, Severity, find_faults
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.lab.image import build_image, python_files
from targets.lab.kernel import select_kernel
from targets.lab.process import ProgramEnd, run_streaming
from targets.lab.resources import USUAL, Resources
from targets.lab.setup import GuestReport, GuestSetup, LabServer, ServerKind, Stage
from targets.lab.virtme_ng import untested_virtme_ng
from targets.python_path import make_pyverbs_importable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from targets.profile import Profile

__all__ = [
    "Ending",
    "LabResult",
    "LabRun",
    "chosen_accelerator",
    "is_native",
    "run_in_lab",
    "run_natively",
    "run_shell",
    "scaled",
    "server_of",
]

_FACTOR: Final = "RPCRDMA_TIMEOUT_FACTOR"
_ACCELERATOR: Final = "RPCRDMA_LAB_ACCELERATOR"
_START_S: Final = {Accelerator.KVM: 30.0, Accelerator.TCG: 120.0}
"""How long a guest may take until it executes anything; measured 4 to 10 s under TCG."""


class Ending(Enum):
    """How a run in the lab ended."""

    EXITED = "the command ended"
    DEADLINE = "the deadline was exceeded"
    PANIC = "the guest's kernel panicked"
    DIED = "the virtual machine ended before the command did"


@dataclass(frozen=True, slots=True)
class LabRun:
    """What to run, and where.

    Attributes:
        setup: what the guest is to set up and run.
        deadline_s: for all of it, including the boot; times RPCRDMA_TIMEOUT_FACTOR.
        kernel: release, path of an image, or None for the newest that will do.
        writable: folders that the guest shares for writing; made if they are not there.
        job: folder for console.log and the like; a temporary one if None.
        silence_s: how long the command may print nothing; times the same factor.
        counted: measure the guest's time by its instructions (see `targets.lab.boot.Machine`).
        resources: what the guest is given.
    """

    setup: GuestSetup
    deadline_s: float = 600.0
    kernel: str | None = None
    writable: tuple[Path, ...] = ()
    job: Path | None = None
    silence_s: float = math.inf
    counted: bool = False
    resources: Resources = USUAL


@dataclass(frozen=True, slots=True)
class LabResult:
    """How it went.

    Attributes:
        ending: who or what ended it.
        status: the command's exit status, if it ended by itself.
        faults: what the guest's kernel complained about, in its order.
        release: of the kernel that ran it; empty in native mode.
        seconds: of wall clock, from the start of the boot.
        ready_s: of the guest's clock until the command started; None if it never did.
    """

    ending: Ending
    status: int | None
    seconds: float
    faults: tuple[ConsoleFault, ...] = ()
    release: str = ""
    accelerator: Accelerator | None = None
    ready_s: float | None = None

    def describe(self) -> str:
        """One sentence for a person."""
        if self.ending is Ending.EXITED:
            return f"{self.ending.value} with status {self.status} after {self.seconds:.0f} s"
        panics = [fault.text for fault in self.faults if fault.severity is Severity.PANIC]
        detail = f": {panics[0]}" if panics else ""
        return f"{self.ending.value} after {self.seconds:.0f} s{detail}"


def server_of(profile: Profile) -> LabServer:
    """What a profile wants to be started inside the lab.

    Raises:
        LabError: the profile does not say how the lab brings its device up.
    """
    if profile.lab is None:
        remedy = "add a [lab] table, or run on a machine that reaches the device"
        raise LabError("starting the target", f"{profile.name} has no place in the lab", remedy)
    if profile.lab.start:
        kind = ServerKind.COMMAND
    else:
        kind = ServerKind.NFSD if profile.lab.nfsd else ServerKind.NONE
    return LabServer(
        kind,
        profile.lab.start,
        profile.extra.port,
        profile.lab.export,
        profile.lab.ready,
        "tree" in profile.lab.files,
    )


def is_native() -> bool:
    """Whether this machine needs no guest: it is the guest, or it has an RDMA device."""
    return INSIDE in os.environ or has_rdma_device()


def run_in_lab(run: LabRun, on_line: Callable[[str], None]) -> LabResult:
    """Boot a guest, run the command in it, and see that nothing is left of it.

    Args:
        run: what and where.
        on_line: is given each line of the command's output as it comes.

    Raises:
        LabError: the lab could not be brought up; says nothing about the command.
    """
    with _job_folder(run.job) as job:
        return _boot_and_run(run, job, on_line)


def run_natively(run: LabRun, on_line: Callable[[str], None]) -> LabResult:
    """Run the command on this machine, with the same deadline and environment."""
    make_pyverbs_importable()
    with _job_folder(run.job) as job:
        environment = {**os.environ, **run.setup.environment}
        try:
            ended = run_streaming(
                run.setup.command, scaled(run.deadline_s), on_line, job / "stderr.log", environment
            )
        except FileNotFoundError as error:
            raise LabError("running the command", f"there is no {error.filename}") from error
    ending = Ending.DEADLINE if ended.status is None else Ending.EXITED
    return LabResult(ending, ended.status, ended.seconds)


def run_shell(run: LabRun) -> int:
    """Boot a guest whose command talks to this terminal; the command's exit status.

    Raises:
        LabError: the lab could not be brought up.
    """
    with _job_folder(run.job) as job:
        command = _prepare(run, job, _accelerator(run))
        console = job / "console.log"
        try:
            with console.open("wb") as log:
                subprocess.run(command, env=host_environment(), stderr=log, check=False)
        finally:
            _clean_up(job)
        report = GuestReport.read(job)
        if report is None:
            raise _not_started(_console_lines(console))
    return 1 if report.status is None else report.status


def _boot_and_run(run: LabRun, job: Path, on_line: Callable[[str], None]) -> LabResult:
    accelerator = _accelerator(run)
    while True:
        lines = _Lines(on_line)
        command = _prepare(run, job, accelerator)
        console = job / "console.log"
        try:
            ended = run_streaming(
                command,
                scaled(run.deadline_s),
                lines,
                console,
                host_environment(),
                first_line_s=scaled(run.resources.boot_s or _START_S[accelerator]),
                silence_s=scaled(run.silence_s),
            )
        finally:
            _clean_up(job)
        if lines.started or accelerator is Accelerator.TCG:
            break
        accelerator = Accelerator.TCG  # a KVM that passed its trial can still hang a kernel
    log = _console_lines(console)
    if not lines.started:
        raise _not_started(log)
    report = GuestReport.read(job)
    return _result(run, ended, report, find_faults(log), accelerator)


def _accelerator(run: LabRun) -> Accelerator:
    return Accelerator.TCG if run.counted else chosen_accelerator()


def _console_lines(console: Path) -> list[str]:
    return console.read_text(encoding="utf-8", errors="replace").splitlines()


def _not_started(log: list[str]) -> LabError:
    faults = [fault.text for fault in find_faults(log)]
    words = faults[:1] or [line for line in log[-3:] if line.strip()]
    cause = "the guest did not start: " + (" / ".join(words) or "no output")
    return LabError("booting the lab", cause, untested_virtme_ng())


def _result(
    run: LabRun,
    ended: ProgramEnd,
    report: GuestReport | None,
    faults: tuple[ConsoleFault, ...],
    accelerator: Accelerator,
) -> LabResult:
    status = report.status if report and report.stage is Stage.DONE else None
    if status is not None:
        ending = Ending.EXITED
    elif any(fault.severity is Severity.PANIC for fault in faults):
        ending = Ending.PANIC
    else:
        ending = Ending.DEADLINE if ended.status is None else Ending.DIED
    return LabResult(
        ending=ending,
        status=status,
        seconds=ended.seconds,
        faults=faults,
        release=select_kernel(run.kernel).release,
        accelerator=accelerator,
        ready_s=report.ready_s if report else None,
    )


def _prepare(run: LabRun, job: Path, accelerator: Accelerator) -> list[str]:
    machine = Machine(select_kernel(run.kernel), accelerator, run.counted, run.resources)
    for stale in ("report.json", "trace.txt", "server.log"):  # of an earlier run in this folder
        (job / stale).unlink(missing_ok=True)
    for folder in run.writable:
        folder.mkdir(parents=True, exist_ok=True)
    image = build_image(job, python_files())
    script = job / "start.sh"
    script.write_text(guest_script(run.setup.write(job), image, job), encoding="utf-8")
    script.chmod(0o755)
    return boot_command(machine, job, run.writable, script, image)


class _Lines:
    """Passes lines on, except the one by which the guest tells that it has started."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self.started = False

    def __call__(self, line: str) -> None:
        if line == STARTED:
            self.started = True
        else:
            self._on_line(line)


def chosen_accelerator() -> Accelerator:
    """What RPCRDMA_LAB_ACCELERATOR says, or what a trial finds.

    Raises:
        LabError: the variable names none.
    """
    wanted = os.environ.get(_ACCELERATOR)
    if wanted is None:
        return choose_accelerator()
    try:
        return Accelerator(wanted)
    except ValueError as error:
        raise LabError("booting the lab", f"{_ACCELERATOR}={wanted}: kvm or tcg") from error


def scaled(seconds: float) -> float:
    """A deadline, times RPCRDMA_TIMEOUT_FACTOR."""
    return seconds * float(os.environ.get(_FACTOR, "1"))


@contextmanager
def _job_folder(wanted: Path | None) -> Iterator[Path]:
    if wanted is None:
        with tempfile.TemporaryDirectory(prefix="rpcrdma-lab-") as folder:
            yield Path(folder)
    else:
        wanted.mkdir(parents=True, exist_ok=True)
        yield wanted.resolve()


def _clean_up(job: Path) -> None:
    """Kill QEMU if it is still there, as one in the foreground can be, and remove its disk."""
    (job / "python.ext4").unlink(missing_ok=True)
    file = job / "qemu.pid"
    if not file.exists():
        return
    pid = int(file.read_text(encoding="ascii"))
    command = Path(f"/proc/{pid}/cmdline")
    try:
        # The number may be somebody else's by now.
        if str(file).encode() in command.read_bytes():
            os.kill(pid, signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        pass
    file.unlink(missing_ok=True)
