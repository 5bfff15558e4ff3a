"""In which cases the reference calls which methods: a mutant shows in no other case.

A mutant is the reference with one method broken.  As long as nobody calls that method, both do the
same, and a case in which the reference never calls it comes out alike.  So a run of the reference
tells which cases are worth running against a mutant, and what becomes of the others.

Calls are noted by `sys.setprofile`, on loopback, where tester and device share one thread.  What is
called before the first case belongs to all of them, and what is called between two cases to the
second.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from types import CodeType, FrameType

    from conformance.suite.case import Case
    from reports.record import CaseRecord
    from targets.mutants.base import Mutant

__all__ = ["MethodReach", "reach_of_methods"]

_EVERYTHING: Final = Selection(destructive=True)


@dataclass(frozen=True, slots=True)
class MethodReach:
    """What the reference does, case by case.

    Attributes:
        records: of its run, in the order of the suite.
        cases: method, as `Mutant.method` names it -> ids of the cases in which it is called.
    """

    records: tuple[CaseRecord, ...]
    cases: Mapping[str, frozenset[str]]

    def only(self, mutant: Mutant, cases: Iterable[Case]) -> tuple[Case, ...]:
        """Those of the cases in which the mutant may show."""
        wanted = self.cases.get(mutant.method, frozenset())
        return tuple(case for case in cases if case.id in wanted)

    def completed(self, records: Iterable[CaseRecord]) -> tuple[CaseRecord, ...]:
        """The records of a run, and the reference's of the cases that were not run."""
        own = tuple(records)
        ran = {record.id for record in own}
        return (*own, *(record for record in self.records if record.id not in ran))


def reach_of_methods(
    profile: str, methods: Collection[str], selection: Selection = _EVERYTHING
) -> MethodReach:
    """Run the reference, and see in which cases it calls some methods.

    Args:
        profile: name of a shipped one, whose reference is run on loopback.
        methods: as `Mutant.method` names them.
        selection: the cases to look at.
    """
    wanted = frozenset(methods)
    names: dict[CodeType, str] = {}
    called: set[str] = set()
    at_start: list[frozenset[str]] = []
    cases: dict[str, set[str]] = defaultdict(set)

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            code = frame.f_code
            name = names.get(code)
            if name is None:
                full = f"{frame.f_globals.get('__name__', '')}:{code.co_qualname}"
                name = names[code] = full if full in wanted else ""
            if name:
                called.add(name)

    def begin(_: str) -> None:
        if not at_start:
            at_start.append(frozenset(called))

    def end(record: CaseRecord, _: object) -> None:
        for name in called.union(*at_start):
            cases[name].add(record.id)
        called.clear()

    target = find_any_target(profile, "loopback")
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        records = judge(target, selection, on_begin=begin, on_end=end)
    finally:
        sys.setprofile(before)
    return MethodReach(records, {name: frozenset(ids) for name, ids in cases.items()})
