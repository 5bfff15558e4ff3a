from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Inconclusive
from conformance.tester.server.acting import ActingClient
from conformance.tester.server.harness import ClientHarness
from fuzz.differential.answered import aimed_at, answered_by
from rpcrdma.fabric.clock import VirtualClock
from rpcrdma.wire import (
    ErrChunk,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)
from targets.base import ActResult, ActState, Target
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.fabric.base import Clock
    from rpcrdma.wire import Body


def octets_of(body: Body) -> bytes:
    return encode_header(TransportHeader(0x5EED, 1, 8, body))


ERROR = octets_of(RdmaError(ErrChunk()))
INLINE = octets_of(RdmaMsg((), (), None))
LONG = octets_of(RdmaNomsg((), (), WriteChunk((RdmaSegment(1, 2, 3),))))
DONE = octets_of(RdmaDone())
XID = bytes.fromhex("00c0ffee")


@pytest.fixture
def harness() -> Iterator[ClientHarness]:
    device = find_any_target("reference-client", "loopback")
    assert not isinstance(device, Target)
    harness = ClientHarness(device)
    harness.ready()
    yield harness
    harness.close()


@pytest.mark.parametrize(
    ("message", "aimed"),
    [
        (b"", b""),
        (INLINE[:3], XID[:3]),
        (INLINE[:24], XID + INLINE[4:24]),
        (INLINE, XID + INLINE[4:] + b"results!"),
        (INLINE + b"what else", XID + INLINE[4:] + b"results!"),
        (LONG + b"ends", XID + LONG[4:] + b"ends"),
        (ERROR, XID + ERROR[4:]),
    ],
)
def test_a_message_becomes_a_reply_to_the_call(message: bytes, aimed: bytes) -> None:
    assert aimed_at(0xC0FFEE, message, b"results!") == aimed


def test_each_call_is_answered_by_one_message(harness: ClientHarness) -> None:
    sent = list(answered_by(harness, [ERROR, INLINE, ERROR]))

    xids = [octets[:4] for octets in sent]
    assert len(set(xids)) == 3
    assert [octets[4:28] for octets in sent] == [one[4:28] for one in (ERROR, INLINE, ERROR)]
    header, end = decode_header(sent[1])
    assert header.rdma_xid == int.from_bytes(sent[1][end : end + 4])


def test_what_is_too_short_for_an_xid_leaves_the_call_to_the_next(harness: ClientHarness) -> None:
    short, after = answered_by(harness, [INLINE[:12], ERROR])

    assert short == after[:4] + INLINE[4:12]


def test_what_no_receive_of_the_client_holds_is_not_sent(harness: ClientHarness) -> None:
    fits, longer = ERROR + bytes(1024 - len(ERROR)), ERROR + bytes(1028 - len(ERROR))

    (sent,) = answered_by(harness, [longer, fits])

    assert sent[4:] == fits[4:]


def test_the_last_call_is_served_well_if_it_still_waits(harness: ClientHarness) -> None:
    list(answered_by(harness, [ERROR, INLINE[:12]]))

    (result,) = harness.client.results
    assert result is not None
    assert result.done


def test_a_client_that_does_nothing_about_a_message_is_told_of(harness: ClientHarness) -> None:
    with pytest.raises(Inconclusive, match="neither ends its call nor makes it again"):
        list(answered_by(harness, [DONE]))


class Ended:
    """An act that is over at once, without a call; each look at it takes a second."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def poll(self) -> ActResult:
        assert isinstance(self._clock, VirtualClock)
        self._clock.advance_to(self._clock.now() + 1.0)
        return ActResult(ActState.FAILED, "not mounted")


def test_a_client_that_makes_no_call_is_told_of(
    harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = harness.session.fabric.clock
    monkeypatch.setattr(ActingClient, "begin", lambda *_: Ended(clock))

    with pytest.raises(Inconclusive, match="no call any more: what it was told is failed"):
        list(answered_by(harness, [ERROR]))
