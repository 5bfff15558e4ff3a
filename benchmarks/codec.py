"""How fast is the generated codec of the transport header, beside xdrlib3 and construct?

    python benchmarks/codec.py
    python benchmarks/codec.py --rounds 40 --json

One run interleaves all codecs, round by round, so that whatever else the machine does hits each of
them alike; time is that of the processor, so that waiting for it does not count.  A figure is the
median over the rounds; the spread is half the distance between the quartiles.  Ratios are to
xdrlib3, the median of those of each round: above 1 the generated codec is faster.  For a refusal
the ratio is turned round, because there it is a cost.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from codec_peers import CONSTRUCT, xdrlib_decode, xdrlib_encode

from rpcrdma.errors import DecodeError
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS: Final = {
    "decode": (6.0, 5.0, 8.0),
    "encode": (6.0, 5.0, 7.0),
}
LARGEST_REFUSAL: Final = 3.0
ROUND_SECONDS: Final = 0.004
"""How long one codec runs in one round: long against the clock, short against noise."""


def _segments(count: int) -> tuple[RdmaSegment, ...]:
    return tuple(RdmaSegment(0x1000 + i, 4096, 0x7F0000000000 + i * 4096) for i in range(count))


def _header(reads: int, writes: int, segments: int, reply: int) -> TransportHeader:
    chunk = WriteChunk(_segments(segments))
    body = RdmaMsg(
        tuple(ReadSegment(4 * i, segment) for i, segment in enumerate(_segments(reads))),
        (chunk,) * writes,
        WriteChunk(_segments(reply)) if reply else None,
    )
    return TransportHeader(0x12345678, 1, 32, body)


HEADERS: Final = {
    "no chunks": _header(0, 0, 0, 0),
    "2 read segments, 1 write chunk of 2, reply chunk": _header(2, 1, 2, 2),
    "64 read segments, 8 write chunks of 16": _header(64, 8, 16, 0),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One operation on one header; times in microseconds, ratios to xdrlib3."""

    operation: str
    header: str
    ours: float
    spread: float
    xdrlib3: float
    construct: float | None
    ratio: float
    target: float

    @property
    def reached(self) -> bool:
        """Whether the ratio is on the right side of its target."""
        return (
            self.ratio <= self.target if "refuse" in self.operation else self.ratio >= self.target
        )


def _refusal(decode: Callable[[bytes], object], octets: bytes) -> Callable[[], None]:
    def refuse() -> None:
        try:
            decode(octets)
        except (DecodeError, ValueError, EOFError):
            return
        raise AssertionError("the damaged header was accepted")

    return refuse


def _measure(subjects: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds a call of each subject in each round, all taking turns."""
    counts = {}
    for name, subject in subjects.items():
        subject()
        started = time.process_time()
        subject()
        counts[name] = max(1, int(ROUND_SECONDS / max(time.process_time() - started, 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, subject in subjects.items():
            turns = range(counts[name])
            started = time.process_time()
            for _turn in turns:
                subject()
            times[name].append((time.process_time() - started) / counts[name])
    return times


def _row(
    operation: str,
    header: str,
    subjects: dict[str, Callable[[], object]],
    rounds: int,
    target: float,
) -> Row:
    times = _measure(subjects, rounds)
    medians = {name: statistics.median(values) * 1e6 for name, values in times.items()}
    low, _, high = statistics.quantiles(times["ours"], n=4)
    ratio = statistics.median(
        theirs / ours for theirs, ours in zip(times["xdrlib3"], times["ours"], strict=True)
    )
    return Row(
        operation,
        header,
        round(medians["ours"], 3),
        round((high - low) / 2 * 1e6, 3),
        round(medians["xdrlib3"], 3),
        round(medians["construct"], 3) if "construct" in medians else None,
        round(1 / ratio if "refuse" in operation else ratio, 2),
        target,
    )


def run(rounds: int) -> list[Row]:
    """Measure every operation on every header."""
    rows = []
    for index, (name, header) in enumerate(HEADERS.items()):
        octets = encode_header(header)
        parsed = CONSTRUCT.parse(octets)
        if not (xdrlib_decode(octets) == header and xdrlib_encode(header) == octets):
            raise AssertionError("the peers do not agree")
        decoders: dict[str, Callable[[], object]] = {
            "ours": partial(decode_header, octets),
            "xdrlib3": partial(xdrlib_decode, octets),
            "construct": partial(CONSTRUCT.parse, octets),
        }
        encoders: dict[str, Callable[[], object]] = {
            "ours": partial(encode_header, header),
            "xdrlib3": partial(xdrlib_encode, header),
            "construct": partial(CONSTRUCT.build, parsed),
        }
        rows.append(_row("decode", name, decoders, rounds, TARGETS["decode"][index]))
        rows.append(_row("encode", name, encoders, rounds, TARGETS["encode"][index]))
        for kind, damaged in (
            ("refuse, cut", octets[:-4]),
            ("refuse, bad boolean", octets[:-4] + b"\0\0\0\2"),
        ):
            if kind.endswith("boolean") and header.rdma_body.rdma_reply is not None:  # type: ignore[union-attr]
                continue  # the last word is not a boolean there
            refusals: dict[str, Callable[[], object]] = {
                "ours": _refusal(decode_header, damaged),
                "xdrlib3": _refusal(xdrlib_decode, damaged),
            }
            rows.append(_row(kind, name, refusals, rounds, LARGEST_REFUSAL))
    return rows


def _print(rows: list[Row]) -> None:
    head = f"{'operation':20} {'header':48} {'ours us':>9} {'+-':>6} {'xdrlib3':>9}"
    print(f"{head} {'construct':>10} {'ratio':>6} {'target':>7}")
    for row in rows:
        other = f"{row.construct:10.2f}" if row.construct is not None else f"{'-':>10}"
        sign = "<=" if "refuse" in row.operation else ">="
        print(
            f"{row.operation:20} {row.header:48} {row.ours:9.2f} {row.spread:6.2f}"
            f" {row.xdrlib3:9.2f} {other} {row.ratio:6.2f} {sign}{row.target:5.1f}"
            f" {'' if row.reached else 'MISSED'}"
        )


def main() -> int:
    """Run the benchmark; exit status 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description="Times the generated header codec against xdrlib3 and construct in one run.",
        epilog="example: python benchmarks/codec.py --rounds 40",
    )
    parser.add_argument("--rounds", type=int, default=25, help="rounds of each row (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    rows = run(max(options.rounds, 2))
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        _print(rows)
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
