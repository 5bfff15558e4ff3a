"""The pytest plugin: runs scenarios against a target and records a verdict for each case.

Inert unless a `Run` is handed over (`pytest.main(..., plugins=[Plugin(run)])`, which is what
`conformance.suite.runner` does).  `conformance.suite.fixtures` has what scenarios are given.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from conformance.catalogue.entries import UnknownRequirement
from conformance.suite.blame import cited_and_broken, marks_on, meant
from conformance.suite.case import Case, case_id, refuse_duplicates
from conformance.suite.evidence import annotated, shown_exchanges, write_console, write_evidence
from conformance.suite.fixtures import Fixtures, SuiteError
from conformance.suite.limits import OutOfTime, RunLimits
from conformance.suite.losses import Losses
from conformance.suite.run_wear import RunWear
from conformance.suite.section_end import (
    SURVIVES,
    Lapses,
    Renewals,
    death_case,
    files_case,
    section_of,
    since,
)
from conformance.tester.case import Deviation, Inconclusive, NotServing
from reports.record import CaseRecord, Verdict
from rpcrdma.wire.operations import BY_NAME
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    from conformance.catalogue.entries import Catalogue
    from conformance.suite.rigs import Rig
    from reports.record import Exchange

__all__ = ["Plugin", "SuiteError"]


class Plugin:
    """Collects cases, runs those that are wanted, and hands over a record of each.

    Attributes:
        planned: the cases that will be judged, in order.  all_cases: every case there is.
        interrupted: why the run ended early, if it did.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        wanted: Callable[[Case], bool],
        *,
        rigs: Mapping[str, Rig] | None = None,
        folder: Path | None = None,
        captures: bool = True,
        on_planned: Callable[[tuple[Case, ...]], tuple[Case, ...]] = lambda cases: cases,
        on_begin: Callable[[str], None] = lambda case: None,
        on_case: Callable[[CaseRecord], None] = lambda record: None,
        on_body: Callable[[Case, Rig], None] = lambda case, rig: None,
        called: str = "TARGET",
        limits: RunLimits | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._wanted = wanted
        self._rigs: Mapping[str, Rig] = {} if rigs is None else rigs
        self._role = ""
        self._folder = folder
        self._captures = captures
        self._on_planned = on_planned
        self._on_begin = on_begin
        self._on_case = on_case
        self._on_body = on_body
        self._called = called
        self._limits = RunLimits() if limits is None else limits
        self._cases: dict[str, Case] = {}
        self._began = time.monotonic()
        self._case_began = 0.0
        self._found: BaseException | None = None
        self._came_to_its_end = False
        self._unlooked: Case | None = None
        self._lapses = Lapses()
        self._renewals = Renewals()
        self._losses = Losses()
        self._wear = RunWear()
        self.planned: tuple[Case, ...] = ()
        self.all_cases: tuple[Case, ...] = ()
        self.fault: Exception | None = None

    # -- collecting

    def pytest_configure(self, config: pytest.Config) -> None:
        """Declare the markers and the fixtures, and have no tracebacks rendered."""
        # Nobody sees them, and rendering one takes pytest five seconds in the lab's guest.  The
        # option belongs to the terminal plugin, which is not loaded.
        config.option.tbstyle = "no"
        config.pluginmanager.register(Fixtures(lambda: self._running))
        config.addinivalue_line("markers", "requirement(*ids): what a scenario tests")
        config.addinivalue_line("markers", "destructive: may bring a real device down")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Name the cases, check what they cite, keep the wanted ones."""
        try:
            for item in items:
                self._cases[item.nodeid] = self._case(item)
            refuse_duplicates(self._cases)
        except SuiteError as error:
            self.fault = error
        if self.fault is not None:
            items.clear()
            return
        self.all_cases = tuple(self._cases[item.nodeid] for item in items)
        try:
            self.planned = self._on_planned(tuple(filter(self._wanted, self.all_cases)))
            self._limits.begin(len(self.planned))
        except Exception as error:  # noqa: BLE001  # pytest would show it as a fault of its own
            self.fault = error
        places = {case: place for place, case in enumerate(self.planned)}
        kept = [item for item in items if self._cases[item.nodeid] in places]
        items[:] = sorted(kept, key=lambda item: places[self._cases[item.nodeid]])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A scenario file that cannot be imported is a fault of the suite."""
        if report.failed:
            self.fault = SuiteError(f"{report.nodeid}: {report.longreprtext}")

    def _case(self, item: pytest.Item) -> Case:
        if not isinstance(item, pytest.Function):
            raise SuiteError(f"{item.nodeid} is no function")
        parameters = item.callspec.id if hasattr(item, "callspec") else ""
        identity = case_id(item.path, item.originalname, parameters)
        mark = item.get_closest_marker("requirement")
        if mark is None or not mark.args:
            raise SuiteError(f"case {identity} cites no requirement; decorate it")
        for requirement in (*mark.args, *mark.kwargs["means"]):
            try:
                self._catalogue[requirement]
            except UnknownRequirement as error:
                raise SuiteError(f"case {identity}: {error}") from error
        title = " ".join((item.function.__doc__ or "").split("\n\n")[0].split())
        return Case(
            identity,
            title,
            tuple(mark.args),
            mark.kwargs["role"],
            mark.kwargs["needs"],
            mark.kwargs["interpretations"],
            item.get_closest_marker("destructive") is not None,
            mark.kwargs.get("wider", ""),
            mark.kwargs.get("narrower", ""),
            tuple(
                (rule, (meant,) if isinstance(meant, str) else meant)
                for rule, meant in mark.kwargs["means"].items()
            ),
        )

    # -- running

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """One case, from its first connection to its record."""
        if not self._rigs:
            raise SuiteError("no target is running; use `rpcrdma certify`")
        case = self._cases[item.nodeid]
        self._role = case.role
        rig = self._running
        self._on_begin(case.id)
        rig.begin()
        self._found, self._case_began = None, time.monotonic()
        done: object = True
        try:
            with self._limits.case():
                done = yield
                self._on_body(case, rig)
                self._came_to_its_end = self._found is None
                if self._came_to_its_end:
                    self._keep(rig.check_after)
                self._keep(rig.end)
        except OutOfTime as error:
            self._found = self._found or error
        unserved = self._found if isinstance(self._found, NotServing) else None
        self._found = rig.judged(self._limits.ended(self._found), case.requirements)
        lapse = self._lapses.found(case, rig)
        died = rig.life.died or (rig.life.died_before if lapse is None else "")
        verdict = self._record(case, died=died, lost=isinstance(self._found, NotServing))
        self._losses.judged(case, rig, unserved)
        self._lapses.judged(case, verdict)
        self._renewals.judged(case, verdict)
        self._wear.judged(case.role, rig)
        if lapse is not None:
            told, self._found = lapse
            self._came_to_its_end = True
            self._record(told, died=rig.life.died_before)
        if rig.trace.events:
            self._unlooked = self._unlooked or case
        if nextitem is None or section_of(self._cases[nextitem.nodeid].id) != section_of(case.id):
            self._look(case, is_last=nextitem is None)
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep what ended the case; the first thing counts."""
        report = yield
        if call.excinfo is not None and self._found is None:
            self._found = call.excinfo.value
        return report

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """What the profile does not claim is not tested, nor what there is no time for.

        Before what is tested a device is started again that a case may have harmed.
        """
        self._limits.check()
        case = self._cases[item.nodeid]
        claims = self._running.profile.claims
        if case.role not in claims.roles:
            raise Unsupported(f"the profile does not claim the role `{case.role}`")
        for need in case.needs:
            if not (need in claims.operations if need in BY_NAME else getattr(claims, need)):
                raise Unsupported(f"the profile does not claim `{need}`")
        self._losses.check(case)
        self._renewals.before(case, self._running)

    def _keep(self, step: Callable[[], None]) -> None:
        """Run a step of ours whose failure is the case's, unless it has one already."""
        try:
            step()
        except (Exception, OutOfTime) as error:  # noqa: BLE001  # our border: all gets a verdict
            self._found = self._found or error

    def _look(self, last: Case, *, is_last: bool) -> None:
        """See what a section has left of the files; where all is well there is no record."""
        first, rig = self._unlooked, self._running
        if first is None:
            return
        rig.begin()
        self._found, self._case_began = None, time.monotonic()
        with self._limits.case():
            self._keep(rig.look)
            if self._found is None:
                self._keep(lambda: self._wear.section_ends(last.role, rig, len(self.planned)))
            self._keep(rig.end)
        self._found = since(self._found, first)
        # A device that cannot be looked at now may well be after the next section.
        if isinstance(self._found, Inconclusive) and not is_last:
            return
        self._unlooked, self._came_to_its_end = None, True
        if self._found is not None:
            told = death_case(last)
            # A second death in a section is told by the look itself: each id is recorded once.
            if not rig.life.died or not self._lapses.tells(told):
                told = files_case(first, last)
            self._renewals.judged(told, self._record(told, died=rig.life.died))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the run as a whole tells and no case does."""
        return self._wear.notes

    @property
    def found(self) -> BaseException | None:
        """What ended the case that was judged last, if anything did."""
        return self._found

    @property
    def _running(self) -> Rig:
        if self._role not in self._rigs:
            raise SuiteError("no target is running in this role; use `rpcrdma certify`")
        return self._rigs[self._role]

    def _record(self, case: Case, *, died: str = "", lost: bool = False) -> Verdict:
        rig = self._running
        log = rig.case
        verdict, reason, violated = self._judge(case)
        unseen = self._not_reached(case, violated) if violated else ()
        seen = self._found if isinstance(self._found, Deviation) else log
        expected, actual = seen.expected, seen.actual
        # What is compared with a baseline, or another run, must not depend on what XIDs it has.
        reason, actual = rig.numbered(reason), rig.numbered(actual)
        marks = marks_on(self._found, log, violated)
        cited = tuple(dict.fromkeys((*case.requirements, *violated)))
        entries = [self._catalogue[requirement] for requirement in cited]
        readings = [*case.interpretations, *log.interpretations]
        readings += [reading for entry in entries for reading in entry.interpretations]
        files: tuple[str, ...] = ()
        steps: tuple[Exchange, ...] = ()
        if self._folder is not None:
            stem = re.sub(r"[^A-Za-z0-9.-]+", "-", case.id).strip("-")
            files = write_console(rig.life.console, self._folder, stem)
            if rig.trace.events:
                trace = annotated(rig.trace, log.mutations)
                files = write_evidence(trace, self._folder, stem, capture=self._captures) + files
                steps = shown_exchanges(trace, verdict, marks) if self._captures else ()
        self._on_case(
            CaseRecord(
                id=case.id,
                title=case.title,
                verdict=verdict,
                reason=reason,
                expected=expected,
                actual=actual,
                citations=tuple(entry.citation() for entry in entries),
                violated=violated,
                not_reached=unseen,
                notes=tuple(rig.numbered(sentence) for sentence in log.notes),
                interpretations=tuple(dict.fromkeys(readings)),
                exchanges=steps,
                marks=marks,
                evidence=files,
                rerun=case.command(self._called),
                started=self._case_began - self._began,
                duration=time.monotonic() - self._case_began,
                destructive=case.destructive,
                died=rig.numbered(died),
                lost=lost,
            )
        )
        return verdict

    def _judge(self, case: Case) -> tuple[Verdict, str, tuple[str, ...]]:
        match self._found:
            case None:
                return self._passed(case)
            case Deviation(reason=reason, breaks=breaks, unanswered=unanswered):
                violated = meant(
                    case, breaks or cited_and_broken(case, self._catalogue, unanswered=unanswered)
                )
                levels = {self._catalogue[one].verdict_when_broken for one in violated}
                if self._running.life.died and Verdict.FAIL not in levels:  # a death is no advice
                    return Verdict.FAIL, reason, (*violated, SURVIVES)
                verdict = Verdict.FAIL if Verdict.FAIL in levels else Verdict.WARN
                return verdict, reason, violated
            case Inconclusive() as error:
                return Verdict.INCONC, str(error), ()
            case Unsupported() as error:
                return Verdict.NA, str(error), ()
            case error:
                return Verdict.ERROR, f"{type(error).__name__}: {error}", ()

    def _passed(self, case: Case) -> tuple[Verdict, str, tuple[str, ...]]:
        warnings = self._running.case.warnings
        if not warnings:
            return Verdict.PASS, "", ()
        named = (rule.ids or cited_and_broken(case, self._catalogue) for rule in warnings)
        violated = tuple(dict.fromkeys(one for breaks in named for one in breaks))
        reasons = " ".join(rule.detail for rule in warnings)
        return Verdict.WARN, reasons, meant(case, violated)

    def _not_reached(self, case: Case, violated: tuple[str, ...]) -> tuple[str, ...]:
        """What the case cites and did not come to look at, because something else came first.

        What is found once a case has come to its end, by the good call after it or in the messages
        of a client, takes nothing back of what the case has looked at.
        """
        if self._came_to_its_end and not self._running.case.cut_short:
            return ()
        return tuple(one for one in case.requirements if one not in violated)
