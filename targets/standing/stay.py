"""The guest that stays between runs: `rpcrdma lab up`, `lab status`, `lab down`.

Each user has one at most, found by a symbolic link to its folder; what there is to know of it lies
there.  The folder goes when its machine ends.  One tester at a time has it, by a lock that the
kernel lets go of when the tester ends, however it ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import stat
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.kernel import select_kernel
from targets.lab.lab import scaled
from targets.lab.setup import ServerKind
from targets.standing.console import ConsoleLog
from targets.standing.guest import StandingGuest
from targets.standing.machine import MachineFiles
from targets.standing.setup import StandingSetup

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

__all__ = [
    "GuestDead",
    "GuestState",
    "GuestTaken",
    "attach",
    "bring_down",
    "bring_up",
    "death_of",
    "find_guest",
    "guest_for",
]

_DOWN: Final = "`rpcrdma lab down` ends it"
_STATE: Final = "state.json"

_LONGEST_S: Final = 12 * 3600.0
"""After which a forgotten guest ends by itself."""

_TEMPORARY: Final = Path("/tmp")  # noqa: S108  (whose folder it is there, is looked at)

_END_S: Final = 10.0
_ANSWER_S: Final = 30.0
_LOOK_S: Final = 0.02


class GuestTaken(LabError):
    """Another tester has the guest."""


class GuestDead(LabError):
    """The guest's machine runs, and its kernel is dead."""


@dataclass(frozen=True, slots=True)
class GuestState:
    """What is known of a guest that stays.

    Attributes:
        folder: its own.
        release: of its kernel.
        target: the profile whose device it holds.
        setup: what it was told.
        built: which build of that release it is (`targets.lab.kernel.Kernel`).
    """

    folder: Path
    release: str
    target: str
    setup: StandingSetup
    built: str = ""

    def write(self) -> None:
        """Leave it in the folder."""
        record = {
            "release": self.release,
            "target": self.target,
            "setup": self.setup.record(),
            "built": self.built,
        }
        (self.folder / _STATE).write_text(json.dumps(record), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> GuestState:
        """What `write` left."""
        record = json.loads((folder / _STATE).read_text(encoding="utf-8"))
        setup = StandingSetup.from_record(record["setup"])
        return cls(folder, record["release"], record["target"], setup, record.get("built", ""))


def find_guest() -> GuestState | None:
    """The guest that is up; what is left of one whose machine has ended is removed.

    Raises:
        LabError: somebody else has made the place where it would be found.
    """
    link = _link()
    if not link.is_symlink():
        return None
    folder = link.readlink()
    if _machine(MachineFiles(folder)) is None:
        link.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return GuestState.read(folder)


def death_of(state: GuestState) -> str | None:
    """How the kernel of a guest that is up died; None while it lives as far as can be told."""
    console = ConsoleLog(MachineFiles(state.folder).console)
    try:
        return console.death()
    finally:
        console.close()


def bring_up(
    setup: StandingSetup,
    target: str,
    kernel: str | None = None,
    processors: int | None = None,
) -> GuestState:
    """Start a guest that stays, and wait until it is set up.

    Args:
        setup: what it is to set up.
        target: the profile whose device it holds.
        kernel: release, path of an image, or None for the newest that will do.
        processors: how many it has, whatever the setup says; None for what that says.

    Raises:
        LabError: one is up, or it cannot be brought up.
    """
    _refuse_another()
    staying = replace(setup, stays=True)
    built = select_kernel(kernel).built
    with StandingGuest.start(staying, kernel, processors) as guest:
        guest.await_ready()
        state = GuestState(guest.files.folder, guest.release, target, staying, built)
        state.write()
        try:
            _link().symlink_to(state.folder)
        except FileExistsError:
            _refuse_another()  # somebody else was quicker
            raise
        guest.let_stay(_LONGEST_S)
    return state


def bring_down() -> GuestState | None:
    """End the guest that stays, and return what it was; None if there was none.

    Raises:
        LabError: its machine does not end.
    """
    state = find_guest()
    if state is None:
        return None
    files = MachineFiles(state.folder)
    machine = _machine(files)
    if machine is not None:
        with suppress(ProcessLookupError):
            os.kill(machine, signal.SIGKILL)
    end = time.monotonic() + scaled(_END_S)
    while _machine(files) is not None or state.folder.exists():
        if time.monotonic() >= end:
            raise LabError("bringing the lab down", f"process {machine} does not end")
        time.sleep(_LOOK_S)
    _link().unlink(missing_ok=True)
    return state


def attach(state: GuestState) -> StandingGuest:
    """Take the guest that stays, with its server's files as they were at first.

    Raises:
        GuestDead: its kernel is dead.
        GuestTaken: another tester has it.
        LabError: it does not answer.
    """
    files = MachineFiles(state.folder)
    guest = StandingGuest(files, state.release, _Kept(files), scaled(_ANSWER_S), is_kept=True)
    if died := guest.alive():
        guest.close()
        raise GuestDead("taking the guest that is up", died, _DOWN)
    try:
        if state.setup.server.kind is not ServerKind.NONE:
            guest.agent.renew()
    except BaseException:
        guest.close()
        raise
    return guest


def guest_for(
    setup: StandingSetup,
    kernel: str | None = None,
    told: Callable[[str], None] = lambda line: None,
) -> StandingGuest:
    """A guest with a setup: the one that is up, if it is so and free, or else a new one.

    Args:
        setup: what it is to set up.
        kernel: release, path of an image, or None for the newest that will do.
        told: is told that the one that is up is dead.

    Raises:
        LabError: there is none, and none can be started.
    """
    state = find_guest()
    if state is not None and _is_alike(state, setup, kernel):
        try:
            return attach(state)
        except GuestDead as error:
            told(f"{error}; going on in a new one, which ends with this run")
        except GuestTaken:
            pass  # nothing is wrong with it
    return StandingGuest.start(setup, kernel)


class _Kept:
    """The life of a guest that stays (see `targets.standing.guest.Life`): we only have it now."""

    def __init__(self, files: MachineFiles) -> None:
        self._files = files
        self._lock: IO[bytes] = (files.folder / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock.close()
            remedy = "wait for its end"
            raise GuestTaken("taking the guest that is up", "a tester has it", remedy) from error

    def has_ended(self) -> bool:
        return _machine(self._files) is None

    def let_stay(self, _seconds: float) -> None: ...

    def close(self) -> None:
        for socket in self._files.tester_sockets():
            socket.unlink(missing_ok=True)
        self._lock.close()


def _refuse_another() -> None:
    state = find_guest()
    if state is not None:
        cause = f"a guest is up already, with {state.target} on Linux {state.release}"
        raise LabError("bringing the lab up", cause, _DOWN)


def _is_alike(state: GuestState, setup: StandingSetup, kernel: str | None) -> bool:
    own, links = state.setup, len(setup.networks)
    if (own.server, own.networks[:links]) != (setup.server, setup.networks):
        return False
    if own.resources != setup.resources:
        return False
    wanted = select_kernel(kernel)
    return (wanted.release, wanted.built) == (state.release, state.built)


def _machine(files: MachineFiles) -> int | None:
    """The number of a guest's machine, if it runs."""
    try:
        number = int(files.process.read_text(encoding="ascii"))
        # The number may be somebody else's by now.
        command = Path(f"/proc/{number}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return None
    return number if str(files.process).encode() in command else None


def _link() -> Path:
    """Where the guest that stays is found.

    Raises:
        LabError: somebody else has made the folder for it.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / "rpcrdma-lab"
    folder = _TEMPORARY / f"rpcrdma-lab-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid():
        raise LabError("looking for a guest", f"{folder} is somebody else's", "set XDG_RUNTIME_DIR")
    return folder / "standing"
