"""Starts a standing guest, and knows whether it lives.

    with StandingGuest.start(setup) as guest:   # returns at once: the guest boots meanwhile
        ...
        guest.agent.restart()                   # waits until the guest is set up

However this process ends, nothing is left of a guest that it has started.  One that was started by
`rpcrdma lab up` is only attached to (`targets.standing.stay`), and stays.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, Self

from targets.lab.accelerator import Accelerator
from targets.lab.errors import LabError
from targets.lab.kernel import select_kernel
from targets.lab.lab import chosen_accelerator, scaled
from targets.lab.setup import ServerKind
from targets.lab.step import last_words
from targets.standing.agent_client import AgentClient
from targets.standing.console import ConsoleLog
from targets.standing.guest_agent import GuestAgent
from targets.standing.initramfs import build_initramfs
from targets.standing.kernel_image import bootable_image
from targets.standing.machine import MachineFiles, machine_command
from targets.standing.supervised import Supervised

if TYPE_CHECKING:
    from types import TracebackType

    from targets.lab.kernel import Kernel
    from targets.standing.setup import StandingSetup

__all__ = ["PROCESSORS", "Life", "StandingGuest", "machine_of", "write_first_files"]

PROCESSORS: Final = 1
"""Of the guest.  Two are not quicker under TCG where the tester needs one of the host's two."""

_STEP: Final = "booting the lab"
_READY_S: Final = {Accelerator.KVM: 30.0, Accelerator.TCG: 120.0}
"""Until the guest is set up; measured 6 s under TCG on a quiet machine."""

_LOOK_S: Final = 0.02
_LONGEST_FOLDER: Final = 90
"""Octets: a socket's path may have 107, with its name."""


class Life(Protocol):
    """What a guest's machine is to its tester."""

    def has_ended(self) -> bool:
        """Whether it has ended by itself."""
        ...

    def let_stay(self, seconds: float) -> None:
        """Have it outlive this process, for so long at most."""
        ...

    def close(self) -> None:
        """End it, or let go of it if it is to stay.  Twice is allowed."""
        ...


class StandingGuest:
    """A guest that runs, or is about to.

    Attributes:
        files: its sockets and logs.
        release: of its kernel.
        is_kept: it is the user's, who has it stay; otherwise this process's, and ends with it.
    """

    def __init__(
        self,
        files: MachineFiles,
        release: str,
        life: Life,
        ready_s: float,
        *,
        is_kept: bool = False,
    ) -> None:
        """Take a guest that was started.

        Args:
            files: its sockets and logs.
            release: of its kernel.
            life: its machine.
            ready_s: seconds from now in which it must be set up.
            is_kept: it is the user's.
        """
        self.files = files
        self.release = release
        self.is_kept = is_kept
        self._life = life
        self._ready_s = ready_s
        self._end = time.monotonic() + ready_s
        self._agent: GuestAgent | None = None
        self._console = ConsoleLog(files.console)

    @classmethod
    def start(
        cls,
        setup: StandingSetup,
        kernel: str | None = None,
        processors: int | None = None,
        plugin: str = "",
    ) -> StandingGuest:
        """Start a guest of this process's, and do not wait for it.

        Args:
            setup: what it is to set up.
            kernel: release, path of an image, or None for the newest that will do.
            processors: how many it has, whatever the setup says; None for what that says.
            plugin: library and arguments of a plugin of QEMU's translator, which then executes the
                guest whatever else could; none if empty.

        Raises:
            LabError: QEMU, busybox, a kernel or one of its modules is missing.
        """
        chosen = select_kernel(kernel)
        accelerator = Accelerator.TCG if plugin else chosen_accelerator()
        files = MachineFiles(_folder())
        try:
            write_first_files(files, chosen, setup)
            command = machine_of(
                files,
                chosen,
                accelerator,
                processors or setup.resources.processors or PROCESSORS,
                setup,
            )
            command += ["-plugin", plugin] if plugin else []
            life = Supervised(command, files.folder, files.complaints)
        except BaseException:
            shutil.rmtree(files.folder, ignore_errors=True)
            raise
        return cls(files, chosen.release, life, scaled(_ready_s(setup, accelerator)))

    @property
    def agent(self) -> GuestAgent:
        """The agent, when the guest is set up; waits for that the first time.

        Raises:
            LabError: it does not get there, with the step that failed.
        """
        if self._agent is None:
            self._agent = GuestAgent(self._reached())
        return self._agent

    def await_ready(self) -> None:
        """Wait until the guest is set up; raises as `agent` does."""
        self.agent  # noqa: B018  (its first use waits)

    def alive(self) -> str | None:
        """None while the guest lives as far as can be told, else how it died, in a few words."""
        if death := self._console.death():
            return death
        if self._life.has_ended():
            return "the virtual machine has ended"
        return None

    def log(self) -> str:
        """What its kernel has printed so far; of one that is dead, until it is closed."""
        return self._console.text()

    def let_stay(self, seconds: float) -> None:
        """Have it outlive this process, for so long at most."""
        self._life.let_stay(seconds)

    def close(self) -> None:
        """End it, if it is this process's, and let go of it in any case.  Twice is allowed."""
        if self._agent is not None:
            self._agent.client.close()
        self._console.close()
        self._life.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def _reached(self) -> AgentClient:
        """The agent of a guest that has been set up."""
        while True:
            try:
                client = AgentClient.connect(self.files.agent_socket)
                break
            except OSError:
                self._check()
                time.sleep(_LOOK_S)
        described = client.begin("describe")
        try:
            while not described.done:
                self._check()
                client.wait(_LOOK_S)
            described.result()
        except BaseException:
            client.close()
            raise
        return client

    def _check(self) -> None:
        """Whether it is still worth waiting.

        Raises:
            LabError: it is not.
        """
        if self._life.has_ended():
            raise LabError(_STEP, f"the guest did not start: {self._last_words()}")
        if time.monotonic() >= self._end:
            cause = f"the guest is not set up within {self._ready_s:.0f} s: {self._last_words()}"
            raise LabError(_STEP, cause)

    def _last_words(self) -> str:
        said = self._console.death()
        for file in (self.files.complaints, self.files.console):
            if not said and file.exists():
                said = last_words(file.read_text(encoding="utf-8", errors="replace"))
        return said or "no output"


def write_first_files(files: MachineFiles, kernel: Kernel, setup: StandingSetup) -> None:
    """What QEMU needs to find before it starts.

    Raises:
        LabError: busybox or a module is missing.
    """
    files.initramfs.write_bytes(build_initramfs(kernel, setup))


def machine_of(
    files: MachineFiles,
    kernel: Kernel,
    accelerator: Accelerator,
    processors: int,
    setup: StandingSetup,
) -> list[str]:
    """The command that starts the guest's machine."""
    image = bootable_image(kernel.image)
    return machine_command(files, image, accelerator, processors, setup.networks, setup.resources)


def _ready_s(setup: StandingSetup, accelerator: Accelerator) -> float:
    """Until a guest must be set up: it boots, and then its server begins to listen."""
    boot_s = setup.resources.boot_s or _READY_S[accelerator]
    own = setup.server.kind is ServerKind.COMMAND
    return boot_s + setup.server.ready_s if own else boot_s


def _folder() -> Path:
    """A new folder whose path is short enough for sockets in it."""
    for parent in (None, "/tmp"):  # noqa: S108  (mkdtemp's folders are its maker's alone)
        folder = Path(tempfile.mkdtemp(prefix="rpcrdma-lab-", dir=parent))
        if len(str(folder).encode()) <= _LONGEST_FOLDER:
            return folder
        folder.rmdir()
    raise LabError(_STEP, "no folder has a path that is short enough", "set TMPDIR to a short one")
