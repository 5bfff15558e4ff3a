"""What is shown is the same with other XIDs and handles, and differs with anything else."""

from __future__ import annotations

import msgspec
import pytest

from conformance.proof.detect.shown import DIGEST, MARK, Shown, digests, shown, shown_acts
from rpcrdma.fabric.trace import EventKind, Side, TraceEvent
from targets.base import ActResult, ActState


def event(kind: EventKind = EventKind.SEND, data: bytes = b"", **more: object) -> TraceEvent:
    made = TraceEvent(1.0, 3, Side.PEER, kind, data, length=len(data))
    return msgspec.structs.replace(made, **more)


def a_call(xid: int, handle: int, address: int, inside: int | None = None) -> bytes:
    """A header with one segment, and an RPC message under the same XID."""
    words = (xid, 1, 32, 0, 1, 0, handle, 100)
    segment = b"".join(word.to_bytes(4) for word in words) + address.to_bytes(8)
    return segment + bytes(12) + (xid if inside is None else inside).to_bytes(4)


def told(xid: int, handle: int, address: int) -> tuple[Shown, ...]:
    """A call, and what reads from its chunk."""
    events = [
        event(data=a_call(xid, handle, address + 8)),
        event(EventKind.RDMA_READ, b"argument", handle=handle, offset=address + 8),
    ]
    return tuple(shown(events, {handle: (address, 200)}))


def test_xids_handles_and_addresses_say_nothing() -> None:
    first = told(0x0C110001, 0x12345678, 0x7F0000001000)

    assert first == told(0x80001201, 0x9ABCDEF0, 0x7F0000770040)
    call, read = first
    assert call.data == a_call(MARK + 1, MARK + 2, 8)
    assert (read.handle, read.offset, read.data) == (MARK + 2, 8, b"argument")


@pytest.mark.parametrize(
    "changed",
    [
        event(data=a_call(0x0C110001, 0x12345678, 0x7F0000001008, inside=0x0C110002)),
        event(data=a_call(0x0C110001, 0x12345678, 0x7F0000001010)),
        event(data=a_call(0x0C110001, 0x12345679, 0x7F0000001008)),
        event(data=a_call(0x0C110001, 0x12345678, 0x7F0000001008) + bytes(4)),
        event(data=a_call(0x0C110001, 0x12345678, 0x7F0000001008), side=Side.LOCAL),
        event(data=a_call(0x0C110001, 0x12345678, 0x7F0000001008), handle=7),
    ],
)
def test_everything_else_does(changed: TraceEvent) -> None:
    regions = {0x12345678: (0x7F0000001000, 200)}
    good = event(data=a_call(0x0C110001, 0x12345678, 0x7F0000001008))

    assert digests(shown([changed], regions)) != digests(shown([good], regions))


def test_an_address_outside_the_memory_stays() -> None:
    regions = {0x12345678: (0x7F0000001000, 200)}

    (found,) = shown([event(data=a_call(0x0C110001, 0x12345678, 0x7F0000001100))], regions)

    assert found.data == a_call(MARK + 1, MARK + 2, 0x7F0000001100)


def test_a_small_first_word_is_no_xid() -> None:
    data = a_call(32, 0x12345678, 0)

    assert next(shown([event(data=data)], {})).data == data


def test_less_than_an_xid_is_known_by_its_length() -> None:
    assert [one.data for one in shown([event(data=b"\x0c\x11\x03")], {})] == [bytes(3)]


def test_what_no_peer_sees_is_left_out_and_connections_are_numbered() -> None:
    events = [
        event(EventKind.REGISTER, handle=5),
        event(EventKind.POST_RECEIVE),
        event(EventKind.CONNECT, b"private", detail="server:49153"),
        event(EventKind.DISCONNECT, connection=9),
        event(EventKind.REJECT, connection=0),
    ]

    found = tuple(shown(events, {}))

    assert [(one.connection, one.kind, one.detail) for one in found] == [
        (1, "connect", ""),
        (2, "disconnect", ""),
        (0, "reject", ""),
    ]


def test_the_application_was_given_data_or_a_failure() -> None:
    failed = ActResult(ActState.FAILED, "the call was refused: in words of its own")

    found = tuple(shown_acts([ActResult(ActState.DONE, data=b"octets"), failed, None]))

    assert [(one.data, one.detail) for one in found] == [
        (b"octets", "done"),
        (b"", "failed (the call was refused"),
        (b"", "has not ended"),
    ]


def test_each_event_has_its_digest() -> None:
    events = [Shown(1, "peer", "Send", b"a"), Shown(1, "peer", "Send", b"b")]

    assert len(digests(events)) == 2 * DIGEST
    assert digests(events)[:DIGEST] == digests(events[:1])
