"""Faults of the wire, over packets in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.suite.runner import collect_cases, judge
from conformance.suite.selection import Selection
from conformance.tester.case import Inconclusive
from conformance.tester.client import build
from conformance.tester.client.harness import Harness
from conformance.tester.wire import FrameAct, Packets, Wire
from conformance.verify import recovery
from reports.record import Verdict
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.roce.link.faults import FrameDirection
from rpcrdma.roce.network import RoceNetwork
from targets.base import Unsupported
from targets.profile import SHIPPED, load_profile
from targets.reference.server import ReferenceTarget
from targets.reference.server_parts import REFERENCE
from targets.registry import find_any_target
from tests.conformance.embedded import profile_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action

CUT = "rfc8166/4.5.5/responder-executes-nothing-whose-chunk-was-cut"

WIRED = {
    "rfc8166/2.3.2": ("reference", "reference-client"),
    "rfc8166/3.4.5": ("reference",),
    "rfc8166/4.5.4": ("reference",),
    "rfc8166/4.5.5": ("reference", "reference-client"),
}
"""Sections with cases about a wire, and who is judged by them."""


@pytest.fixture
def harness() -> Iterator[Harness]:
    harness = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml"), "switch"))
    yield harness
    harness.close()


@pytest.mark.parametrize("packets", Packets)
def test_every_kind_has_its_packets(packets: Packets) -> None:
    opcodes = tuple(packets.opcodes)

    assert opcodes
    assert (packets.direction is FrameDirection.RECEIVED) == packets.name.count("DEVICE")


def test_loopback_has_no_packets() -> None:
    harness = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml"), "loopback"))

    with pytest.raises(Unsupported, match="has no packets that could get lost"):
        Wire(harness.session.fabric)

    harness.close()


def test_what_is_hit_is_counted_from_then_on(harness: Harness) -> None:
    peer, wire = harness.ready_peer(), Wire(harness.session.fabric)
    wire.hit(Packets.SENDS, FrameAct.DUPLICATE, first=2)
    call = build.small_call(peer)
    peer.send(call)

    with pytest.raises(Inconclusive, match="no packet of the kind"):
        wire.require_struck()

    recovery.served(peer, call)
    wire.require_struck()


def test_two_kinds_may_be_hit(harness: Harness) -> None:
    fabric = RoceNetwork().fabric("tester")
    wire = Wire(fabric)

    wire.hit(Packets.SENDS, FrameAct.DROP, first=2)
    wire.hit(Packets.DEVICE_READ_REQUESTS, FrameAct.DROP, last=None)

    told = str(fabric.wire.faults).split(",")
    assert "sent.SEND_ONLY.2=drop" in told
    assert "received.READ_REQUEST.1-=drop" in told
    wire.heal()
    assert str(fabric.wire.faults) == ""


def test_a_strike_is_awaited(harness: Harness) -> None:
    peer, wire = harness.ready_peer(), Wire(harness.session.fabric)
    wire.hit(Packets.DEVICE_SENDS, FrameAct.DUPLICATE)
    peer.send(build.small_call(peer))

    wire.await_strike(lambda: peer.receive(0.001))

    wire.hit(Packets.DEVICE_SENDS, FrameAct.DUPLICATE)
    with pytest.raises(Inconclusive):
        wire.await_strike(lambda: None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("section", "name"), [(section, name) for section, names in WIRED.items() for name in names]
)
def test_the_reference_passes_over_packets(section: str, name: str) -> None:
    wanted = Selection(section=section.partition("/")[2], document="rfc8166")

    records = judge(find_any_target(name, "switch"), wanted)

    kept = {Verdict.PASS} if name == "reference-client" else {Verdict.PASS, Verdict.NA}
    assert {record.verdict for record in records} <= kept
    assert [record.id for record in records if record.verdict is Verdict.NA] in ([], [CUT])


def test_every_case_with_a_wire_is_among_these() -> None:
    sections = {
        "/".join(case.id.split("/")[:2])
        for case in collect_cases()
        if any(word in case.title for word in ("network", "on its way", "acknowledge"))
    }

    assert sections <= set(WIRED)


class _ExecutesCutCalls(Responder):
    """Executes what it is pulling when the connection ends, with zeros for what has not come."""

    def _disconnected(self, event: events.Disconnected, now: float) -> list[Action]:
        for call in self._pulling.values():
            self._take_pulled(call, bytes(sum(chunk.length for chunk in call.chunks)))
        return super()._disconnected(event, now)


@pytest.mark.parametrize(
    ("responder", "verdict"), [(Responder, Verdict.PASS), (_ExecutesCutCalls, Verdict.FAIL)]
)
def test_a_cut_call_that_is_executed_shows_in_what_is_stored(
    tmp_path: Path, responder: type[Responder], verdict: Verdict
) -> None:
    path = profile_of(tmp_path, "nfs3")
    parts = replace(REFERENCE, responder=responder)
    target = ReferenceTarget(load_profile(path), "switch", parts=parts)

    (record,) = judge(target, Selection(cases=(CUT,)))

    assert record.verdict is verdict
