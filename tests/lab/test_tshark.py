"""Wireshark's own dissector agrees with our decoding, on captures that we made.

One tshark run reads one capture of many messages, each on a connection of its own (the dissector
keeps state by conversation); what it prints of each header is compared with what our codec decodes
from the same octets.
"""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.capture.pcapng import write_pcapng
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
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
    decode_header,
    encode_header,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rpcrdma.wire import Body

FIELDS = (
    "xid",
    "version",
    "flow_control",
    "msg_type",
    "position",
    "rdma_handle",
    "rdma_length",
    "rdma_offset",
    "segment_count",
    "rdma_align",
    "rdma_thresh",
    "errcode",
    "vers_low",
    "vers_high",
)
NULL_CALL = b"\0\0\0\0\0\0\0\2\0\1\x86\xa3\0\0\0\4" + bytes(20)
"""What follows the XID: a Call of NFS version 4's NULL procedure without credentials."""


@dataclass(frozen=True)
class Dissected:
    """The fields of one header, by the dissector's names, each a tuple of its occurrences."""

    values: dict[str, tuple[int, ...]]


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


class Collected:
    """Our decoding of one header, in the dissector's terms."""

    def __init__(self, header: TransportHeader) -> None:
        self.values: dict[str, list[int]] = {name: [] for name in FIELDS}
        self.put(xid=header.rdma_xid, version=header.rdma_vers, flow_control=header.rdma_credit)
        match header.rdma_body:
            case RdmaError(error=ErrVers(rdma_vers_low=low, rdma_vers_high=high)):
                self.put(msg_type=4, errcode=1, vers_low=low, vers_high=high)
            case RdmaError():
                self.put(msg_type=4, errcode=2)
            case RdmaDone():
                self.put(msg_type=3)
            case RdmaMsg() | RdmaNomsg() | RdmaMsgp() as body:
                self.put(msg_type={RdmaMsg: 0, RdmaNomsg: 1, RdmaMsgp: 2}[type(body)])
                self.put_lists(body)

    def put(self, **entries: int) -> None:
        for name, value in entries.items():
            self.values[name].append(value)

    def put_lists(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> None:
        if isinstance(body, RdmaMsgp):
            self.put(rdma_align=body.rdma_align, rdma_thresh=body.rdma_thresh)
        for read in body.rdma_reads:
            self.put(position=read.position)
            self.put_segment(read.target)
        for chunk in (*body.rdma_writes, *filter(None, [body.rdma_reply])):
            self.put(segment_count=len(chunk.target))
            for target in chunk.target:
                self.put_segment(target)

    def put_segment(self, target: RdmaSegment) -> None:
        self.put(rdma_handle=target.handle, rdma_length=target.length, rdma_offset=target.offset)


def ours(message: bytes) -> Dissected:
    header, _ = decode_header(message)
    collected = Collected(header).values
    return Dissected({name: tuple(entries) for name, entries in collected.items()})


def dissect(path: Path) -> list[Dissected]:
    """What tshark says of each frame of a capture."""
    wanted = [option for name in FIELDS for option in ("-e", f"rpcordma.{name}")]
    run = subprocess.run(
        ["tshark", "-n", "-r", str(path), "-T", "json", *wanted],
        capture_output=True,
        check=True,
        timeout=60,
    )
    return [
        Dissected(
            {
                name: tuple(
                    int(value, 0)
                    for value in packet["_source"]["layers"].get(f"rpcordma.{name}", ())
                )
                for name in FIELDS
            }
        )
        for packet in json.loads(run.stdout)
    ]


def test_tshark_reads_the_same_headers_as_we_do(tmp_path: Path) -> None:
    """On every procedure, with all sorts of chunk lists, field by field."""
    sent = messages()
    trace = Trace(
        [
            TraceEvent(number / 10, number, Side.LOCAL, EventKind.SEND, message)
            for number, message in enumerate(sent, start=1)
        ]
    )
    path = tmp_path / "headers.pcapng"
    assert write_pcapng(trace, path) == len(sent)

    dissected = dissect(path)

    assert len(sent) >= 30
    assert len({message[28:] for message in sent}) > 30
    assert dissected == [ours(message) for message in sent]
