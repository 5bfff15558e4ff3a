"""The suite in several processes at once (`-n`): the same verdicts sooner.

Each process takes its share of the plan, with a target of its own (on loopback) or connections of
its own to the one device.  Records arrive as cases finish; at the end they are put in the order of
the plan.  A process that dies costs the case that it was judging, which becomes an ERROR; another
process takes over what it had left.

Processes are forked: what they need has been imported and collected by then, which is what takes
longest in the lab's guest.  Nothing of a fabric may be open in the parent.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.catalogue.entries import load_catalogue
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import RECORDS, SCENARIOS, Selection, certify, collect_cases
from reports.record import CaseRecord, RunHeader, Verdict
from reports.stream import RunWriter, read_run
from rpcrdma.errors import FabricError
from targets.base import TargetError, Unsupported
from targets.profile import timeout_factor

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from conformance.suite.plugin import Case
    from conformance.tester.weather import Weather
    from reports.record import RunRecord
    from targets.base import ClientTarget, Target

__all__ = ["certify_parallel", "check_workers"]

_SILENCE: Final = 300.0
"""Seconds, scaled, in which some process must begin or end a case: each case has deadlines of its
own, so that more means a process that hangs."""

_FORK: Final = multiprocessing.get_context("fork")


class _Begun(msgspec.Struct, frozen=True, tag="begun"):
    """A process begins a case."""

    case: str


class _Stopped(msgspec.Struct, frozen=True, tag="stopped"):
    """A process ends; without a reason, because it has judged all that it was given."""

    reason: str = ""


_Message = _Begun | CaseRecord | _Stopped


@dataclass(slots=True)
class _Share:
    """A part of the plan and the process that judges it.

    Attributes:
        number: of the share, from 1.
        left: ids of the cases without a record.
        process: its present process.  pipe: what it tells.
        begun: the case that it is judging; empty before the first.
        stopped: its last word; None while it has not said it.
    """

    number: int
    left: list[str]
    process: BaseProcess
    pipe: Connection
    begun: str = ""
    stopped: _Stopped | None = None


def check_workers(target: Target | ClientTarget, workers: int) -> None:
    """See that a target may be judged by so many processes at once.

    Raises:
        TargetError: its profile does not claim that several testers may use it.
    """
    if workers > 1 and not target.profile.claims.concurrent_testers:
        raise TargetError(
            f"`{target.name}` is tested by one process only; its profile does not claim"
            " `concurrent_testers`"
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
    job = _Job(target, folder, called, facts, weather, captures, scenarios_folder)
    return _Run(job, cases, on_begin, on_case).execute(workers)


@dataclass(frozen=True, slots=True)
class _Job:
    """What every process is told."""

    target: Target | ClientTarget
    folder: Path
    called: str
    facts: tuple[tuple[str, str], ...]
    weather: Weather | None
    captures: bool
    scenarios_folder: Path

    def records(self, number: int) -> Path:
        """The file of records of one share."""
        return self.folder / f"records-{number}.jsonl"


@dataclass
class _Run:
    """A run in several processes, seen from the one that started them."""

    job: _Job
    cases: dict[str, Case]
    on_begin: Callable[[str, int], None]
    on_case: Callable[[CaseRecord, int], None]
    began: float = field(default_factory=time.monotonic)
    shares: list[_Share] = field(default_factory=list)
    records: dict[str, CaseRecord] = field(default_factory=dict)
    planned: dict[str, None] = field(default_factory=dict)
    writer: RunWriter | None = None
    header: RunHeader | None = None

    def execute(self, workers: int) -> RunRecord:
        """From the first process to the records in order."""
        names = list(self.cases)
        reason = ""
        try:
            for number in range(min(workers, len(names))):
                self._start(number + 1, names[number::workers])
            while self.shares:
                self._step()
        except KeyboardInterrupt:
            reason = "interrupted"
        finally:
            for share in self.shares:
                share.process.kill()
                share.process.join()
            if self.writer is not None:
                self.writer.close()
        return self._merge(reason)

    def _start(self, number: int, names: list[str]) -> None:
        hear, tell = _FORK.Pipe(duplex=False)
        chosen = Selection(cases=tuple(names), destructive=True)
        process = _FORK.Process(
            target=_judge, args=(tell, self.job, chosen, self.job.records(number).name)
        )
        process.start()
        tell.close()  # so that the pipe ends when the process does
        self.shares.append(_Share(number, names, process, hear))

    def _step(self) -> None:
        """Hear what there is; a run in which nothing is said any more is ended."""
        ready = wait([share.pipe for share in self.shares], _SILENCE * timeout_factor())
        if not ready:
            for share in self.shares:
                share.process.kill()
        for share in [share for share in self.shares if share.pipe in ready]:
            try:
                message = msgspec.json.decode(share.pipe.recv_bytes(), type=_Message)
            except EOFError:
                self._ended(share)
                continue
            self._heard(share, message)

    def _heard(self, share: _Share, message: _Message) -> None:
        match message:
            case _Begun(case=case):
                if not share.begun:
                    self._learn_plan(share)
                share.begun = case
                self.on_begin(case, len(self.cases))
            case CaseRecord():
                if message.id in share.left:  # a look after a section is not planned
                    share.left.remove(message.id)
                self._record(message)
            case _Stopped():
                share.stopped = message

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
        if share.stopped == _Stopped():
            return
        how = share.stopped.reason if share.stopped else _manner(share.process)
        if not share.begun:
            if self.writer is None:
                raise TargetError(how)
            for case in list(share.left):
                self._record(self._error(case, f"No process could judge this case: {how}."))
            return
        if share.begun in share.left:
            share.left.remove(share.begun)
            reason = f"The process that judged this case ended before its verdict: {how}."
            self._record(self._error(share.begun, reason))
        if share.left:
            self._start(share.number, share.left)

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

    def _merge(self, reason: str) -> RunRecord:
        """Write all records again, in the order of the plan, and forget those of the shares."""
        if self.header is None:
            raise TargetError("the run was interrupted before its first case")
        planned = tuple(case for case in self.cases if case in self.planned)
        partial = self.job.folder / f"{RECORDS}.partial"
        header = msgspec.structs.replace(self.header, planned=planned)
        with RunWriter(partial, header) as writer:
            unplanned = (case for case in self.records if case not in self.planned)
            for case in (*planned, *unplanned):
                if case in self.records:
                    writer.add(self.records[case])
            writer.finish(time.monotonic() - self.began, reason=reason)
        partial.replace(self.job.folder / RECORDS)
        for file in self.job.folder.glob("records-*.jsonl"):
            file.unlink()
        return read_run(self.job.folder / RECORDS)


def _judge(pipe: Connection, job: _Job, chosen: Selection, records: str) -> None:
    """What a process does: judge its share and tell of it."""

    def tell(message: _Message) -> None:
        pipe.send_bytes(msgspec.json.encode(message))

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    try:
        certify(
            job.target,
            chosen,
            job.folder,
            called=job.called,
            facts=job.facts,
            weather=job.weather,
            captures=job.captures,
            records=records,
            on_begin=lambda case, _planned: tell(_Begun(case)),
            on_case=lambda record, _planned: tell(record),
            scenarios_folder=job.scenarios_folder,
        )
        tell(_Stopped())
    except (FabricError, OSError, SuiteError, TargetError, Unsupported) as error:
        tell(_Stopped(" ".join(str(error).split())))
    # Neither buffers nor threads of the parent are ours to end; an exception that is not expected
    # does not come here, and multiprocessing shows its traceback.
    os._exit(0)


def _manner(process: BaseProcess) -> str:
    """How a process ended, in a few words."""
    code = process.exitcode or 0
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
