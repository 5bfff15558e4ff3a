from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz.differential.by_client import BothSayOfReply, compare_replies, compare_with_client
from fuzz.differential.client_trace import ClientDecoding, ClientSays
from rpcrdma.wire import (
    ErrChunk,
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
)

if TYPE_CHECKING:
    from rpcrdma.wire import Body


def octets_of(body: Body) -> bytes:
    return encode_header(TransportHeader(0x5EED, 1, 8, body))


def says(kind: ClientSays, *segments: RdmaSegment, length: int | None = None) -> ClientDecoding:
    return ClientDecoding(kind, list(segments), length)


def taken(*segments: RdmaSegment, length: int | None) -> ClientDecoding:
    return says(ClientSays.TAKEN, *segments, length=length)


def refused(*segments: RdmaSegment) -> ClientDecoding:
    return says(ClientSays.REFUSED, *segments)


def of(*lengths: int) -> WriteChunk:
    return WriteChunk(tuple(RdmaSegment(7, length, 64) for length in lengths))


def inline(*writes: WriteChunk, reply: WriteChunk | None = None) -> bytes:
    return octets_of(RdmaMsg((), writes, reply)) + b"results!"


def long(*writes: WriteChunk, reply: WriteChunk | None = None) -> bytes:
    return octets_of(RdmaNomsg((), writes, reply))


ONE, FIVE, NONE = (RdmaSegment(7, length, 64) for length in (1, 5, 0))
HALF = RdmaSegment(7, 1 << 31, 64)
READS = (ReadSegment(0, RdmaSegment(1, 2, 3)),)
PLAIN = inline()
OTHER_BOOLEAN = PLAIN[:20] + (7).to_bytes(4) + inline(of(5))[24:]
UNKNOWN = PLAIN[:12] + (9).to_bytes(4) + PLAIN[16:]
ERR_VERS = octets_of(RdmaError(ErrVers(2, 4)))
ERR_CHUNK = octets_of(RdmaError(ErrChunk()))
ERR_OTHER = ERR_CHUNK[:16] + (77).to_bytes(4)
DONE = octets_of(RdmaDone())
MSGP = octets_of(RdmaMsgp(4, 8, (), (), None))
VERSIONS = ClientDecoding(ClientSays.ERR_VERS, versions=(2, 4))


@pytest.mark.parametrize(
    ("octets", "client", "kind"),
    [
        (PLAIN, taken(length=8), BothSayOfReply.ALIKE),
        (PLAIN[:-8], taken(length=None), BothSayOfReply.ALIKE),
        (inline(of(5)), taken(FIVE, length=16), BothSayOfReply.ALIKE),
        (inline(of(5, 1)), taken(FIVE, ONE, length=16), BothSayOfReply.ALIKE),
        (OTHER_BOOLEAN, taken(FIVE, length=16), BothSayOfReply.ALIKE),
        (inline(reply=of(0)), taken(NONE, length=8), BothSayOfReply.ALIKE),
        (inline(of(1 << 31, 1 << 31)), taken(HALF, HALF, length=8), BothSayOfReply.ALIKE),
        (long(reply=of(5, 1)), taken(FIVE, ONE, length=6), BothSayOfReply.ALIKE),
        (long(of(0), reply=of(5)), taken(NONE, FIVE, length=5), BothSayOfReply.ALIKE),
        (ERR_VERS, VERSIONS, BothSayOfReply.ERROR),
        (ERR_CHUNK, says(ClientSays.ERR_CHUNK), BothSayOfReply.ERROR),
        (ERR_CHUNK + b"more", says(ClientSays.ERR_CHUNK), BothSayOfReply.ERROR),
        (ERR_OTHER, says(ClientSays.OTHER_ERROR), BothSayOfReply.REFUSED),
        (inline(of(5))[:-12], refused(FIVE), BothSayOfReply.REFUSED),
        (inline(of(5, 1))[:-12], refused(FIVE, ONE), BothSayOfReply.REFUSED),
        (UNKNOWN, refused(), BothSayOfReply.REFUSED),
        (octets_of(RdmaMsg(READS, (of(5),), None)), refused(), BothSayOfReply.UNASKED),
        (octets_of(RdmaNomsg(READS, (), of(5))), refused(), BothSayOfReply.UNASKED),
        (inline(of(5), of(1)), refused(FIVE), BothSayOfReply.UNASKED),
        (inline(of(5), of(1), reply=of(1)), refused(FIVE), BothSayOfReply.UNASKED),
        (inline(of(5), reply=of(1)), refused(FIVE, ONE), BothSayOfReply.UNASKED),
        (inline(of(1 << 31)), refused(HALF), BothSayOfReply.UNASKED),
        (long(), refused(), BothSayOfReply.UNASKED),
        (long(reply=of(0)), refused(NONE), BothSayOfReply.UNASKED),
        (long(reply=of(1 << 31)), refused(HALF), BothSayOfReply.UNASKED),
        (long(of(5), reply=of(1)), refused(FIVE, ONE), BothSayOfReply.UNASKED),
        (DONE, refused(), BothSayOfReply.OTHER_PROCEDURE),
        (MSGP, refused(), BothSayOfReply.OTHER_PROCEDURE),
        (PLAIN[:12], says(ClientSays.SHORT), BothSayOfReply.SHORT),
    ],
)
def test_what_both_say(octets: bytes, client: ClientDecoding, kind: BothSayOfReply) -> None:
    found = compare_with_client(octets, client)

    assert (found.kind, found.disagreement) == (kind, "")


@pytest.mark.parametrize(
    ("octets", "client", "told"),
    [
        (PLAIN, None, "ours: a header of 28 octets; the client: nothing"),
        (PLAIN, refused(), "the client: refused, 0 segments"),
        (PLAIN, taken(length=4), "the client: taken, 0 segments, a result of 4 octets"),
        (PLAIN, taken(ONE, length=8), "the client: taken, 1 segments, a result of 8 octets"),
        (PLAIN, says(ClientSays.NO_CALL), "the client: no_call"),
        (PLAIN, says(ClientSays.OTHER_ERROR, length=8), "the client: other_error"),
        (inline(of(1 << 31, 1 << 31)), refused(HALF, HALF), "the client: refused"),
        (inline(reply=of(1 << 31, 1 << 31)), refused(HALF, HALF), "the client: refused"),
        (PLAIN, says(ClientSays.OTHER_VERSION), "the client: other_version"),
        (PLAIN, says(ClientSays.SHORT), "the client: short"),
        (inline(of(5)), taken(ONE, length=16), "the client: taken, 1 segments"),
        (inline(of(5)), taken(FIVE, length=13), "a result of 13 octets"),
        (inline(of(5)), refused(FIVE), "the client: refused"),
        (inline(of(5), of(1)), refused(FIVE, ONE), "the client: refused, 2 segments"),
        (inline(reply=of(1)), refused(), "the client: refused, 0 segments"),
        (long(reply=of(5)), refused(FIVE), "the client: refused, 1 segments"),
        (long(reply=of(5)), taken(FIVE, length=8), "a result of 8 octets"),
        (octets_of(RdmaMsg(READS, (), None)), refused(ONE), "the client: refused, 1 segments"),
        (inline(of(5))[:-12], taken(FIVE, length=0), "the client: taken"),
        (inline(of(5))[:-12], refused(ONE), "the client: refused, 1 segments"),
        (inline(of(5))[:-12], refused(FIVE, FIVE), "the client: refused, 2 segments"),
        (ERR_VERS, says(ClientSays.ERR_CHUNK), "the client: err_chunk"),
        (ERR_VERS, ClientDecoding(ClientSays.ERR_VERS, versions=(4, 2)), "versions 4 to 2"),
        (ERR_VERS[:20], VERSIONS, "ours: "),
        (ERR_CHUNK, refused(), "the client: refused"),
        (ERR_OTHER, says(ClientSays.ERR_CHUNK), "the client: err_chunk"),
        (DONE, taken(length=None), "the client: taken"),
        (MSGP, taken(length=None), "the client: taken"),
        (PLAIN[:12], None, "the client: nothing"),
    ],
)
def test_a_disagreement_is_told(octets: bytes, client: ClientDecoding | None, told: str) -> None:
    found = compare_with_client(octets, client)

    assert found.kind is None
    assert told in found.disagreement


def test_headers_and_what_is_said_of_them_are_in_the_same_order() -> None:
    other = (0xC0FFEE).to_bytes(4) + ERR_CHUNK[4:]
    trace = [
        "xprtrdma_reply: task:1@1 xid=0x00005eed credits=8",
        "xprtrdma_reply_hdr_err: xid=0x00005eed version=1 proc=3",
        "xprtrdma_reply_short_err: xid=0x00000000 version=0 proc=0",
        "xprtrdma_reply: task:2@1 xid=0x00c0ffee credits=8",
        "xprtrdma_err_chunk: task:2@1 xid=0x00c0ffee",
        "xprtrdma_reply: task:1@1 xid=0x00005eed credits=8",
        "rpc_xdr_recvfrom: task:1@1 head=[0,8] len=8",
    ]

    found = compare_replies([DONE, PLAIN[:8], other, PLAIN, PLAIN, b"", ERR_VERS], trace)

    assert [one.octets for one in found] == [DONE, PLAIN[:8], other, PLAIN, PLAIN, b"", ERR_VERS]
    assert [one.kind for one in found] == [
        BothSayOfReply.OTHER_PROCEDURE,
        BothSayOfReply.SHORT,
        BothSayOfReply.ERROR,
        BothSayOfReply.ALIKE,
        None,
        None,
        None,
    ]
