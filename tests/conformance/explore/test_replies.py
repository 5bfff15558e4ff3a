"""Replies that break one rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from conformance.explore.replies import BREACHES, KINDS, ReplyBreach, right, spoil
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, TransportHeader, WriteChunk, encode_header

if TYPE_CHECKING:
    from conformance.tester.server.reply import ReplyDraft

CALL = calls.fetch(7, 2000, 1)
REPLY = calls.expected_reply(CALL)
ROOM = WriteChunk((RdmaSegment(1, 1200, 64), RdmaSegment(2, 4000, 128)))


def good(writes: tuple[WriteChunk, ...] = (), reply: WriteChunk | None = None) -> ReplyDraft:
    header = encode_header(TransportHeader(7, 1, 8, RdmaMsg((), writes, reply)))
    return right(header + CALL, CALL, REPLY, TestProgram(), 5, 1024)


CHUNKED = good((ROOM,))
LONG = good((), ROOM)


def test_right_replies_are_chunked_or_long() -> None:
    assert isinstance(CHUNKED.header.rdma_body, RdmaMsg)
    assert isinstance(LONG.header.rdma_body, RdmaNomsg)
    assert b"".join(item.data for item in LONG.placements) == REPLY


def test_none_leaves_a_reply_as_it_is() -> None:
    assert spoil(CHUNKED, ReplyBreach()).octets == CHUNKED.octets


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "none"])
@pytest.mark.parametrize("draft", [CHUNKED, LONG], ids=["chunked", "long"])
def test_every_other_breach_changes_it(kind: str, draft: ReplyDraft) -> None:
    """Else it would test nothing under another name."""
    changed = [
        spoil(draft, ReplyBreach(kind, place, value)).octets
        for place in range(16)
        for value in (0, 1, 77, 2**32 - 1)
    ]

    if kind == "payload" and draft is LONG:  # it has none, unless the breach puts one there
        assert any(octets != draft.octets for octets in changed)
    else:
        assert sum(octets != draft.octets for octets in changed) >= len(changed) * 3 // 4


@given(BREACHES)
def test_any_breach_fits_any_reply(breach: ReplyBreach) -> None:
    for draft in (CHUNKED, LONG, good((ROOM, ROOM), ROOM)):
        assert isinstance(spoil(draft, breach).octets, bytes)
