"""What the guest runs: an order is judged, and each line of output is for the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.suite.guest import GuestOrder, main
from conformance.suite.runner import RECORDS
from conformance.suite.selection import Selection
from reports.stream import read_run
from reports.summary import exit_status

if TYPE_CHECKING:
    from pathlib import Path

SOME = Selection(section="3.3.1", role="responder")
FAILING = "rfc8166/3.3.1/responder-never-grants-zero-credits[0]"


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_an_order_is_judged_and_told_without_captures(
    tmp_path: Path, workers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    order = GuestOrder("reference", "", str(tmp_path), SOME, "ref --kernel x", workers)

    assert main([msgspec.json.encode(order).decode()]) == 0

    record = read_run(tmp_path / RECORDS)
    count = len(record.header.planned)
    told = sorted(capsys.readouterr().out.splitlines())
    assert told == sorted(f"begin {count} {case.id}" for case in record.cases)
    assert record.cases[0].rerun.startswith("rpcrdma certify ref --kernel x --case ")
    assert not list((tmp_path / "evidence").glob("*.pcapng"))


@pytest.mark.parametrize(("is_listed", "judged"), [(False, 1), (True, 3)])
def test_an_order_stops_at_a_failure_that_is_not_listed_and_hands_on_the_head(
    tmp_path: Path, is_listed: bool, judged: int
) -> None:
    """The mutant fails each of the three."""
    others = tuple(FAILING.replace("[0]", f"[{number}]") for number in (1, 4294967295))
    order = GuestOrder(
        "mutant:grants-zero",
        "",
        str(tmp_path),
        Selection(cases=(FAILING, *others)),
        facts=(("suite", "7.8.9"),),
        stop_at=True,
        listed=(FAILING, *others) if is_listed else (),
    )

    assert main([msgspec.json.encode(order).decode()]) == 0

    record = read_run(tmp_path / RECORDS)
    assert len(record.cases) == judged
    assert exit_status(record) == 1
    assert dict(record.header.facts)["suite"] == "7.8.9"


@pytest.mark.long
def test_each_order_is_judged_into_its_own_folder_and_the_worst_status_stays(
    tmp_path: Path,
) -> None:
    orders = [
        GuestOrder("reference", "", str(tmp_path / "server"), SOME),
        GuestOrder("no-such", "", str(tmp_path / "none"), SOME),
        GuestOrder("reference-client", "", str(tmp_path / "client"), Selection(section="6.2")),
    ]

    assert main([msgspec.json.encode(order).decode() for order in orders]) == 2

    targets = [read_run(tmp_path / one / RECORDS).header.target for one in ("server", "client")]
    assert targets == ["reference", "reference-client"]
    assert not (tmp_path / "none").exists()


def test_what_cannot_be_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = GuestOrder("no-such", "", str(tmp_path), SOME)

    assert main([msgspec.json.encode(order).decode()]) == 2

    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("stop no target `no-such`")
