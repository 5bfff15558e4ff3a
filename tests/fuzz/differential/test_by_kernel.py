from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz.differential.by_kernel import BothSay, compare_calls, compare_with_kernel
from fuzz.differential.kernel_trace import KernelDecoding, KernelSays
from rpcrdma.wire import (
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

REFUSED = KernelDecoding(KernelSays.REFUSED)
DROPPED = KernelDecoding(KernelSays.DROPPED)
OTHER = KernelDecoding(KernelSays.OTHER_PROCEDURE)


def octets_of(body: Body) -> bytes:
    return encode_header(TransportHeader(0x5EED, 1, 8, body))


def reading(length: int, position: int = 0) -> RdmaNomsg:
    return RdmaNomsg((ReadSegment(position, RdmaSegment(1, length, 3)),), (), None)


def taken(octets: bytes) -> KernelDecoding:
    return KernelDecoding(KernelSays.TAKEN, len(octets))


WHOLE = octets_of(reading(100))
CUT = WHOLE[:-4]
UNKNOWN = WHOLE[:12] + (9).to_bytes(4) + WHOLE[16:]
OTHER_BOOLEAN = WHOLE[:16] + (7).to_bytes(4) + WHOLE[20:]
LONG = octets_of(reading((1 << 20) + 1))
WITHIN_A_WORD = octets_of(reading(4, position=6))
NO_SEGMENT = octets_of(RdmaMsg((), (), WriteChunk(())))


@pytest.mark.parametrize(
    ("octets", "kernel", "decoded"),
    [
        (WHOLE, taken(WHOLE), BothSay.ALIKE),
        (OTHER_BOOLEAN, taken(WHOLE), BothSay.ALIKE),
        (CUT, REFUSED, BothSay.REFUSED),
        (UNKNOWN, OTHER, BothSay.REFUSED),
        (octets_of(RdmaDone()), DROPPED, BothSay.DROPPED),
        (octets_of(RdmaError(ErrVers(1, 2)))[:20], DROPPED, BothSay.DROPPED),
        (octets_of(RdmaMsgp(4, 8, (), (), None)), OTHER, BothSay.MSGP),
        (LONG, REFUSED, BothSay.LIMIT),
        (LONG, taken(LONG), BothSay.ALIKE),
        (WITHIN_A_WORD, REFUSED, BothSay.LIMIT),
        (NO_SEGMENT, REFUSED, BothSay.LIMIT),
        (WHOLE[:12], None, BothSay.UNSEEN),
    ],
)
def test_what_both_say(octets: bytes, kernel: KernelDecoding | None, decoded: BothSay) -> None:
    found = compare_with_kernel(octets, kernel)

    assert (found.kind, found.disagreement) == (decoded, "")


@pytest.mark.parametrize(
    ("octets", "kernel", "told"),
    [
        (WHOLE, REFUSED, "ours: a header of 52 octets; the kernel: refused"),
        (WHOLE, KernelDecoding(KernelSays.TAKEN, 28), "the kernel: taken, 28 octets"),
        (CUT, taken(CUT), "the kernel: taken, 48 octets"),
        (WHOLE, DROPPED, "the kernel: dropped"),
        (octets_of(RdmaDone()), REFUSED, "the kernel: refused"),
        (octets_of(RdmaMsgp(4, 8, (), (), None)), REFUSED, "the kernel: refused"),
        (WHOLE, None, "the kernel: nothing"),
        (WHOLE, KernelDecoding(KernelSays.OTHER_VERSION), "the kernel: other_version"),
    ],
)
def test_a_disagreement_is_told(octets: bytes, kernel: KernelDecoding | None, told: str) -> None:
    found = compare_with_kernel(octets, kernel)

    assert found.kind is None
    assert told in found.disagreement


def test_each_header_is_found_by_its_xid() -> None:
    trace = [
        f"svcrdma_decode_rqst: xid=0x00005eed vers=1 proc=RDMA_NOMSG hdrlen={len(WHOLE)}",
        "svcrdma_decode_parse_err: xid=0x00c0ffee vers=1 proc=1",
    ]

    found = compare_calls([(0xC0FFEE).to_bytes(4) + CUT[4:], WHOLE, bytes(4) + WHOLE[4:]], trace)

    assert [one.kind for one in found] == [BothSay.REFUSED, BothSay.ALIKE, None]
