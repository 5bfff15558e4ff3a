"""What a process does that was forked for one fault: it has the endpoint with it, and judges it.

The process that forks has everything imported but the endpoint, and what imports that.  So the
module that has the fault is compiled from its changed tree when it is first imported, and whatever
takes a name from it takes it from there.

A fault ends the process: as soon as a verdict names a statement, or a case takes too long, or all
cases are judged.  It must be told nothing else: what the device does to its memory or to its
processor stays in here.
"""

from __future__ import annotations

import importlib.machinery
import os
import resource
import signal
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.proof.detect.differences import Different  # noqa: TC001  # msgspec needs it
from conformance.proof.detect.faults import ENDPOINT, mutated
from conformance.proof.detect.results import Fate
from conformance.proof.detect.sight import Sight
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from conformance.tester.case import Deviation
from reports.record import Verdict
from targets.base import TargetError

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from pathlib import Path
    from types import CodeType, FrameType

    from conformance.proof.detect.faults import Module
    from conformance.proof.detect.sight import Seen
    from conformance.suite.case import Case
    from reports.record import CaseRecord

__all__ = ["TARGETS", "KillWatch", "Told", "judge_reference", "limit", "put_in_place"]

TARGETS: Final[Mapping[str, str]] = {"responder": "reference", "requester": "reference-client"}
"""Role -> the device that has the fault."""

MEMORY: Final = 3 * 2**30
"""Octets that the process may have."""

PROCESSOR: Final = 400
"""Seconds of processor time that it may take: the whole suite takes some twenty."""

AFTER_SILENCE: Final = 60
"""Cases that are run after the first that finds nothing but silence or death.  Whoever is silent in
one case is so in most, and to be told each time takes longest of all."""

_FEW: Final = 40
"""Up to so many cases are selected by name, so that only their files are collected."""


class Told(msgspec.Struct, frozen=True):
    """What came of a fault; the fields are those of `results.Tried`.

    Attributes:
        different: the first of the cases that `seen` counts.
    """

    outcome: Fate
    case: str = ""
    violated: tuple[str, ...] = ()
    reason: str = ""
    ran: int = 0
    undecided: int = 0
    seen: int | None = None
    different: tuple[Different, ...] = ()


class KillWatch:
    """Looks at the records as they come, and ends at the first that names a statement."""

    def __init__(
        self, known: Mapping[str, str], patience: float, end: Callable[[Told], None]
    ) -> None:
        """Begin.

        Args:
            known: verdicts on the reference as it is, of cases that do not pass.
            patience: seconds of processor time that one case may take.
            end: is told what came of the fault, and does not return.
        """
        self._known = known
        self._patience = patience
        self._end = end
        self._case = ""
        self._ran = self._undecided = 0
        self._by_life: Told | None = None
        self._first_undecided: Told | None = None

    def begin(self, case: str) -> None:
        """A case begins."""
        self._case = case
        signal.setitimer(signal.ITIMER_PROF, self._patience)

    def overdue(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """The case takes too long."""
        said = f"more than {self._patience:.0f} s of processor time in one case"
        self._end(self._ending(Fate.HUNG, self._case, (), said))

    def record(self, record: CaseRecord, found: BaseException | None) -> None:
        """A case has ended."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        self._ran += 1
        if record.verdict.value == self._known.get(record.id):
            return
        if record.verdict in (Verdict.INCONC, Verdict.ERROR):
            self._undecided += 1
            self._first_undecided = self._first_undecided or self._ending(
                Fate.UNDECIDED, record.id, (), record.reason
            )
        elif record.verdict in (Verdict.FAIL, Verdict.WARN):
            silent = isinstance(found, Deviation) and found.unanswered
            outcome = Fate.LIVENESS if silent else Fate.NAMED
            ending = self._ending(outcome, record.id, record.violated, record.reason)
            if not silent:
                self._end(ending)
            self._by_life = self._by_life or ending
        if self._by_life is not None and self._ran >= self._by_life.ran + AFTER_SILENCE:
            self.finish()

    def does_not_serve(self, reason: str) -> None:
        """The device serves nobody, so that no case can be run."""
        self._by_life = self._by_life or self._ending(Fate.LIVENESS, "", (), reason)

    def finish(self) -> None:
        """All cases were judged."""
        ending = self._by_life or self._first_undecided or Told(Fate.SURVIVED)
        ending = msgspec.structs.replace(ending, ran=self._ran, undecided=self._undecided)
        self._end(ending)

    def _ending(self, outcome: Fate, case: str, violated: tuple[str, ...], reason: str) -> Told:
        return Told(outcome, case, violated, reason, self._ran, self._undecided)


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from a tree instead of its file."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        """The code of the tree; no file of compiled code is read or written."""
        code: CodeType = compile(self._tree, self.path, "exec", dont_inherit=True)
        return code


class _Finder:
    """Finds one module, and leaves all others to those who come after it."""

    def __init__(self, module: Module, tree: ast.Module) -> None:
        self._module = module
        self._tree = tree

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        if name != self._module.name:
            return None
        file = str(self._module.path)
        return importlib.machinery.ModuleSpec(name, _Loader(name, file, self._tree), origin=file)


def put_in_place(module: Module, identity: str) -> None:
    """Have the module come with its fault when it is imported.

    Raises:
        RuntimeError: the package has been imported before.
    """
    before = [name for name in sys.modules if name.startswith(ENDPOINT)]
    if before and module.name.startswith(ENDPOINT):
        raise RuntimeError(f"{before[0]} was imported before its fault was there")
    sys.meta_path.insert(0, _Finder(module, mutated(module, identity)))


def limit(overdue: Callable[[int, FrameType | None], None], null: Path) -> None:
    """Bound what this process may take, and have it print nothing.

    Args:
        overdue: called when the time of a case is over.
        null: where output goes.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, overdue)
    nowhere = os.open(null, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def judge_reference(
    cases: Sequence[str],
    roles: Mapping[str, str],
    begin: Callable[[str], None],
    record: Callable[[CaseRecord, BaseException | None], None],
    does_not_serve: Callable[[str], None],
    show: Callable[[str, Seen], None],
) -> None:
    """Run cases against the reference in both its roles.

    Args:
        cases: ids, in the order in which they are to be run.
        roles: case -> role of the device, of every case there is.
        begin: told the id of a case that begins.
        record: told the record of a case, and what ended it before its end.
        does_not_serve: told why a device comes not up.
        show: told what the device has shown in a case, before `record`.
    """
    sight = Sight(roles)

    def both_begin(case: str) -> None:
        sight.begin(case)
        begin(case)

    def both_end(one: CaseRecord, found: BaseException | None) -> None:
        if one.id in roles:  # and not what was found between cases
            show(one.id, sight.end(one.id))
        record(one, found)

    # Not before the fault is in its place: this imports the endpoint.
    try:
        from targets.registry import find_any_target
    except Exception as error:  # noqa: BLE001  # the fault's doing, whatever it is
        does_not_serve(f"{type(error).__name__}: {error}")
        return
    for role, name in TARGETS.items():
        own = tuple(case for case in cases if roles[case] == role)
        if not own:
            continue
        chosen = Selection(role=role, cases=own if len(own) <= _FEW else (), destructive=True)
        try:
            target = find_any_target(name, "loopback")
            judge(
                target,
                chosen,
                sight.body_ended,
                order=partial(_in_order, own),
                on_open=sight.stand,
                on_begin=both_begin,
                on_end=both_end,
            )
        except TargetError as error:
            does_not_serve(str(error))
        except SuiteError:
            raise
        except Exception as error:  # noqa: BLE001  # likewise, while the device is started
            does_not_serve(f"{type(error).__name__}: {error}")


def _in_order(wanted: Sequence[str], found: tuple[Case, ...]) -> tuple[Case, ...]:
    places = {case: place for place, case in enumerate(wanted)}
    kept = [case for case in found if case.id in places]
    return tuple(sorted(kept, key=lambda case: places[case.id]))


def spent() -> float:
    """Seconds of processor time of this process so far."""
    return time.process_time()
