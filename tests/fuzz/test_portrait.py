from __future__ import annotations

from collections import OrderedDict, deque

from fuzz.fuzzed_device import FuzzedDevice
from fuzz.played_hosts import PEER
from fuzz.portrait import differences, portrait, tables
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.roce.cm.registry import CmRegistry
from rpcrdma.roce.packet.bth import Packet, Reth
from rpcrdma.roce.parts import USUAL
from rpcrdma.roce.transport.read_responses import ReadResponses


def test_two_looks_at_the_same_are_equal() -> None:
    device = FuzzedDevice(USUAL)

    assert differences(portrait(device.fabric), portrait(device.fabric)) == []
    assert PEER in portrait(device.fabric).values()


def test_any_change_is_seen_with_its_place() -> None:
    """In slots, structs and memory alike."""
    responses = ReadResponses(4, 256)
    before = portrait(responses)
    responses.add(7, Reth(1, 2, 3), b"old", 1)

    changed = differences(before, portrait(responses))

    assert "/ReadResponses._new: 0 became 1" in changed
    assert "/ReadResponses._waiting[0][1]: 'nothing' became b'old'" in changed
    assert "/ReadResponses._answered[0][1]/Reth.handle: 'nothing' became 2" in changed


def test_what_is_skipped_is_not_looked_into() -> None:
    pair = (HandleAllocator(1), Packet(4, 5, 6))

    assert not any("HandleAllocator." in where for where in portrait(pair, (HandleAllocator,)))
    assert any("Packet.psn" in where for where in portrait(pair, (HandleAllocator,)))


def test_tables_are_found_wherever_they_are() -> None:
    registry = CmRegistry()

    assert dict(tables([registry]))["CmRegistry._half_open"] == 0
    assert ("[0]", 2) in list(tables([deque([1, 2]), OrderedDict()]))


def test_a_circle_ends() -> None:
    ring: list[object] = [1]
    ring.append(ring)

    assert portrait(ring) == {"[0]": 1}
