"""The blocks that the suite's own cases reach: what a campaign is measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.suite.runner import certify
from conformance.suite.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fuzz.live.coverage import Block, BlockCoverage
    from reports.record import CaseRecord
    from targets.base import ClientTarget, Target

__all__ = ["DEFAULT", "blocks_of_scenarios"]

DEFAULT: Final = Selection()
"""What `rpcrdma certify` runs unless it is told otherwise."""


def blocks_of_scenarios(
    target: Target | ClientTarget,
    coverage: BlockCoverage,
    folder: Path,
    on_case: Callable[[CaseRecord, int], None],
    selection: Selection = DEFAULT,
) -> frozenset[Block]:
    """Judge a device, and tell what was executed since it was started.

    Args:
        target: the device.
        coverage: of it.
        folder: for the records of the run.
        on_case: is told of each case, and how many are planned.
        selection: of cases.

    Raises:
        TargetError: the device does not come up or does not serve at all.
        GaveUp: the run did not come to its end.
    """

    def judged(case: CaseRecord, planned: int) -> None:
        coverage.begin()  # so that the symbols are known of each guest that there is
        on_case(case, planned)

    certify(target, selection, folder, captures=False, on_case=judged)
    return coverage.reached()
