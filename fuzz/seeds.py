"""Seeds from the captures of a run: what the scenarios sent becomes what the fuzzer starts from.

    rpcrdma certify reference --output run && python -m fuzz.seeds run

Each message becomes a seed of the header harness, each case a sequence for the Responder harness.
Handles are replaced by those of `fuzz.world`, so that the seeds do not depend on a run; the same
cases give the same seeds, and seeds that say nothing new are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.sequence import MOST_MESSAGES, join
from fuzz.world import READABLE, REGION, WRITABLE
from reports.stream import read_run
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, WriteChunk, decode_header, encode_header

if TYPE_CHECKING:
    from reports.record import CaseRecord

__all__ = ["main", "neutral", "seeds_of"]

_LONGEST: Final = 4096
"""Octets of a seed at most: a long one makes every mutation slower and reaches nothing new."""


def seeds_of(case: CaseRecord) -> tuple[list[bytes], bytes]:
    """The messages that a case sent, and the sequence of them; truncated records are left out."""
    messages = [
        neutral(bytes.fromhex(exchange.octets))
        for exchange in case.exchanges
        if exchange.direction == "sent" and len(exchange.octets) == 2 * exchange.length
    ]
    return messages, join(messages[:MOST_MESSAGES])


def neutral(message: bytes) -> bytes:
    """The message with the handles and addresses that every harness knows."""
    try:
        header, end = decode_header(message)
    except DecodeError:
        return message
    body = header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        return message
    reads = []
    start = 0
    for read in body.rdma_reads:
        target, start = _place(read.target, READABLE, start)
        reads.append(msgspec.structs.replace(read, target=target))
    start = 0
    writes = []
    for chunk in body.rdma_writes:
        moved, start = _place_chunk(chunk, start)
        writes.append(moved)
    reply = _place_chunk(body.rdma_reply, start)[0] if body.rdma_reply else None
    changed = msgspec.structs.replace(
        body, rdma_reads=tuple(reads), rdma_writes=tuple(writes), rdma_reply=reply
    )
    return encode_header(msgspec.structs.replace(header, rdma_body=changed)) + message[end:]


def _place_chunk(chunk: WriteChunk, start: int) -> tuple[WriteChunk, int]:
    segments = []
    for segment in chunk.target:
        moved, start = _place(segment, WRITABLE, start)
        segments.append(moved)
    return WriteChunk(tuple(segments)), start


def _place(segment: RdmaSegment, region: RdmaSegment, start: int) -> tuple[RdmaSegment, int]:
    """The segment in the region, behind what is taken; from its start if there is no room."""
    if start + segment.length > REGION:
        start = 0
    moved = RdmaSegment(region.handle, segment.length, region.offset + start)
    return moved, start + segment.length


def main(arguments: list[str]) -> int:
    """Write the seeds of a run below the corpus; print how many there are."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.seeds", description=__doc__)
    parser.add_argument("run", type=Path, help="folder of a run, as `rpcrdma certify` leaves it")
    corpus = Path(str(files("fuzz"))) / "corpus"
    parser.add_argument("--corpus", type=Path, default=corpus, help="default: the package's own")
    options = parser.parse_args(arguments)
    headers: set[bytes] = set()
    sequences: set[bytes] = set()
    for case in read_run(options.run / "records.jsonl").cases:
        messages, sequence = seeds_of(case)
        headers.update(messages)
        sequences.add(sequence)
    for name, seeds in (("v1-header", headers), ("v1-responder", sequences)):
        folder = options.corpus / name
        folder.mkdir(parents=True, exist_ok=True)
        kept = [seed for seed in seeds if 0 < len(seed) <= _LONGEST]
        for seed in kept:
            (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
        sys.stdout.write(f"{name}: {len(kept)} seeds\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
