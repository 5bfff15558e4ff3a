"""Runs the suite in the lab's guest and brings home what it recorded, however the guest ended.

    order = Order("linux-server", "verbs", str(folder), Selection())
    record, problem = collect(lab_run([order], profile), folder, progress)

The guest writes records and traces into a folder that it shares with this machine; what else a case
leaves is made here, from the traces.  A guest that dies leaves what it had written.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.suite.evidence import complete
from conformance.suite.guest import BEGIN, STOP
from conformance.suite.interruption import reason_of, signal_of
from conformance.suite.runner import RECORDS
from reports.record import CaseRecord, RunFooter, RunHeader
from reports.stream import read_run
from targets.base import TargetError
from targets.lab.lab import Ending, LabRun, run_in_lab, server_of
from targets.lab.resources import resources_of
from targets.lab.setup import GuestSetup, LabServer, ServerKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.suite.guest import GuestOrder
    from reports.record import RunRecord
    from reports.render.terminal import Progress
    from targets.lab.lab import LabResult
    from targets.profile import Profile

__all__ = ["collect", "collect_all", "lab_run", "module_run", "target_word"]

_SILENCE: Final = 300.0
"""Seconds in which the guest must begin a case: each has deadlines of its own, so that more means a
machine that hangs."""

_DEADLINE: Final = 3600.0
"""Seconds that all of it may take, boot included; our longest run takes a tenth of that without
KVM, and a foreign client may take more for each case."""


def lab_run(orders: Sequence[GuestOrder], profile: Profile, kernel: str = "") -> LabRun:
    """What the lab is asked to do.

    Args:
        orders: what the guest is to run, one after the other.
        profile: of the target.
        kernel: release or image; the profile's choice, or the newest, if empty.

    Raises:
        LabError: the profile does not say how the lab brings its device up.
    """
    words = ("conformance.suite.guest", *(msgspec.json.encode(order).decode() for order in orders))
    run = module_run(words, profile, kernel, _DEADLINE, _shared_folders(orders))
    if profile.lab is None:
        return replace(run, silence_s=_SILENCE)
    # Until a server listens nothing is printed; a run's own limit ends it before the lab's does.
    deadline_s = max(_DEADLINE, profile.lab.time_limit + _DEADLINE / 2)
    return replace(run, deadline_s=deadline_s, silence_s=max(_SILENCE, profile.lab.ready * 2))


def _shared_folders(orders: Sequence[GuestOrder]) -> tuple[Path, ...]:
    """What the guest may write to: the folder of the order or, of several, those that hold them.

    Each takes three words of the kernel's command line, and the kernel panics where it is given too
    many that it does not know: those of eight folders are.
    """
    folders = [Path(order.folder) for order in orders]
    if len(folders) == 1:
        return tuple(folders)
    return tuple(dict.fromkeys(folder.parent for folder in folders))


def module_run(
    words: Sequence[str],
    profile: Profile,
    kernel: str,
    deadline_s: float,
    writable: tuple[Path, ...] = (),
) -> LabRun:
    """A module of ours as a command in the lab, beside a profile's device.

    Args:
        words: the module's name, and its arguments.
        profile: of the target.
        kernel: release or image; the profile's choice, or the newest, if empty.
        deadline_s: seconds that all of it may take, boot included.
        writable: folders of the host that the guest may write to.

    Raises:
        LabError: the profile does not say how the lab brings its device up.
    """
    adapter_starts_it = profile.lab is None and profile.adapter not in ("network", "command")
    server = LabServer(ServerKind.NONE) if adapter_starts_it else server_of(profile)
    chosen = kernel or (profile.lab.kernel if profile.lab else "")
    command = (sys.executable, "-m", *words)
    given = resources_of(profile.lab)
    setup = GuestSetup(command, str(Path.cwd()), server=server, shares=given.shares)
    return LabRun(setup, deadline_s, chosen or None, writable, resources=given)


def target_word(target: str) -> str:
    """A target as the guest finds it, whatever folder it stands in."""
    return str(Path(target).resolve()) if target.endswith(".toml") else target


def collect(run: LabRun, folder: Path, progress: Progress | None = None) -> tuple[RunRecord, str]:
    """Run it; returns the records, and a sentence on what cut the run short (or nothing).

    Raises:
        LabError: the lab could not be brought up.
        TargetError: nothing could be run, because of the target or the suite.
    """
    (found,) = collect_all(run, (folder,), progress)
    return found


def collect_all(
    run: LabRun, folders: Sequence[Path], progress: Progress | None = None
) -> list[tuple[RunRecord, str]]:
    """As `collect`, of a machine that runs several orders; progress is that of the first."""
    listener = _Listener(folders[0] / RECORDS, progress)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORDS).unlink(missing_ok=True)
    try:
        result = run_in_lab(run, listener)
    except KeyboardInterrupt as error:
        if not all((folder / RECORDS).exists() for folder in folders):
            raise
        return [(_interrupted(folder, error), "") for folder in folders]
    return [_found(result, folder, listener) for folder in folders]


def _interrupted(folder: Path, error: KeyboardInterrupt) -> RunRecord:
    """What a machine has left that was ended from outside."""
    record = complete(read_run(folder / RECORDS), folder, folder / RECORDS)
    if record.footer is not None:
        return record
    took = sum(case.duration for case in record.cases)
    ending = RunFooter(
        len(record.cases), took, complete=False, reason=reason_of(error), signal=signal_of(error)
    )
    return msgspec.structs.replace(record, footer=ending)


def _found(result: LabResult, folder: Path, listener: _Listener) -> tuple[RunRecord, str]:
    """What a machine has left in a folder, and what cut the run short."""
    records = folder / RECORDS
    if not records.exists():
        said = f"; it said: {listener.last_words}" if listener.last_words else ""
        raise TargetError(listener.stopped or f"no records are left: {result.describe()}{said}")
    record = complete(read_run(records), folder, records)
    if result.ending is not Ending.EXITED:
        return record, f"{result.describe()}; {len(record.cases)} cases had been judged"
    if record.footer is None:
        said = listener.stopped or listener.last_words
        return record, f"the suite ended early in the guest with status {result.status}: {said}"
    return record, ""


class _Listener:
    """Hears the guest's lines, and shows the cases that have been recorded since the last one."""

    def __init__(self, records: Path, progress: Progress | None) -> None:
        self.stopped = ""
        self.last_words = ""
        self._records = records
        self._progress = progress
        self._shown = 0

    def __call__(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == BEGIN:
            self._show(rest)
        elif word == STOP:
            self.stopped = rest
        elif line.strip():
            self.last_words = line.strip()

    def _show(self, rest: str) -> None:
        if self._progress is None:
            return
        with self._records.open("rb") as stream:
            stream.seek(self._shown)
            complete, end, _ = stream.read().rpartition(b"\n")
        self._shown += len(complete) + len(end)
        for line in complete.splitlines():
            entry = msgspec.json.decode(line, type=RunHeader | CaseRecord)
            if isinstance(entry, CaseRecord):
                self._progress.judged(entry)
        planned, _, case = rest.partition(" ")
        self._progress.begin(case, int(planned))
