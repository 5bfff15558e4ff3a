from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fuzz.differential.by_fields import Agreement, compare_fields, fields_of
from fuzz.differential.inputs import MOST_OCTETS
from fuzz.differential.tshark import Dissected
from fuzz.differential.two_decoders import HeaderComparison
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
    decode_header,
    encode_header,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire import Body

READ = ReadSegment(40, RdmaSegment(1, 2, 3))
WRITE = WriteChunk((RdmaSegment(4, 5, 6), RdmaSegment(7, 8, 9)))
FIXED = {"xid": (0x5EED,), "version": (1,), "flow_control": (8,)}


def header(body: Body) -> TransportHeader:
    return TransportHeader(0x5EED, 1, 8, body)


def compared(octets: bytes, *said: Dissected) -> HeaderComparison:
    (found,) = compare_fields([octets], lambda messages: said[: len(messages)])
    return found


def known(one: TransportHeader) -> dict[str, tuple[int, ...]]:
    return {name: values for name, values in fields_of(one).items() if values}


def test_each_part_of_a_header_is_a_field() -> None:
    segments = {
        "position": (40,),
        "segment_count": (2, 2),
        "rdma_handle": (1, 4, 7, 4, 7),
        "rdma_length": (2, 5, 8, 5, 8),
        "rdma_offset": (3, 6, 9, 6, 9),
    }
    assert known(header(RdmaMsg((READ,), (WRITE,), WRITE))) == {
        **FIXED,
        "msg_type": (0,),
        **segments,
    }
    assert known(header(RdmaNomsg((), (), None))) == {**FIXED, "msg_type": (1,)}
    assert known(header(RdmaMsgp(64, 1024, (), (), None))) == {
        **FIXED,
        "msg_type": (2,),
        "rdma_align": (64,),
        "rdma_thresh": (1024,),
    }
    assert known(header(RdmaDone())) == {**FIXED, "msg_type": (3,)}
    assert known(header(RdmaError(ErrVers(1, 2)))) == {
        **FIXED,
        "msg_type": (4,),
        "errcode": (1,),
        "vers_low": (1,),
        "vers_high": (2,),
    }


def test_what_both_read_alike_is_no_disagreement() -> None:
    one = header(RdmaMsg((READ,), (WRITE,), None))

    found = compared(encode_header(one), Dissected(recognised=True, fields=fields_of(one)))

    assert found == HeaderComparison(encode_header(one), Agreement.ALIKE)


def test_another_field_is_told_and_so_is_a_header_that_is_none_to_it() -> None:
    one = header(RdmaNomsg((READ,), (), None))
    other = fields_of(TransportHeader(0x5EED, 1, 9, one.rdma_body))

    found = compared(encode_header(one), Dissected(recognised=True, fields=other))
    unknown = compared(encode_header(one), Dissected(recognised=False))

    assert found.kind is None
    assert "flow_control 8" in found.disagreement.partition("tshark:")[0]
    assert "flow_control 9" in found.disagreement.partition("tshark:")[2]
    assert unknown.disagreement.endswith("tshark: no message of RPC-over-RDMA")


def test_what_we_find_cut_must_not_be_whole_to_it() -> None:
    one = header(RdmaNomsg((READ,), (), None))
    cut = encode_header(one)[:-4]
    whole = Dissected(recognised=True, fields=fields_of(one))

    assert compared(cut, replace(whole, malformed=True)).kind is Agreement.REFUSED
    assert compared(cut, Dissected(recognised=False)).kind is Agreement.REFUSED
    assert compared(cut, whole).kind is None


def test_words_that_are_none_lead_to_no_chunks() -> None:
    octets = encode_header(header(RdmaNomsg((), (), None)))
    octets = octets[:12] + (9).to_bytes(4) + octets[16:]

    assert compared(octets, Dissected(recognised=False)).kind is Agreement.OTHER
    chunks = Dissected(recognised=True, fields={"rdma_handle": (1,)})
    assert compared(octets, chunks).kind is None


def test_a_boolean_that_is_none_is_true_to_it() -> None:
    one = header(RdmaNomsg((READ,), (), None))
    octets = encode_header(one)
    octets = octets[:16] + (7).to_bytes(4) + octets[20:]

    found = compared(octets, Dissected(recognised=True, fields=fields_of(one)))

    assert found.kind is Agreement.ALIKE


def test_a_payload_stream_gets_the_xid_that_it_takes_to_be_recognised() -> None:
    octets = encode_header(header(RdmaMsg((), (), None))) + b"payload!"
    given: list[bytes] = []

    def dissect(messages: Sequence[bytes]) -> list[Dissected]:
        given.extend(messages)
        one, _ = decode_header(messages[0])
        return [Dissected(recognised=True, fields=fields_of(one))]

    compare_fields([octets], dissect)

    assert given == [octets[:28] + octets[:4] + octets[32:]]


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        bytes(15),
        encode_header(TransportHeader(0x5EED, 2, 8, RdmaDone())),
        encode_header(header(RdmaDone())) + bytes(MOST_OCTETS),
    ],
    ids=["empty", "no whole words", "another version", "more than a packet"],
)
def test_some_inputs_are_left_out(octets: bytes) -> None:
    assert compared(octets) == HeaderComparison(octets, Agreement.LEFT_OUT)
