"""Runs the suite: pytest in this process, with our plugin and nothing else."""

from __future__ import annotations

import datetime
import os
import platform
import time
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from conformance import scenarios
from conformance.catalogue.entries import load_catalogue
from conformance.suite.interruption import finish
from conformance.suite.limits import OutOfTime, RunLimits
from conformance.suite.plugin import Plugin, SuiteError
from conformance.suite.rigs import close_rigs, open_rigs
from conformance.suite.section_end import added_ids
from conformance.tester.case import Deviation, Inconclusive
from reports.record import FORMAT_VERSION, CaseRecord, RunHeader
from reports.stream import RunWriter, read_run
from targets.base import TargetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.suite.case import Case
    from conformance.suite.rigs import Rig
    from conformance.suite.selection import Selection
    from conformance.tester.weather import Weather
    from reports.record import RunRecord
    from targets.base import ClientTarget, Target

__all__ = ["RECORDS", "GaveUp", "certify", "collect_cases", "judge", "known_ids"]

RECORDS: Final = "records.jsonl"
"""Name of the file of records in a run's folder."""

SCENARIOS: Final = Path(scenarios.__file__).parent

_OPTIONS: Final = (
    "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:logging", "-p", "no:faulthandler",
    "-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:junitxml",
    "-p", "no:doctest", "-s", "--assert=plain", "--import-mode=importlib",
    "-c", os.devnull, "--rootdir", str(SCENARIOS),
)  # fmt: skip


class GaveUp(SuiteError):
    """Pytest ended by an error of its own: the cases that were left have not been judged."""


@cache
def collect_cases(*where: Path) -> tuple[Case, ...]:
    """The cases of some folders or files; of none, every case there is.  They are read once.

    Raises:
        SuiteError: a scenario is wrong.
    """
    plugin = Plugin(load_catalogue(), lambda case: True)
    _run_pytest(plugin, *(where or (SCENARIOS,)), options=("--collect-only",))
    return plugin.all_cases


def known_ids() -> frozenset[str]:
    """The ids that a record may have: those of the cases, and of what is found between them."""
    cases = frozenset(case.id for case in collect_cases())
    return cases.union(*(added_ids(case) for case in cases))


def certify(
    target: Target | ClientTarget,
    selection: Selection,
    folder: Path,
    *,
    called: str = "",
    facts: tuple[tuple[str, str], ...] = (),
    weather: Weather | None = None,
    captures: bool = True,
    records: str = RECORDS,
    time_limit: float | None = None,
    on_begin: Callable[[str, int], None] = lambda case, planned: None,
    on_case: Callable[[CaseRecord, int], None] = lambda record, planned: None,
    scenarios_folder: Path = SCENARIOS,
) -> RunRecord:
    """Run the selected cases against a target; records are in `folder` as cases finish.

    Args:
        target: which device.
        selection: which cases.
        folder: where records and evidence go; made if it is not there.
        called: what to call the target on a command line, where its name does not do: a path.
        facts: what is known of the surroundings, for the record; instead of this machine's kernel
            that of a device elsewhere.
        weather: what happens to the packets; nothing if None.
        captures: make captures and exchanges of the traces; else `evidence.complete` may do so.
        records: name of the file of records in the folder.
        time_limit: seconds after which no further case is judged; None: `limits.run_seconds`.
        on_begin: called before each case with its id and the number of planned cases.
        on_case: called after each case with its record and that number.
        scenarios_folder: where the scenarios are.

    Raises:
        TargetError: the device does not come up or does not serve at all.
        SuiteError: a scenario is wrong, or no case is selected.
        GaveUp: the run did not come to its end.
    """
    began = time.monotonic()
    if weather is not None:
        facts = (*facts, ("faults", str(weather)))
    roles = target.profile.claims.roles
    rigs: dict[str, Rig] = {}
    limits = RunLimits(time_limit)
    with ExitStack() as stack:
        stack.callback(close_rigs, rigs)
        writers: list[RunWriter] = []

        def begin(cases: tuple[Case, ...]) -> tuple[Case, ...]:
            """Set the device going; collecting the cases twice would cost seconds in the lab."""
            nonlocal began
            began = time.monotonic()
            if not cases:
                raise SuiteError(
                    f"no case for the role {' or '.join(roles)} is selected;"
                    " `rpcrdma cases` lists them all"
                )
            rigs.update(open_rigs(target))
            expose()
            _preflight(rigs)
            planned = tuple(case for case in cases if case.role in rigs)
            header = _header(target, next(iter(rigs.values())), planned, facts)
            writers.append(stack.enter_context(RunWriter(folder / records, header)))
            return planned

        def expose(case: str = "") -> None:
            if weather is not None:
                for rig in rigs.values():
                    weather.begin(rig.session.fabric, case)

        def begun(case: str) -> None:
            expose(case)
            on_begin(case, len(plugin.planned))

        def record(case: CaseRecord) -> None:
            writers[0].add(case)
            on_case(case, len(plugin.planned))

        plugin = Plugin(
            load_catalogue(),
            lambda case: case.role in roles and selection.includes(case),
            rigs=rigs,
            folder=folder,
            captures=captures,
            on_planned=begin,
            on_begin=begun,
            on_case=record,
            called=called or target.name,
            limits=limits,
        )
        interruption = _run_pytest(plugin, *_files(selection, scenarios_folder))
        if interruption is not None and not writers:
            raise interruption
        finish(writers[0], time.monotonic() - began, interruption, limits.refused, plugin.notes)
    return read_run(folder / records)


def _header(
    target: Target | ClientTarget,
    rig: Rig,
    cases: tuple[Case, ...],
    facts: tuple[tuple[str, str], ...],
) -> RunHeader:
    return RunHeader(
        FORMAT_VERSION,
        target.name,
        target.profile.name,
        rig.session.fabric.name,
        tuple(case.id for case in cases),
        tuple({**_surroundings(), **dict(facts), **dict(rig.facts)}.items()),
        datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
    )


def _surroundings() -> dict[str, str]:
    return {"python": platform.python_version(), "kernel": platform.release()}


def judge(
    target: Target | ClientTarget,
    selection: Selection,
    on_body: Callable[[Case, Rig], None] = lambda case, rig: None,
    *,
    order: Callable[[tuple[Case, ...]], tuple[Case, ...]] = lambda cases: cases,
    on_open: Callable[[Mapping[str, Rig]], None] = lambda rigs: None,
    on_begin: Callable[[str], None] = lambda case: None,
    on_end: Callable[[CaseRecord, BaseException | None], None] = lambda record, found: None,
) -> tuple[CaseRecord, ...]:
    """Run the selected cases against a target and keep nothing on disk.

    Args:
        target: which device.
        selection: which cases.
        on_body: called after the body of each case, while its connections still stand.
        order: the cases to run of those that are selected, in their order.
        on_open: called before the first case with the rigs by their roles.
        on_begin: called before each case with its id.
        on_end: called after each case with its record, and with what ended it before its end.

    Raises:
        TargetError: the device does not come up or does not serve at all.
        SuiteError: a scenario is wrong.
        GaveUp: the run did not come to its end.
    """
    records: list[CaseRecord] = []

    def record(case: CaseRecord) -> None:
        records.append(case)
        on_end(case, plugin.found)

    rigs = open_rigs(target)
    try:
        _preflight(rigs)
        on_open(rigs)
        plugin = Plugin(
            load_catalogue(),
            lambda case: case.role in rigs and selection.includes(case),
            rigs=rigs,
            on_planned=order,
            on_begin=on_begin,
            on_case=record,
            on_body=on_body,
        )
        interruption = _run_pytest(plugin, *_files(selection, SCENARIOS))
    finally:
        close_rigs(rigs)
    if interruption is not None:
        raise interruption
    return tuple(records)


def _files(selection: Selection, folder: Path) -> list[Path]:
    """The scenario files that may hold selected cases: collecting all takes seconds in the lab."""
    every = sorted(folder.rglob("test_*.py"))
    found = [path for path in every if selection.may_be_in(path)]
    return found if 0 < len(found) < len(every) else [folder]


def _preflight(rigs: Mapping[str, Rig]) -> None:
    for rig in rigs.values():
        rig.begin()
        try:
            with RunLimits().case():
                rig.preflight()
        except (Inconclusive, Deviation, OutOfTime) as error:
            raise TargetError(f"target `{rig.target.name}`: {error}") from error
        rig.end()


class _Breakdown:
    """Keeps the error that ends pytest itself, which else shows in nothing but its status."""

    found: BaseException | None = None
    interruption: KeyboardInterrupt | None = None

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        """Pytest gives up, and prints a traceback; a full disk, no fault of ours, needs none."""
        self.found = excinfo.value
        return isinstance(self.found, OSError)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Pytest has been interrupted, or a device of others' was lost."""
        if isinstance(excinfo.value, KeyboardInterrupt):
            self.interruption = excinfo.value


def _run_pytest(
    plugin: Plugin, *where: Path, options: tuple[str, ...] = ()
) -> KeyboardInterrupt | None:
    """Run pytest; returns what interrupted it."""
    breakdown = _Breakdown()
    with _no_foreign_plugins():
        pytest.main([*_OPTIONS, *options, *map(str, where)], plugins=[plugin, breakdown])
    if plugin.fault is not None:
        raise plugin.fault
    if (error := breakdown.found) is not None:
        raise GaveUp(
            f"pytest gave the run up, by {type(error).__name__}: {error}; what it had not judged"
            " has no verdict"
        ) from error
    return breakdown.interruption


@contextmanager
def _no_foreign_plugins() -> Iterator[None]:
    """What else is installed or set for pytest must not change a run."""
    names = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "PYTEST_PLUGINS": ""}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
