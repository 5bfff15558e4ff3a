"""Loss that a run is exposed to changes no verdict: over packets, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.suite.parallel import certify_parallel
from conformance.suite.runner import certify, judge
from conformance.suite.selection import Selection
from conformance.tester.client.harness import Harness
from conformance.tester.weather import Weather
from conformance.tester.wire import FrameAct, Packets, Wire
from rpcrdma.errors import FabricError
from rpcrdma.roce.link.faults import FrameFaults
from targets.base import TargetError
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reports.record import CaseRecord
    from rpcrdma.roce.fabric import RoceFabric

LOSS = "seed=7,loss=0.01"

PARTS = {
    "reference": (("rfc8166", "2.3.2"), ("rfc8166", "4.5.3"), ("xcharext", "3.1")),
    "reference-client": (("rfc8166", "4.5"), ("v2", "3.1"), ("v2", "4.2.2")),
}
"""Device -> sections with chunks, silence, lost connections, and wires."""


@pytest.fixture
def harness() -> Iterator[Harness]:
    harness = Harness(find_any_target("reference", "switch"))
    yield harness
    harness.close()


@pytest.fixture
def fabric(harness: Harness) -> RoceFabric:
    """The tester's."""
    return harness.session.fabric


def verdicts(records: tuple[CaseRecord, ...]) -> list[tuple[str, str, str]]:
    """Of each case, with the reason."""
    return [(record.id, record.verdict.value, record.reason) for record in records]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "document", "section"),
    [(name, *part) for name, wanted in PARTS.items() for part in wanted],
)
def test_loss_changes_no_verdict(name: str, document: str, section: str, tmp_path: Path) -> None:
    """Five of a hundred packets each way, for the hundreds of a section to meet it."""
    wanted = Selection(section=section, document=document)

    calm = judge(find_any_target(name, "switch"), wanted)
    rough = certify(
        find_any_target(name, "switch"),
        wanted,
        tmp_path,
        weather=Weather("seed=7,loss=0.05"),
        captures=False,
    )

    assert verdicts(rough.cases) == verdicts(calm)


@pytest.mark.long
def test_what_a_run_is_exposed_to_is_in_its_record(tmp_path: Path) -> None:
    wanted = Selection(section="3.3.1", document="rfc8166")
    target = find_any_target("reference", "switch")

    record = certify(target, wanted, tmp_path, weather=Weather(LOSS), captures=False)

    assert ("faults", LOSS) in record.header.facts
    assert record.header.fabric == f"roce switch with faults {LOSS}"


@pytest.mark.long
def test_each_process_is_exposed(tmp_path: Path) -> None:
    """None of them meets another weather: a case has its schedule wherever it is judged."""
    wanted = Selection(section="3.3.1", document="rfc8166")
    target = find_any_target("reference", "switch")

    record = certify_parallel(
        target, wanted, tmp_path, workers=2, weather=Weather(LOSS), captures=False
    )

    assert ("faults", LOSS) in record.header.facts
    assert {case.verdict.value for case in record.cases} == {"PASS"}


def test_a_case_has_its_own_schedule_again_and_again(fabric: RoceFabric) -> None:
    weather = Weather(LOSS)
    told = []
    for case in ("", "a", "b", "a"):
        weather.begin(fabric, case)
        told.append(fabric.wire.faults)

    assert told[0] == FrameFaults.parse(LOSS)
    assert told[1] == told[3] != told[2]
    assert {each.sent.loss for each in told} == {0.01}


def test_a_case_with_a_wire_has_no_weather(harness: Harness, fabric: RoceFabric) -> None:
    """What was lost before has been sent again before the case counts."""
    peer = harness.ready_peer()
    Weather("sent.ANY.1=drop").begin(fabric)
    peer.send(b"lost at first")
    assert fabric.wire.owed

    wire = Wire(fabric)
    assert not fabric.wire.owed
    assert str(fabric.wire.faults) == ""
    wire.hit(Packets.SENDS, FrameAct.DROP)
    peer.send(b"lost as well")

    assert not fabric.wire.owed


@pytest.mark.parametrize("name", ["reference", "reference-client"])
def test_a_fabric_without_packets_is_refused(name: str, tmp_path: Path) -> None:
    target = find_any_target(name, "loopback")

    with pytest.raises(TargetError, match=r"there are none over loopback; use --fabric roce"):
        certify(target, Selection(), tmp_path, weather=Weather(LOSS))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("loss=often", "in 'loss=often', 'often' is no number"),
        ("", "no fault is named"),
        ("seed=7,seconds=2,loss=0", "no fault is named"),
    ],
)
def test_a_text_that_says_nothing_is_refused(text: str, problem: str) -> None:
    with pytest.raises((FabricError, TargetError), match=problem):
        Weather(text)
