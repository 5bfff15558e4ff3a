"""What is found between cases, as cases that nobody wrote; there is none where all is well.

No case can see by itself that a call has damaged what it did not ask for.  So the plugin has the
rig look at the device's files whenever a section ends; damage is a record of its own, which names
the first case that it can follow from.

A device that lives and does not serve when the next case begins is started again, and so is one
that is found dead then.  That, too, is a record of its own, one of either for each section after
whose cases it happens, unless the case before it has failed already.

A destructive case that fails may leave a device that serves a good call and is not what it was, and
so may any case that damages files.  The device is started again before the next case, so that no
case is judged against what another has broken.  So is a device that has had as many connections as
its profile says that it bears.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.tester.case import Deviation
from reports.record import Verdict
from rpcrdma.errors import FabricError
from targets.base import TargetError

if TYPE_CHECKING:
    from conformance.suite.case import Case
    from conformance.suite.rigs import Rig

__all__ = [
    "FOUND_BETWEEN",
    "SURVIVES",
    "Lapses",
    "Renewals",
    "added_ids",
    "death_case",
    "files_case",
    "section_of",
    "since",
]

_FILES: Final = "files-stay-whole"
_SERVES: Final = "serves-from-case-to-case"
_LIVES: Final = "lives-from-case-to-case"

_SERVES_ON: Final = "A device that lives serves from one case to the next."
_LIVES_ON: Final = "The device lives from one case to the next."

FOUND_BETWEEN: Final = (_FILES, _SERVES, _LIVES)
"""What the ids of these records end with."""

_WHOLE: Final = "rfc8166.8.1.no-new-vulnerabilities"
"""What damage breaks."""

SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"
"""What a device breaks that serves no new connection any more, or dies."""


def section_of(identity: str) -> str:
    """The document and section of a case, `rfc8166/4.3.2`."""
    return identity.rpartition("/")[0]


def added_ids(identity: str) -> tuple[str, ...]:
    """The ids of what may be recorded beside the cases of a case's section."""
    section = section_of(identity)
    return tuple(f"{section}/{name}" for name in FOUND_BETWEEN)


def files_case(first: Case, last: Case) -> Case:
    """The look after the section of `last`, the first one since before `first`."""
    title = "What no case writes holds after this section what it held before."
    return _beside(last, _FILES, title, _WHOLE, since=first)


def death_case(last: Case) -> Case:
    """The device was found dead when the section of `last` was over."""
    return _beside(last, _LIVES, _LIVES_ON, SURVIVES)


def since(found: BaseException | None, first: Case) -> BaseException | None:
    """What a look has found, with the first case that it can follow from."""
    if isinstance(found, Deviation):
        found.reason += f" The first case that this can follow from is {first.id}."
    return found


class Lapses:
    """What devices did not serve, or did not survive, between cases, by role."""

    def __init__(self) -> None:
        self._before: dict[str, tuple[Case, Verdict]] = {}
        self._told: set[str] = set()

    def judged(self, case: Case, verdict: Verdict) -> None:
        """A case has its verdict; one that did nothing with the device is passed over."""
        if verdict is not Verdict.NA:
            self._before[case.role] = case, verdict

    def tells(self, told: Case) -> bool:
        """Whether something is recorded for the first time, as it is herewith."""
        is_new = told.id not in self._told
        self._told.add(told.id)
        return is_new

    def found(self, case: Case, rig: Rig) -> tuple[Case, Deviation] | None:
        """What is to be recorded of the start of a case, once for each section.

        Where the case before has failed, that is its verdict, and the device's start is told in a
        note; so is what happens more than once in a section.
        """
        died, problem = rig.life.died_before, rig.life.lapse or rig.life.died_before
        if not problem or (not died and case.role not in self._before):
            return None
        before, verdict = self._before.get(case.role, (case, Verdict.PASS))
        when = f"before {case.id}" if before is case else f"after {before.id} and before {case.id}"
        what = f"died {when}" if died else f"lives, and had to be started again to serve, {when}"
        name, title = (_LIVES, _LIVES_ON) if died else (_SERVES, _SERVES_ON)
        told = _beside(before, name, title, SURVIVES)
        if verdict is Verdict.FAIL or not self.tells(told):
            rig.case.remark(f"The device {what}: {problem}.")
            return None
        return told, Deviation(
            f"The device {what}: {problem}.",
            expected=("a good call that is served on a new connection",),
            actual=problem,
            breaks=(SURVIVES,),
        )


class Renewals:
    """Devices that have to be started again, since they have come to harm or are worn, by role."""

    def __init__(self) -> None:
        self._failed: dict[str, Case] = {}

    def judged(self, case: Case, verdict: Verdict) -> None:
        """A case, or what is recorded beside the cases of a section, has its verdict."""
        harms = case.destructive or case.id.endswith(_FILES)
        if harms and verdict is Verdict.FAIL:
            self._failed[case.role] = case

    def before(self, case: Case, rig: Rig) -> None:
        """A case is about to be judged; where its device cannot be started again, a note says so.

        The case begins in either way: if the device does not serve, that is found as ever.
        """
        failed = self._failed.pop(case.role, None)
        if failed is None and not rig.worn:
            return
        try:
            rig.renew(files_too=failed is not None)
        except (TargetError, FabricError) as error:
            left = f"{failed.id} had failed" if failed else "`renew_after` connections"
            rig.case.remark(
                f"The device was not started again after {left}, so this case may"
                f" show what is left of that: {error}."
            )


def _beside(
    case: Case, name: str, title: str, requirement: str, *, since: Case | None = None
) -> Case:
    """What is recorded beside the cases of a section, in the place of one that somebody wrote.

    Args:
        case: the last one before it.
        name: of those that `FOUND_BETWEEN` has.
        title: what holds where all is well.
        requirement: what is broken otherwise.
        since: a case of the section from which on this can follow, if that is another one.
    """
    document, section = section_of((since or case).id).split("/")
    return replace(
        case,
        id=f"{section_of(case.id)}/{name}",
        title=title,
        requirements=(requirement,),
        interpretations=(),
        means=(),
        again=f"--document {document} --section {section}",
    )
