"""Wireshark's own dissector reads Version One headers as our decoder does.

Its fields are compared with ours on every procedure with all sorts of chunk lists, and on the
corpus of the fuzzer with mutations of it, of which it must refuse what we refuse.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from fuzz.differential.by_fields import Agreement, compare_fields
from fuzz.differential.inputs import mutated
from fuzz.differential.tshark import dissect
from fuzz.registry import corpus_of
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

NULL_CALL = b"\0\0\0\0\0\0\0\2\0\1\x86\xa3\0\0\0\4" + bytes(20)
"""What follows the XID: a Call of NFS version 4's NULL procedure without credentials."""


def chance(source: random.Random, bits: int) -> int:
    return source.randrange(1 << bits)


def segment(source: random.Random) -> RdmaSegment:
    return RdmaSegment(chance(source, 32), chance(source, 31), chance(source, 64))


def write_chunk(source: random.Random) -> WriteChunk:
    return WriteChunk(tuple(segment(source) for _ in range(source.randrange(1, 5))))


def lists(
    source: random.Random, position: int | None
) -> tuple[tuple[ReadSegment, ...], tuple[WriteChunk, ...], WriteChunk | None]:
    """Chunk lists of any size; read segments get the position, or there are none."""
    reads = (
        ()
        if position is None
        else tuple(ReadSegment(position, segment(source)) for _ in range(source.randrange(1, 4)))
    )
    writes = tuple(write_chunk(source) for _ in range(source.randrange(3)))
    return reads, writes, write_chunk(source) if source.randrange(2) else None


def bodies(source: random.Random) -> list[Body]:
    """Every procedure, with and without each list."""
    return [
        RdmaMsg((), (), None),
        *(RdmaMsg(*lists(source, None)) for _ in range(10)),
        *(RdmaMsg(*lists(source, 40)) for _ in range(10)),
        *(RdmaNomsg(*lists(source, 0)) for _ in range(10)),
        *(RdmaNomsg(*lists(source, None)) for _ in range(4)),
        *(RdmaMsgp(64, 1024, *lists(source, None)) for _ in range(4)),
        RdmaDone(),
        RdmaError(ErrVers(1, 1)),
        RdmaError(ErrVers(2, 0xFFFFFFFF)),
        RdmaError(ErrChunk()),
    ]


def messages() -> list[bytes]:
    source = random.Random(8166)
    made = []
    for body in bodies(source):
        header = TransportHeader(chance(source, 32), 1, chance(source, 32), body)
        payload = b""
        if isinstance(body, RdmaMsg | RdmaMsgp):
            payload = header.rdma_xid.to_bytes(4, "big") + NULL_CALL
        made.append(encode_header(header) + payload)
    return made


def test_tshark_reads_every_procedure_with_all_sorts_of_chunk_lists() -> None:
    sent = messages()

    found = compare_fields(sent, dissect)

    assert len(sent) >= 30
    assert len({message[28:] for message in sent}) > 30
    assert {(one.kind, one.disagreement) for one in found} == {(Agreement.ALIKE, "")}


def test_tshark_reads_and_refuses_the_corpus_as_we_do() -> None:
    headers = [path.read_bytes() for path in sorted(corpus_of("v1-header").iterdir())]

    found = compare_fields(mutated(headers, 4, 1), dissect)

    assert [one for one in found if one.disagreement] == []
    assert sum(one.kind is Agreement.ALIKE for one in found) > 500
    assert sum(one.kind is Agreement.REFUSED for one in found) > 200
