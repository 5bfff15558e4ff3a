"""The harness of groups: Sends of all sorts are taken, and planted bugs show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typing_extensions import override

from fuzz.engine import implementation
from fuzz.harnesses.groups import Groups, check
from fuzz.invariant import BrokenInvariant
from fuzz.planted import PLANTED
from fuzz.sequence import join
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    InTargetedSegments,
    MessageItem,
    encode_buffer_structure,
)
from rpcrdma.wire.operations import BY_CODE, XmtCont, XmtReq
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.placed_items import PlacementFault
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Assembler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.operations import KnownOption
    from rpcrdma.wire.placed_items import Span
    from rpcrdma.wire.transmission import Arrived

STRUCTURE = encode_buffer_structure(
    BufferStructure(
        4096,
        (
            BufferSegmentGroup(1, BufferSegment(256, 0, 0)),
            BufferSegmentGroup(3, BufferSegment(64, 8, 1)),
        ),
    )
)


def send(contents: KnownOption, payload: bytes = b"", xid: int = 7) -> bytes:
    body = encode_option(MessageType.CALL, contents)
    return v2.encode_header(v2.Rdma2Header(xid, 2, 1, body)) + payload


def request(*items: MessageItem, count: int = 1) -> XmtReq:
    return XmtReq(items, (), count, 0, 4)


def placed(octets: int, *numbers: int) -> MessageItem:
    return MessageItem(4, octets, InTargetedSegments(0, numbers))


def arriving(*sends: bytes) -> bytes:
    return join([STRUCTURE, *sends])


CONTINUED = send(XmtCont(1, 0, 4), b"abcd")
GROUP = arriving(send(request(count=2), b"head"), CONTINUED)


@pytest.mark.parametrize(
    "octets",
    [
        *(b"", GROUP, arriving(CONTINUED), arriving(b"", b"x" * 5000)),
        arriving(send(request(count=3), b"head"), send(XmtCont(1, 0, 4), b"abcd", xid=8)),
        arriving(send(request(placed(64, 0)), bytes(300))),
        arriving(send(request(placed(64, 9)), bytes(300))),
        join([b"no structure", b"payload", b"item" * 100, b"", b"more"]),
        join([STRUCTURE, b"payload" * 100, b"item" * 30, b"", b"more"]),
    ],
)
def test_sends_of_all_sorts_are_taken(octets: bytes) -> None:
    check(octets, Groups())


class _Loses(Assembler):
    @override
    def take(self, send: bytes) -> tuple[Arrived, ...]:
        return super().take(send)[:-1]


class LosesMessages(Groups):
    @override
    def assembler(self) -> Assembler:
        return _Loses(BY_CODE)


class LosesOctets(Groups):
    @override
    def spans(
        self,
        layout: BufferLayout,
        items: Sequence[MessageItem],
        sends: Sequence[int],
        ends: Sequence[int],
    ) -> tuple[tuple[Span, ...], ...]:
        spans = super().spans(layout, items, sends, ends)
        return tuple(tuple(span._replace(length=1) for span in of_item) for of_item in spans)


class BlamesAnother(Groups):
    @override
    def spans(
        self,
        layout: BufferLayout,
        items: Sequence[MessageItem],
        sends: Sequence[int],
        ends: Sequence[int],
    ) -> tuple[tuple[Span, ...], ...]:
        try:
            return super().spans(layout, items, sends, ends)
        except PlacementFault as fault:
            fault.send = len(sends)
            raise


@pytest.mark.parametrize(
    ("groups", "octets", "invariant"),
    [
        (LosesMessages(), GROUP, "sends-lost"),
        (LosesOctets(), arriving(send(request(placed(64, 0)), bytes(300))), "octets-missing"),
        (BlamesAnother(), arriving(send(request(placed(64, 9)), bytes(300))), "send-outside"),
        (LosesOctets(), arriving(b"payload", b"item" * 30), "not-found-again"),
    ],
)
def test_what_goes_wrong_is_found(groups: Groups, octets: bytes, invariant: str) -> None:
    with pytest.raises(BrokenInvariant, match=invariant):
        check(octets, groups)


@pytest.mark.parametrize(
    ("bug", "octets", "invariant"),
    [
        (
            "continuation-lost",
            arriving(send(request(count=3), b"head"), CONTINUED, b"\0" * 20),
            "sends-lost",
        ),
        (
            "octets-shared",
            arriving(send(request(placed(64, 0), placed(64, 0)), bytes(300))),
            "octets-twice",
        ),
    ],
)
def test_a_planted_bug_is_found(bug: str, octets: bytes, invariant: str) -> None:
    harness, name = PLANTED[bug]
    assert harness == "groups"

    with pytest.raises(BrokenInvariant, match=invariant):
        check(octets, implementation(name)())
