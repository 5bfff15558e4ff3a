"""The suite in several processes at once (`-n`): the same verdicts sooner.

Each process takes its share of the plan, with a target of its own (on loopback) or connections of
its own to the one device.  Records arrive as cases finish; at the end they are put in the order of
the plan.  A process that dies costs the case that it was judging, which becomes an ERROR; another
process takes over what it had left.

A device that is there once (`targets.shared`) has its destructive cases judged at the end, by one
process alone.  If it has to be started again before that, it may be due to any of the cases that
were judged just then: all processes end, and one alone judges these cases and whatever was left.

Processes are forked: what they need has been imported and collected by then, which is what takes
longest in the lab's guest.  Nothing of a fabric may be open in the parent.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.catalogue.entries import load_catalogue
from conformance.suite.interruption import finish
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import RECORDS, SCENARIOS, collect_cases
from conformance.suite.selection import Selection
from conformance.suite.worker import Begun, Job, Lost, Message, Stopped, judge
from reports.record import CaseRecord, RunHeader, Verdict
from reports.stream import RunWriter, read_run
from targets.base import TargetError
from targets.lab.place import RunPlace
from targets.network import NetworkTarget
from targets.profile import timeout_factor
from targets.shared import SharedTarget

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from conformance.suite.case import Case
    from conformance.tester.weather import Weather
    from reports.record import RunRecord
    from targets.base import ClientTarget, Target

__all__ = ["certify_parallel", "check_workers"]

_SILENCE: Final = 300.0
"""Seconds, scaled, in which some process must begin or end a case: each case has deadlines of its
own, so that more means a process that hangs."""

_FAREWELL: Final = 20.0
"""Seconds, scaled, in which a process that was told to end must have closed its connections."""

_FORK: Final = multiprocessing.get_context("fork")


@dataclass(slots=True)
class _Share:
    """A part of the plan and the process that judges it.

    Attributes:
        number: of the share, from 1.
        target: what its processes start.
        left: ids of the cases without a record.
        process: its present process.  pipe: what it tells.
        begun: the case that it is judging; empty before the first.
        stopped: its last word; None while it has not said it.
        doubtful: a record that counts once the device has served a later case.
    """

    number: int
    target: Target | ClientTarget
    left: list[str]
    process: BaseProcess
    pipe: Connection
    begun: str = ""
    stopped: Stopped | Lost | None = None
    doubtful: CaseRecord | None = None


def check_workers(
    target: Target | ClientTarget, workers: int, place: RunPlace = RunPlace.HERE
) -> None:
    """See that a target may be judged by so many processes at once.

    Args:
        target: which device.
        workers: how many processes.
        place: where it is.

    Raises:
        TargetError: several testers may not use it there, or its profile does not claim it.
    """
    if workers == 1:
        return
    claims, lab = target.profile.claims, target.profile.lab
    in_guest = place is RunPlace.DEVICE_IN_GUEST
    if in_guest and "requester" in claims.roles:
        raise TargetError(
            f"`{target.name}` is tested by one process only: its guest has one client; drop -n"
        )
    if isinstance(target, NetworkTarget) and target.starts_server and place is RunPlace.HERE:
        raise TargetError(
            f"`{target.name}` is started by the process that tests it ([extra] server), and would"
            " be by each: drop -n, or start it by hand"
        )
    # The lab's own nfsd serves several testers; what it calls back about is the same for all.
    serves_several = in_guest and lab is not None and lab.nfsd and not claims.backward
    if not claims.concurrent_testers and not serves_several:
        raise TargetError(
            f"`{target.name}` is tested by one process only; its profile does not claim"
            " `concurrent_testers`: drop -n"
        )


def certify_parallel(
    target: Target | ClientTarget,
    selection: Selection,
    folder: Path,
    *,
    workers: int,
    called: str = "",
    facts: tuple[tuple[str, str], ...] = (),
    weather: Weather | None = None,
    captures: bool = True,
    time_limit: float | None = None,
    on_begin: Callable[[str, int], None] = lambda case, planned: None,
    on_case: Callable[[CaseRecord, int], None] = lambda record, planned: None,
    scenarios_folder: Path = SCENARIOS,
) -> RunRecord:
    """Run the selected cases in `workers` processes; otherwise as `runner.certify`.

    Raises:
        TargetError: the device does not come up, or does not serve at all.
        SuiteError: a scenario is wrong, or no case is selected.
    """
    roles = target.profile.claims.roles
    cases = {
        case.id: case
        for case in collect_cases(scenarios_folder)
        if case.role in roles and selection.includes(case)
    }
    if not cases:
        raise SuiteError("no case is selected; `rpcrdma cases` lists them all")
    job = Job(target, folder, called, facts, weather, captures, scenarios_folder, time_limit)
    return _Run(job, cases, on_begin, on_case).execute(workers)


@dataclass
class _Run:
    """A run in several processes, seen from the one that started them."""

    job: Job
    cases: dict[str, Case]
    on_begin: Callable[[str, int], None]
    on_case: Callable[[CaseRecord, int], None]
    began: float = field(default_factory=time.monotonic)
    shares: list[_Share] = field(default_factory=list)
    records: dict[str, CaseRecord] = field(default_factory=dict)
    planned: dict[str, None] = field(default_factory=dict)
    alone: set[str] = field(default_factory=set)
    doubtful: list[CaseRecord] = field(default_factory=list)
    unsure: dict[str, CaseRecord] = field(default_factory=dict)
    refused: str = ""
    writer: RunWriter | None = None
    header: RunHeader | None = None

    @property
    def is_sharing(self) -> bool:
        """Whether several processes use one device just now."""
        return any(share.target is not self.job.target for share in self.shares)

    def execute(self, workers: int) -> RunRecord:
        """From the first process to the records in order."""
        interruption: KeyboardInterrupt | None = None
        try:
            self._start_all(workers)
            while self.shares:
                self._step()
            self._settle_all()
            if self.alone:
                names = [name for name in self.cases if name in self.alone]
                self._start(workers + 1, self.job.target, names)
            while self.shares:
                self._step()
        except KeyboardInterrupt as error:
            interruption = error
            self._settle_all()
        finally:
            for share in self.shares:
                share.process.kill()
                share.process.join()
            if self.writer is not None:
                self.writer.close()
        return self._merge(interruption)

    def _start_all(self, workers: int) -> None:
        target = self.job.target
        if isinstance(target, SharedTarget):
            self.alone = {name for name, case in self.cases.items() if case.destructive}
        names = [name for name in self.cases if name not in self.alone]
        count = min(workers, len(names))
        targets = [
            target.beside(number) if isinstance(target, SharedTarget) else target
            for number in range(1, count + 1)
        ]
        for number, each in enumerate(targets, 1):
            self._start(number, each, names[number - 1 :: workers])

    def _start(self, number: int, target: Target | ClientTarget, names: list[str]) -> None:
        hear, tell = _FORK.Pipe(duplex=False)
        chosen = Selection(cases=tuple(names), destructive=True)
        process = _FORK.Process(
            target=judge, args=(tell, self.job, target, chosen, self.job.records(number).name)
        )
        process.start()
        tell.close()  # so that the pipe ends when the process does
        self.shares.append(_Share(number, target, names, process, hear))

    def _step(self) -> None:
        """Hear what there is; a run in which nothing is said any more is ended."""
        ready = wait([share.pipe for share in self.shares], _SILENCE * timeout_factor())
        if not ready:
            for share in self.shares:
                share.process.kill()
        for share in [share for share in self.shares if share.pipe in ready]:
            if self._hear(share):
                continue
            if isinstance(share.stopped, Lost):
                self._end_sharing()
                return
            self._ended(share)

    def _hear(self, share: _Share) -> bool:
        """Take one message; False: there will be no more."""
        try:
            message: Message = msgspec.json.decode(share.pipe.recv_bytes(), type=Message)
        except EOFError:
            return False
        match message:
            case Begun(case=case):
                if not share.begun:
                    self._learn_plan(share)
                share.begun = case
                self.on_begin(case, len(self.cases))
            case CaseRecord():
                self._judged(share, message)
            case Stopped() | Lost():
                share.stopped = message
        return True

    def _judged(self, share: _Share, record: CaseRecord) -> None:
        if record.id in self.records:
            return  # several processes have found it between their cases
        if record.id not in share.left:  # what is found between cases is not planned
            beside = " Another process judged cases meanwhile that it can follow from as well."
            reason = record.reason + beside * self.is_sharing
            self._record(msgspec.structs.replace(record, reason=reason))
            return
        if record.verdict is not Verdict.NA:
            self._settle(share)
        if self.is_sharing and record.verdict not in (Verdict.PASS, Verdict.NA):
            share.doubtful = record
        else:
            share.left.remove(record.id)
            self._record(record)

    def _settle(self, share: _Share) -> None:
        """Count what was doubtful: the device serves."""
        if share.doubtful is not None:
            share.left.remove(share.doubtful.id)
            self._record(share.doubtful)
            share.doubtful = None

    def _settle_all(self) -> None:
        """Count all that was doubtful."""
        for share in self.shares:
            self._settle(share)
        for record in self.doubtful:
            self._record(record)

    def _end_sharing(self) -> None:
        """Leave what is not judged for sure to one process alone."""
        for share in self.shares:
            share.process.terminate()
        for share in self.shares:
            end = time.monotonic() + _FAREWELL * timeout_factor()
            while share.pipe.poll(max(0.0, end - time.monotonic())) and self._hear(share):
                pass
            share.process.kill()
            share.process.join()
            share.pipe.close()
            self.alone.update(share.left)
            if share.doubtful is not None:
                self.doubtful.append(share.doubtful)
        self.unsure = {record.id: record for record in self.doubtful}
        self.alone.update(self.unsure)
        self.doubtful.clear()
        self.shares.clear()

    def _learn_plan(self, share: _Share) -> None:
        """Read the header that a process has written; the first one serves for the whole run."""
        with self.job.records(share.number).open("rb") as stream:
            header = msgspec.json.decode(stream.readline(), type=RunHeader)
        # What the target cannot play at all is no part of the plan.
        share.left[:] = [case for case in share.left if case in header.planned]
        self.planned.update(dict.fromkeys(header.planned))
        if self.writer is None:
            self.header = msgspec.structs.replace(header, planned=tuple(self.cases))
            self.writer = RunWriter(self.job.folder / RECORDS, self.header)

    def _record(self, case: CaseRecord) -> None:
        self.records[case.id] = case
        if self.writer is not None:
            self.writer.add(case)
        self.on_case(case, len(self.cases))

    def _ended(self, share: _Share) -> None:
        """A process is gone: all is judged, or the rest needs another one, or cannot be judged."""
        share.process.join()
        share.pipe.close()
        self.shares.remove(share)
        if share.doubtful is not None:
            share.left.remove(share.doubtful.id)
            self.doubtful.append(share.doubtful)
        last = share.stopped
        if isinstance(last, Stopped) and not last.reason:
            self.refused = self.refused or last.refused
            return
        how = last.reason if isinstance(last, Stopped) else _manner(share.process)
        if not share.begun:
            if self.writer is None:
                raise TargetError(how)
            for case in share.left:
                self._record(self._without_verdict(case, how))
            return
        if share.begun in share.left:
            share.left.remove(share.begun)
            reason = f"The process that judged this case ended before its verdict: {how}."
            self._record(self._error(share.begun, reason))
        if share.left:
            self._start(share.number, share.target, share.left)

    def _without_verdict(self, identity: str, how: str) -> CaseRecord:
        """The record of a case that no process could judge, or not alone."""
        unsure = self.unsure.get(identity)
        if unsure is None:
            return self._error(identity, f"No process could judge this case: {how}.")
        others = "Others were judged at the same time, and no process could judge it alone"
        return msgspec.structs.replace(unsure, reason=f"{unsure.reason} {others}: {how}.")

    def _error(self, identity: str, reason: str) -> CaseRecord:
        case = self.cases[identity]
        self.planned[identity] = None
        catalogue = load_catalogue()
        return CaseRecord(
            id=identity,
            title=case.title,
            verdict=Verdict.ERROR,
            reason=reason,
            citations=tuple(catalogue[one].citation() for one in case.requirements),
            rerun=case.command(self.job.called or self.job.target.name),
            started=time.monotonic() - self.began,
            destructive=case.destructive,
        )

    def _merge(self, interruption: KeyboardInterrupt | None) -> RunRecord:
        """Write all records again, in the order of the plan, and forget those of the shares."""
        if self.header is None:
            raise interruption or TargetError("the run ended before its first case")
        planned = tuple(case for case in self.cases if case in self.planned)
        partial = self.job.folder / f"{RECORDS}.partial"
        header = msgspec.structs.replace(self.header, planned=planned)
        with RunWriter(partial, header) as writer:
            unplanned = (case for case in self.records if case not in self.planned)
            for case in (*planned, *unplanned):
                if case in self.records:
                    writer.add(self.records[case])
            finish(writer, time.monotonic() - self.began, interruption, self.refused)
        partial.replace(self.job.folder / RECORDS)
        for file in self.job.folder.glob("records-*.jsonl"):
            file.unlink()
        return read_run(self.job.folder / RECORDS)


def _manner(process: BaseProcess) -> str:
    """How a process ended, in a few words."""
    code = process.exitcode or 0
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
