"""Rules of a Reply, one broken at a time."""

from __future__ import annotations

import msgspec
import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.oracle.responder.reply_rules import broken_rules
from rpcrdma.ulp.rpc import RpcOutcome, RpcReply, encode_call, encode_reply
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
)

XID = 0x1234
FIRST, SECOND = RdmaSegment(7, 100, 4096), RdmaSegment(8, 50, 8192)
OFFERED = WriteChunk((FIRST, SECOND))
EMPTY = WriteChunk(())
PAYLOAD = encode_reply(RpcReply(XID, RpcOutcome.SUCCESS))


def returned(*lengths: int) -> WriteChunk:
    segments = (FIRST, SECOND)
    return WriteChunk(
        tuple(
            RdmaSegment(segment.handle, length, segment.offset)
            for segment, length in zip(segments, lengths, strict=False)
        )
    )


def call(*writes: WriteChunk, reply: WriteChunk | None = None) -> TransportHeader:
    return TransportHeader(XID, 1, 5, RdmaMsg((), writes, reply))


def answer(*writes: WriteChunk, reply: WriteChunk | None = None) -> TransportHeader:
    return TransportHeader(XID, 1, 5, RdmaMsg((), writes, reply))


def ids(asked: TransportHeader, given: TransportHeader, *, unused: str = "either") -> list[str]:
    rules = broken_rules(asked, given, PAYLOAD, unused=unused)
    assert all(rule.ids == (rule.origin,) for rule in rules)
    assert all(rule.origin in load_catalogue() for rule in rules)
    return [rule.origin.removeprefix("rfc8166.") for rule in rules]


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (call(), answer()),
        (call(OFFERED), answer(returned(100, 50))),
        (call(OFFERED), answer(returned(100, 3))),
        (call(OFFERED), answer(returned(99, 0))),
        (call(OFFERED), answer(returned(0, 0))),
        (call(EMPTY, OFFERED), answer(EMPTY, returned(1, 0))),
        (call(reply=OFFERED), answer()),
        (call(reply=OFFERED), answer(reply=returned(0, 0))),
    ],
)
def test_good_reply_breaks_nothing(asked: TransportHeader, given: TransportHeader) -> None:
    assert ids(asked, given) == []


@pytest.mark.parametrize(
    ("asked", "given", "broken"),
    [
        (call(OFFERED), answer(), "4.3.2.2.unconsumed-chunk-comes-back-unused"),
        (call(OFFERED), answer(returned(100)), "3.4.6.segment-count-returned"),
        (call(OFFERED), answer(WriteChunk((SECOND, FIRST))), "3.4.6.segments-returned"),
        (call(OFFERED), answer(returned(101, 0)), "8.1.4.no-more-data-than-room"),
        (call(OFFERED), answer(returned(99, 1)), "3.4.6.write-chunk-filled-in-order"),
        (call(EMPTY), answer(returned(0)), "4.3.2.3.empty-chunk-returned-empty"),
        (
            call(reply=OFFERED),
            answer(reply=returned(4, 0)),
            "4.3.3.reply-chunk-lengths-tell-what-was-written",
        ),
        (call(), answer(reply=returned(0, 0)), "3.4.3.memory-used-by-responder"),
    ],
)
def test_chunks_that_come_back_wrong(
    asked: TransportHeader, given: TransportHeader, broken: str
) -> None:
    assert broken in ids(asked, given)


def test_read_list_in_a_reply() -> None:
    body = RdmaMsg((ReadSegment(0, FIRST),), (), None)

    assert ids(call(), TransportHeader(XID, 1, 5, body)) == ["4.3.1.read-list-empty-in-replies"]


@pytest.mark.parametrize(
    ("given", "broken"),
    [
        (TransportHeader(XID, 2, 5, RdmaMsg((), (), None)), "4.2.2.version-is-one"),
        (TransportHeader(XID, 1, 0, RdmaMsg((), (), None)), "3.3.1.grant-is-never-zero"),
    ],
)
def test_fixed_words(given: TransportHeader, broken: str) -> None:
    assert ids(call(), given) == [broken]


def test_reply_under_another_xid_is_wrong_in_header_and_payload() -> None:
    given = TransportHeader(XID + 1, 1, 5, RdmaMsg((), (), None))

    assert ids(call(), given) == [
        "2.2.2.reply-xid-is-the-calls",
        "4.2.1.xid-equals-payload-xid",
    ]


@pytest.mark.parametrize(
    ("chunk", "broken"),
    [
        (None, "4.2.4.nomsg-has-a-list"),
        (returned(0, 0), "4.2.4.nomsg-lists-hold-the-payload"),
    ],
)
def test_long_reply_needs_a_reply_chunk_with_data(chunk: WriteChunk | None, broken: str) -> None:
    given = TransportHeader(XID, 1, 5, RdmaNomsg((), (), chunk))

    assert ids(call(reply=OFFERED), given) == [broken]


def test_long_reply_in_the_offered_chunk_is_good() -> None:
    given = TransportHeader(XID, 1, 5, RdmaNomsg((), (), returned(28, 0)))

    assert ids(call(reply=OFFERED), given) == []


@pytest.mark.parametrize(
    ("unused", "given", "broken"),
    [
        ("present", answer(), ["4.3.3.reply-chunk-returned"]),
        ("present", answer(reply=returned(0, 0)), []),
        ("absent", answer(), []),
        ("absent", answer(reply=returned(0, 0)), ["4.3.3.reply-chunk-returned"]),
    ],
)
def test_profile_chooses_how_an_unused_reply_chunk_comes_back(
    unused: str, given: TransportHeader, broken: list[str]
) -> None:
    assert ids(call(reply=OFFERED), given, unused=unused) == broken


@pytest.mark.parametrize(
    ("payload", "broken"),
    [
        (PAYLOAD[:10], "rfc8166.4.rpc-layout-is-unchanged"),
        (encode_call(XID, 1, 1, 0), "rfc8166.2.2.2.reply-msg-type"),
    ],
)
def test_payload_that_is_no_reply(payload: bytes, broken: str) -> None:
    assert [rule.origin for rule in broken_rules(call(), answer(), payload)] == [broken]


def test_payload_that_nobody_has_is_not_judged() -> None:
    assert broken_rules(call(), answer(), None) == ()


def test_a_reply_to_a_call_of_version_two_breaks_the_statements_of_that_document() -> None:
    asked, given = call(), answer()
    two = msgspec.structs.replace(asked, rdma_vers=2)

    (rule,) = broken_rules(two, msgspec.structs.replace(given, rdma_vers=2, rdma_credit=0), None)

    assert rule.ids == ("v2.5.answer-reports-the-credit-limit",)
    assert rule.origin == "rfc8166.3.3.1.grant-is-never-zero"
    assert rule.readings == ("D-61",)
