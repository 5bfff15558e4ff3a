"""How much is tried with a device that dies again and again, or does not come back.

Each death costs a start, and a device that does not come back costs a wait.  So the rest of a
section is passed over once the device has died in as many of its cases in a row as the profile
says, or does not serve; the next section begins anew.  Where it does not serve in several sections
in a row, no more cases are judged.  What was passed over is inconclusive and says why.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.suite.section_end import section_of
from conformance.tester.case import NotServing

if TYPE_CHECKING:
    from conformance.suite.case import Case
    from conformance.suite.rigs import Rig

__all__ = ["MOST_SECTIONS", "Losses"]

MOST_SECTIONS: Final = 3
"""Sections in a row in which the device does not serve; it does not come back after that."""


@dataclass(slots=True)
class _Loss:
    """How it stands with the device of one role.

    Attributes:
        section: of the last case.  deaths: in its cases, in a row.
        gone: why the rest of the section is passed over; empty if it is not.
        sections: in a row in which the device did not serve.
    """

    section: str = ""
    deaths: int = 0
    gone: str = ""
    sections: int = 0


class Losses:
    """What the devices of a run have cost, by role."""

    def __init__(self) -> None:
        self._losses: defaultdict[str, _Loss] = defaultdict(_Loss)

    def check(self, case: Case) -> None:
        """See that a case may be tried.

        Raises:
            NotServing: it is passed over.
        """
        loss = self._losses[case.role]
        section = section_of(case.id)
        if loss.section != section:
            loss.section, loss.deaths = section, 0
            if loss.sections < MOST_SECTIONS:
                loss.gone = ""
        if loss.gone:
            raise NotServing(loss.gone)

    def judged(self, case: Case, rig: Rig, unserved: NotServing | None) -> None:
        """A case has been tried, or passed over.

        Args:
            case: which.
            rig: of the device.
            unserved: what ended it, if that was that the device does not serve.
        """
        loss = self._losses[case.role]
        if loss.gone:
            return
        if unserved is not None:
            loss.sections += 1
            rest = "this section" if loss.sections < MOST_SECTIONS else "the run"
            loss.gone = f"the rest of {rest} is passed over: {unserved}"
            return
        if rig.trace.events:
            loss.sections = 0
        died = rig.life.died or rig.life.died_before
        loss.deaths = loss.deaths + 1 if died else 0
        most = rig.profile.extra.deaths
        if loss.deaths >= most:
            loss.gone = (
                f"the rest of this section is passed over: the device died in {most} of its cases"
                f" in a row, at last so: {died}"
            )
