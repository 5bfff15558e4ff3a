from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz.fuzzed_device import FuzzedDevice
from fuzz.harnesses.roce_device import HARNESS, check, require_bounded
from fuzz.invariant import BrokenInvariant
from fuzz.planted_roce import (
    forgets_rights,
    hears_anybody,
    keeps_duplicates,
)
from fuzz.played_hosts import GUID, PORT, STRANGER
from fuzz.registry import corpus_of
from fuzz.roce_steps import RoceAct, RoceStep, StepFlag, join_steps, split_steps
from rpcrdma.fabric.memory import ProtectionDomain, Region
from rpcrdma.roce.cm import ConnectionManager
from rpcrdma.roce.device import RoceDevice
from rpcrdma.roce.packet.bth import BthOpcode
from rpcrdma.roce.parts import USUAL, RoceParts
from rpcrdma.roce.transport.requester import TransportRequester

if TYPE_CHECKING:
    from rpcrdma.roce.cm import CmHandshake
    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.transport.work import TransportWork

READABLE, WRITABLE, SECRET, ENDED, OTHERS, NOBODYS = range(6)
REQ, REP, RTU, REJ, MRA, DREQ = range(6)


def packet(code: BthOpcode, **fields: int) -> RoceStep:
    return RoceStep(act=RoceAct.PACKET, code=code, **fields)


def message(code: int, **fields: int) -> RoceStep:
    return RoceStep(act=RoceAct.MESSAGE, code=code, **fields)


WAIT = RoceStep(act=RoceAct.WAIT, code=16)
ACCEPT = RoceStep(act=RoceAct.ACCEPT, flags=StepFlag.ACK_REQUEST)
SEND = packet(BthOpcode.SEND_ONLY, size=4)
FROM_STRANGER = packet(BthOpcode.SEND_ONLY, size=4, source=1)


def write(where: int) -> RoceStep:
    return packet(BthOpcode.WRITE_ONLY, where=where, length=4, size=4)


def read(where: int) -> RoceStep:
    return packet(BthOpcode.READ_REQUEST, where=where, length=4)


def run(*steps: RoceStep, parts: RoceParts = USUAL) -> None:
    check(join_steps(list(steps)), parts)


def test_the_corpus_keeps_the_invariant() -> None:
    for path in corpus_of("roce-device").iterdir():
        check(path.read_bytes(), USUAL)


def test_a_seed_has_its_message_delivered_to_the_device() -> None:
    (seed,) = HARNESS.seeds([b"message"])
    device = FuzzedDevice(USUAL)
    for step in split_steps(seed):
        device.carry_out(step)

    done = device.played[0].connection.poll(0)
    assert [one.data for one in done if one.data] == [b"message"]
    assert HARNESS.messages(seed) == [b"message"]


def test_steps_reach_what_they_are_for() -> None:
    """A good peer's Write lands, its Read is answered, its request becomes a connection."""
    device = FuzzedDevice(USUAL)
    for step in (write(WRITABLE), read(READABLE), SEND, message(REQ, where=1, length=0x300)):
        device.carry_out(step)
    assert device.played[0].memory[WRITABLE].read(0, 5) == b"\0\0\0\0\xc5"
    assert device.played[0].connection.connected
    before = len(device.fabric.device._bound)
    device.carry_out(ACCEPT)

    assert len(device.fabric.device._bound) == before + 1
    device.carry_out(message(DREQ))
    assert not device.played[0].connection.connected


def test_nobody_reaches_memory_that_is_not_for_it() -> None:
    for where in (SECRET, ENDED, OTHERS, NOBODYS, READABLE):
        run(write(where), WAIT)
    for where in (SECRET, ENDED, OTHERS, NOBODYS, WRITABLE):
        run(read(where), WAIT)


def test_peers_that_ask_and_give_up_leave_nothing() -> None:
    """Each takes its request back, while nobody accepts: the listener's queue once grew so."""
    asked = {"where": 1, "repeat": 127, "flags": int(StepFlag.NEW_IDS)}
    given_up = message(REJ, length=0x300, size=4, **asked)
    run(message(REQ, length=0x300, **asked), given_up, message(REQ, length=0x400, **asked))


def test_a_source_that_is_not_checked_is_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        run(FROM_STRANGER, parts=hears_anybody())
    assert caught.value.invariant == "stranger-heard"


def test_duplicates_that_are_kept_are_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        run(packet(BthOpcode.SEND_ONLY, size=4, repeat=200), parts=keeps_duplicates())
    assert caught.value.invariant == "table-unbounded"


def test_rights_that_are_forgotten_are_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        run(read(SECRET), parts=forgets_rights())
    assert caught.value.invariant == "memory-leaves"


class BelievesResponses(TransportRequester):
    """Takes as much of a response as comes."""

    def _fits(self, work: TransportWork, packet: Packet, psn: int) -> bool:
        return True


def test_responses_that_are_believed_are_found() -> None:
    """Their octets have no room in the memory that the Read was to fill."""
    first = RoceStep(act=RoceAct.PACKET, code=BthOpcode.ACKNOWLEDGE, offset=31)
    long = packet(BthOpcode.READ_RESPONSE_FIRST, delta=2, offset=31, size=700)
    rest = packet(BthOpcode.READ_RESPONSE_LAST, delta=3, offset=31, size=44)
    with pytest.raises(ValueError, match="of a region of"):
        run(first, long, rest, parts=RoceParts(requester=BelievesResponses))


@pytest.mark.parametrize(
    ("steps", "patched", "name", "invariant"),
    [
        ((read(SECRET),), ProtectionDomain, "check_remote", "memory-leaves"),
        ((write(SECRET),), ProtectionDomain, "check_remote", "memory-changed"),
        ((FROM_STRANGER, WAIT), RoceDevice, "_due", "time-unbounded"),
        (
            (message(DREQ, flags=StepFlag.SECOND),),
            ConnectionManager,
            "_addressee",
            "other-connection",
        ),
        ((message(DREQ, source=1),), ConnectionManager, "_addressee", "stranger-heard"),
    ],
)
def test_each_broken_device_is_found(
    steps: tuple[RoceStep, ...],
    patched: type,
    name: str,
    invariant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def anything(domain: ProtectionDomain, handle: int, *_: object) -> Region | None:
        return domain._regions.get(handle)

    def anybody(manager: ConnectionManager, _: str, said: object) -> CmHandshake | None:
        return manager._registry.by_id(getattr(said, "remote_id", 0))

    due = RoceDevice._due

    def soon(device: RoceDevice) -> float | None:
        return device.link.clock.now() + 1e-9 if device.dropped else due(device)

    broken = {"check_remote": anything, "_addressee": anybody, "_due": soon}
    monkeypatch.setattr(patched, name, broken[name])
    with pytest.raises(BrokenInvariant) as caught:
        run(*steps)
    assert caught.value.invariant == invariant


def test_a_device_that_serves_nobody_any_more_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FuzzedDevice, "serve", lambda _: [])

    with pytest.raises(Exception, match="no answer from"):
        run()


def test_a_table_without_a_limit_of_its_own_has_the_ordinary_one() -> None:
    device = FuzzedDevice(USUAL)
    device.fabric.device.dropped.update(str(number) for number in range(81))

    with pytest.raises(BrokenInvariant, match="81 entries, limit 80"):
        require_bounded(device)


def test_the_stranger_imitates_the_peer() -> None:
    """It uses the peer's GUID and ids, and lacks the address alone."""
    device = FuzzedDevice(USUAL)
    device.carry_out(message(REQ, source=1, where=1, length=0x100))

    (known,) = device.fabric.device.manager._registry.half_open()
    assert (known.remote, known.peer_guid, known.peer_id) == (STRANGER, GUID, 0x100)
    assert known.port == PORT
