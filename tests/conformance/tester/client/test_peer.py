"""The tester's end of a connection: it never raises for what a device does, and never waits on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.device import Device
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    InvalidOption,
    OptionReceived,
    Silent,
    Undecodable,
)
from conformance.tester.client import build, mutate
from conformance.tester.client.harness import Harness
from rpcrdma.wire.operations import ConnProp, ReqProp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.properties import ADOPTED, PROP_RBSIZ, XPROP_RBSTRUCT, PropertyNumbers

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

    from conformance.tester.client.peer import Peer


def test_an_answer_tells_the_grant(peer: Peer) -> None:
    assert peer.granted == 1
    peer.send(build.null_call(peer))

    answer = peer.receive()

    assert isinstance(answer, Answered)
    assert peer.granted == answer.credits > 1


def test_silence_ends_at_the_profile_s_deadline(peer: Peer, harness: Harness) -> None:
    before = harness.session.fabric.clock.now()

    assert peer.receive() == Silent(5.0)
    assert 5.0 <= harness.session.fabric.clock.now() - before < 5.1


def test_a_lost_connection_is_an_outcome_and_sending_on_it_no_error(peer: Peer) -> None:
    peer.disconnect()
    peer.send(build.null_call(peer))
    peer.post_receives(1)

    assert peer.receive() == Disconnected("by the tester")


def test_garbage_is_an_outcome(mini: ModuleType) -> None:
    harness = Harness(mini.MiniatureTarget(mini.babbling))
    peer = harness.connect()
    peer.send(b"anything")

    assert isinstance(peer.receive(), Undecodable)
    harness.close()


def test_what_is_put_aside_comes_before_what_is_new(peer: Peer) -> None:
    first = Silent(1.0)
    peer.put_aside(first)
    peer.send(build.null_call(peer))

    assert peer.waiting()[0] is first
    assert isinstance(peer.receive_new(), Answered)
    assert peer.receive() is first


def test_mutations_are_noted_with_the_octets_that_they_made(peer: Peer) -> None:
    call = mutate.version(build.null_call(peer), 2)
    peer.send(call)

    assert "rdma_vers (octet 4)" in peer.case.mutations[call.octets]


def test_what_the_device_begins_is_no_answer(peer: Peer) -> None:
    peer.version = 2
    peer.send(build.null_call(peer))

    begun = peer.next_option()

    assert begun is not None
    assert isinstance(begun.option, ConnProp)
    assert isinstance(peer.receive(), Answered)
    assert peer.next_option(0.1) is None
    assert peer.options == [begun]


def test_values_are_read_by_the_codes_of_the_device(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-91: the same octets are no value of another property."""
    structure = ADOPTED.by_code[XPROP_RBSTRUCT]
    monkeypatch.setattr(Device, "properties", PropertyNumbers({PROP_RBSIZ: structure}))
    peer.version = 2
    peer.send(build.null_call(peer))

    begun = peer.next_option()

    assert begun is not None
    assert begun.error is not None
    assert begun.error.path.endswith("pv_data.buffer.xmrbuf_groups")


def test_what_the_device_answers_is_received(peer: Peer) -> None:
    peer.version = 2
    peer.send(build.null_call(peer))
    assert isinstance(peer.receive(), Answered)

    known = build.option(peer, ReqProp(()))
    unknown = build.option(peer, UnknownOption(77, b""))
    peer.send(known)
    peer.send(unknown)

    answer, refusal = peer.receive(), peer.receive()
    assert isinstance(answer, OptionReceived)
    assert isinstance(refusal, InvalidOption)
    assert (answer.xid, refusal.xid) == (known.xid, unknown.xid)
    assert answer in peer.options


def test_nothing_is_begun_on_a_lost_connection(peer: Peer) -> None:
    peer.disconnect()

    assert peer.next_option() is None
