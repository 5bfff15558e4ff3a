"""What is replayed is judged by the loops that found it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.bad_input import BadInput
from conformance.explore.finding import Finding
from conformance.explore.named_memory import WRITABLE
from conformance.explore.recipes import Breach, Shot, Step
from conformance.explore.replay import open_exchange, replay
from conformance.tester.client.harness import Harness
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header
from targets.profile import Binding
from targets.registry import find_target
from tests.conformance import miniatures as mini

if TYPE_CHECKING:
    from conformance.explore.firing import Fired

OCTETS = Finding("v1-responder")
PLACE = RdmaSegment(WRITABLE.handle, 100, WRITABLE.offset + 4)


def call(xid: int, writes: tuple[WriteChunk, ...] = (), procedure: int = 0) -> bytes:
    payload = calls.fetch(xid, 100) if writes else calls.null(xid)
    header = encode_header(TransportHeader(xid, 1, 8, RdmaMsg((), writes, None)))
    return header[:12] + procedure.to_bytes(4) + header[16:] + payload


def replayed(
    target: str, *messages: bytes, finding: Finding = OCTETS
) -> tuple[list[Fired], tuple[str, ...]]:
    harness = Harness(find_target(target))
    fired: list[Fired] = []
    try:
        return fired, replay(harness, finding, messages, fired.append)
    finally:
        harness.close()


def test_handles_are_translated_to_memory_of_the_connection() -> None:
    message = call(1, (WriteChunk((PLACE,)),))
    fired, problems = replayed("reference", message)

    assert [item.verdict for item in fired] == [Verdict.PASS]
    assert fired[0].octets != message
    assert problems == ()


def test_each_message_is_judged_by_the_oracle_and_matched_by_its_xid() -> None:
    fired, problems = replayed(
        "reference", call(2, procedure=0x47), b"\0", call(3, procedure=3), call(4)
    )

    assert problems == ()
    starts = ("ERR_CHUNK xid 0x00000002", "nothing", "nothing", "RDMA_MSG xid 0x00000004")
    for item, start in zip(fired, starts, strict=True):
        assert item.outcomes[0].startswith(start)


def test_device_that_answers_wrongly_is_told_so() -> None:
    _, problems = replayed("mutant:grants-zero", call(1))

    assert "rdma_credit is 0" in problems


@pytest.mark.parametrize("version", [1, 2])
def test_shots_and_their_octets_get_the_same_verdict(version: int) -> None:
    """What explore found as a shot is found as octets, too, and by the same words."""
    shot = Shot(breach=Breach("fixed-word", 2, 6), version=version)
    one, found = replayed(
        "mutant:drops-bad-headers-in-two", finding=Finding("calls", shots=(shot,))
    )
    other, again = replayed("mutant:drops-bad-headers-in-two", one[0].octets)

    assert (found, one[0].verdict, one[0].allowed) == (again, other[0].verdict, other[0].allowed)


def test_steps_are_refused_to_a_target_of_another_program() -> None:
    harness = Harness(find_target("reference"))
    harness.profile = msgspec.structs.replace(harness.profile, binding=Binding.NFS4)
    try:
        with pytest.raises(BadInput, match="speak the test program"):
            replay(harness, Finding("exchanges", steps=(Step("wait"),)))
    finally:
        harness.close()


def test_exchange_begins_with_a_target_that_lives() -> None:
    """The one before has killed it, and what came of that is the other's finding."""
    target = mini.MiniatureTarget(mini.good, dies_after=2)
    harness = Harness(target)
    harness.begin()
    open_exchange(harness).abandon()
    peer = harness.ready_peer()
    peer.send(b"the last thing that it hears")
    peer.receive()
    assert target.session.alive()

    open_exchange(harness).abandon()

    assert target.session.restarts == 1
    assert target.session.alive() is None
    harness.close()
