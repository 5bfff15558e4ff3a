"""What tests of the lab share: several runs in one machine, and what is published of Linux 6.1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.suite.guest import GuestOrder
from conformance.suite.in_lab import collect_all, lab_run
from conformance.suite.runner import known_ids
from reports.baseline import check_baseline, kernel_of, load_baseline
from reports.record import RunRecord
from targets.registry import find_profile

if TYPE_CHECKING:
    from conformance.suite.selection import Selection

LINUX_6_1 = Path(__file__).parents[2] / "results" / "linux-6.1"

Disagreements = Callable[[RunRecord, str], dict[str, str]]


@pytest.fixture(scope="session")
def disagreements() -> Disagreements:
    """Where a run differs from a baseline of Linux 6.1; nowhere, if it is of another kernel."""

    def differ(record: RunRecord, name: str) -> dict[str, str]:
        if not kernel_of(record).startswith("6.1."):
            return {}
        path = LINUX_6_1 / name
        check = check_baseline(record, load_baseline(path), path, known_ids())
        return {problem.case: problem.sentence for problem in check.problems}

    return differ


@pytest.fixture(scope="module")
def runs(orders: Mapping[str, GuestOrder]) -> Mapping[str, RunRecord]:
    """What a module's `orders` brought, in one machine, one after the other.

    Each boot takes half a minute.
    """
    folders = [Path(order.folder) for order in orders.values()]
    profile = find_profile(next(iter(orders.values())).target)
    found = collect_all(lab_run(tuple(orders.values()), profile), folders)
    assert [problem for _, problem in found if problem] == []
    return {name: record for name, (record, _) in zip(orders, found, strict=True)}


@pytest.fixture(scope="session")
def order(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., GuestOrder]:
    """An order whose records and traces go into a folder of its own."""

    def make(target: str, selection: Selection, fabric: str = "", workers: int = 1) -> GuestOrder:
        folder = tmp_path_factory.mktemp(target)
        return GuestOrder(target, fabric, str(folder), selection, workers=workers)

    return make
