"""A process that tries faults, one after the other, each in a process that it forks.

    python -m conformance.proof.detect.worker record FILE
    python -m conformance.proof.detect.worker try FILE

It is a program of its own because it must not have imported the endpoint, which the command line
has.  `record` writes into the file which cases execute which lines (`reach`); `try` reads that,
takes ids of faults from its standard input, one a line, and answers each by a line of JSON on its
standard output (`results.Tried`).
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.proof.detect.child import (
    KillWatch,
    Told,
    judge_reference,
    limit,
    put_in_place,
    spent,
)
from conformance.proof.detect.differences import Differences, Different, event_at
from conformance.proof.detect.faults import faults_in, find_modules
from conformance.proof.detect.reach import (
    LineRecorder,
    Reach,
    digest_of_code,
    endpoint_files,
    forget_remembered,
    write_reach,
)
from conformance.proof.detect.results import Fate, Tried
from conformance.proof.detect.sentence import sentence
from conformance.proof.detect.shown import Shown, digests
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import collect_cases
from reports.record import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.proof.detect.faults import MadeFault, Module
    from conformance.proof.detect.sight import Seen
    from reports.record import CaseRecord

__all__ = ["Forks", "main", "record_reach"]

PATIENCE: Final = 6.0
"""Seconds of processor time that a case may take, at least: most take a hundredth of one."""

TIMES: Final = 4
"""How many times as long as the longest case of the reference while its lines are recorded."""

NAMED: Final = 3
"""So many are named of the cases in which a fault shows."""

WALL: Final = 900.0
"""Seconds of the clock that one fault may take: it bounds a process that waits for something."""


def record_reach(path: Path) -> None:
    """Run the suite against the reference, and write which case executes which line.

    Raises:
        SuiteError: the reference does not serve, or a case fails against it.
    """
    roles = {case.id: case.role for case in collect_cases()}
    verdicts: dict[str, str] = {}
    wrong: list[str] = []
    times: list[float] = []
    began = 0.0
    files = endpoint_files()
    bodies: dict[str, bytes] = {}
    openings: dict[bytes, tuple[Shown, ...]] = {}
    unsteady: set[str] = set()
    recorder = LineRecorder(files)

    def begin(case: str) -> None:
        nonlocal began
        began = spent()
        forget_remembered(name for name, _ in files)
        recorder.begin(case)

    def record(one: CaseRecord, _: BaseException | None) -> None:
        times.append(spent() - began)
        if one.verdict in (Verdict.FAIL, Verdict.WARN, Verdict.ERROR):
            wrong.append(f"it does not pass {one.id}: {one.reason}")
        if one.verdict is not Verdict.PASS:
            verdicts[one.id] = one.verdict.value

    def show(case: str, seen: Seen) -> None:
        openings.setdefault(digests(seen.opening), seen.opening)
        shown = digests(seen.body)
        if bodies.setdefault(case, shown) != shown:
            unsteady.add(case)

    with recorder:
        judge_reference(tuple(roles), roles, begin, record, wrong.append, show)
    lines, patience = recorder.lines(roles), max((PATIENCE, *(TIMES * one for one in times)))
    # Once more, after other cases each: what depends on them tells nothing of a fault.
    judge_reference(tuple(reversed(roles)), roles, begin, record, wrong.append, show)
    if wrong:
        raise SuiteError(f"the reference itself is not found to be right: {wrong[0]}")
    steady = {case: shown for case, shown in bodies.items() if case not in unsteady}
    reach = Reach(
        digest_of_code(), roles, lines, verdicts, patience, steady, list(openings.values())
    )
    write_reach(reach, path)


class Forks:
    """Tries faults in processes of their own."""

    def __init__(self, reach: Reach, modules: Mapping[str, Module]) -> None:
        """Prepare.

        Args:
            reach: which cases execute which lines.
            modules: in which faults are made, by name.
        """
        self._reach = reach
        self._modules = modules
        self._faults: dict[str, dict[str, MadeFault]] = {}
        # What is there now is not looked at in the processes to come, and so is not copied.
        gc.freeze()

    def find(self, identity: str) -> MadeFault:
        """The fault of an id.

        Raises:
            KeyError: there is none.
        """
        name = identity.partition(":")[0]
        if name not in self._faults:
            self._faults[name] = {one.id: one for one in faults_in(self._modules[name])}
        return self._faults[name][identity]

    def attempt(self, identity: str) -> Tried:
        """Try a fault."""
        began = time.monotonic()
        fault = self.find(identity)
        cases = self._reach.cases(fault)
        if cases:
            ending = self._forked(partial(self._live, fault, cases))
        else:
            ending = Told(Fate.UNREACHED, seen=0)
        seen, different = self._confirmed(ending)
        return Tried(
            fault.id,
            fault.module,
            fault.function,
            fault.operator,
            fault.what,
            fault.fingerprint,
            ending.outcome,
            ending.case,
            ending.violated,
            ending.reason,
            len(cases),
            ending.ran,
            ending.undecided,
            round(time.monotonic() - began, 2),
            seen,
            tuple(one.case for one in different[:NAMED]),
            sentence(different[0]) if different else "",
        )

    def _confirmed(self, ending: Told) -> tuple[int | None, tuple[Different, ...]]:
        """In how many cases a device shows something else, and the first of them.

        The reference is run in those alone.  Where it shows another thing there than in the run
        that was recorded, the case tells nothing.
        """
        asked = tuple(one for one in ending.different if not one.opening)
        if ending.seen is None or not asked:
            return ending.seen, ending.different
        again = self._forked(partial(self._live_as_reference, asked)).different
        there = {one.case: one.reference for one in again}
        kept = tuple(
            one if one.opening else msgspec.structs.replace(one, reference=there[one.case])
            for one in ending.different
            if one.opening or one.case in there
        )
        return ending.seen - len(ending.different) + len(kept), kept

    def _forked(self, live: Callable[[Callable[[Told], None]], None]) -> Told:
        """What a process tells that does nothing but to live, and to tell."""
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(reading)
            _live_and_tell(live, writing)
        os.close(writing)
        try:
            return _heard(reading)
        finally:
            os.close(reading)
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)

    def _live(self, fault: MadeFault, cases: tuple[str, ...], end: Callable[[Told], None]) -> None:
        """Judge a fault."""
        reach = self._reach
        differences = Differences(reach.bodies, reach.openings)

        def end_with_differences(ending: Told) -> None:
            if ending.outcome in (Fate.SURVIVED, Fate.UNDECIDED):
                ending = msgspec.structs.replace(
                    ending, seen=differences.cases, different=tuple(differences.first)
                )
            end(ending)

        judging = KillWatch(reach.verdicts, reach.patience, end_with_differences)
        limit(judging.overdue, Path(os.devnull))
        judging.begin("")  # the device may hang before it comes to any case
        put_in_place(self._modules[fault.module], fault.id)
        judge_reference(
            cases,
            reach.roles,
            judging.begin,
            judging.record,
            judging.does_not_serve,
            differences.compare,
        )
        judging.finish()

    def _live_as_reference(
        self, different: tuple[Different, ...], end: Callable[[Told], None]
    ) -> None:
        """Tell what the reference shows in some cases, where something else was shown."""
        wanted = {one.case: one for one in different}
        there: list[Different] = []

        def show(case: str, seen: Seen) -> None:
            if digests(seen.body) == self._reach.bodies[case]:
                one = wanted[case]
                event = event_at(seen.body, one.at)
                there.append(msgspec.structs.replace(one, own=None, reference=event))

        limit(lambda *_: None, Path(os.devnull))
        judge_reference(
            tuple(wanted),
            self._reach.roles,
            lambda _: None,
            lambda *_: None,
            lambda _: None,
            show,
        )
        end(Told(Fate.SURVIVED, different=tuple(there)))


def _live_and_tell(live: Callable[[Callable[[Told], None]], None], writing: int) -> None:
    """Live, tell what came of it, and end the process."""

    def end(ending: Told) -> None:
        # What stands after this is a device that does not do what it should: leave it there.
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(msgspec.json.encode(ending) + b"\n")
        os._exit(0)

    try:
        live(end)
    except BaseException as error:  # noqa: BLE001  # a process that was forked must end here
        end(Told(Fate.LIVENESS, reason=f"the run broke off: {type(error).__name__}"))


def _heard(reading: int) -> Told:
    """What a process tells before it ends; one that tells nothing was ended by its limits."""
    deadline = time.monotonic() + WALL
    told = b""
    while not told.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            return Told(Fate.HUNG, reason=f"more than {WALL:.0f} s")
        piece = os.read(reading, 65536)
        if not piece:
            return Told(Fate.HUNG, reason="ended by the limits of its process")
        told += piece
    return msgspec.json.decode(told, type=Told)


def main(words: list[str]) -> int:
    """Run the program; see the head of this file."""
    what, file = words
    if what == "record":
        try:
            record_reach(Path(file))
        except SuiteError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        return 0
    collect_cases()  # imports every scenario, once for all processes to come
    reach = msgspec.json.decode(Path(file).read_bytes(), type=Reach)
    forks = Forks(reach, {module.name: module for module in find_modules()})
    for line in sys.stdin:
        tried = forks.attempt(line.strip())
        sys.stdout.buffer.write(msgspec.json.encode(tried) + b"\n")
        sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
