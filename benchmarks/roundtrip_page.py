"""What `roundtrips.py` found, as a page and as the lines of its drawing."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

from roundtrip_plot import Line
from roundtrip_rows import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundtrip_counts import Counts
    from roundtrip_lab import Sample
    from roundtrip_rows import Row

__all__ = ["DRAWING", "Measured", "counted_lines", "counted_table", "measured_table", "page"]

DRAWING: Final = "round-trips.svg"
"""The name of the drawing, beside the page."""

HEAD: Final = """\
# Round trips

How often the link is crossed until a Requester holds the Reply, by each mechanism of Version Two,
and what else that takes. This page was made, and no word of it changed by hand, by
`python benchmarks/roundtrips.py --fabric lab --output results/round-trips`; with `--help` that
says how everything is measured.

## Counted on loopback

A transit is one crossing of the link, on the longest chain from the Call to the Reply.
Registrations and completions are those of the Requester and those of the Responder; completions
are of Receives, and of RDMA Reads and Writes of one's own.
"""

MEASURED: Final = """\
## Measured between two Soft-RoCE devices

Round trips are what the elapsed time grows by when the wire gets longer, over what the round-trip
time of bare Sends grows by. In brackets is the elapsed time itself; without delay it is what both
ends compute.

The guest has one processor. What an end does after it has sent (it posts a Receive, it takes
acknowledgements) holds up a peer that is near, and is done meanwhile if the peer is far. So the
elapsed time grows by less than the delay, by up to 1.2 ms whatever the delay is: most where a Send
has 64 KiB and a Receive has 17 segments, which at 10 ms is a tenth and at 40 ms next to nothing.
"""


class Measured:
    """What the samples of the lab amount to: medians, in seconds.

    Attributes:
        delays: milliseconds in either direction, without none.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        elapsed: dict[tuple[str, float], list[float]] = {}
        round_trips: dict[float, list[float]] = {}
        for sample in samples:
            elapsed.setdefault((sample.row, sample.delay_ms), []).append(sample.seconds)
            round_trips.setdefault(sample.delay_ms, []).append(sample.round_trip)
        self._elapsed = {key: statistics.median(each) for key, each in elapsed.items()}
        self._round_trip = {key: statistics.median(each) for key, each in round_trips.items()}
        self.delays = tuple(sorted(delay for delay in self._round_trip if delay))

    def elapsed(self, row: Row, delay: float) -> float:
        """From the Call until the Requester holds the Reply."""
        return self._elapsed[row.name, delay]

    def round_trip(self, delay: float) -> float:
        """From a bare Send until its answer."""
        return self._round_trip[delay]

    def round_trips(self, row: Row, delay: float) -> float:
        """How many round trips there are in what the delay adds."""
        added = self.elapsed(row, delay) - self.elapsed(row, 0)
        return added / (self.round_trip(delay) - self.round_trip(0))

    def lines(self) -> tuple[Line, ...]:
        """What is drawn: a line for each row."""
        return tuple(
            Line(
                row.name,
                tuple(
                    (self.round_trip(delay) * 1000, self.elapsed(row, delay) * 1000)
                    for delay in (0, *self.delays)
                ),
            )
            for row in ROWS
        )


def counted_lines(counts: Mapping[str, Counts], delays: Sequence[float]) -> tuple[Line, ...]:
    """What would be measured if the link alone took time."""
    return tuple(
        Line(name, tuple((2 * delay, found.transits * delay) for delay in (0, *delays)))
        for name, found in counts.items()
    )


def counted_table(counts: Mapping[str, Counts]) -> str:
    """What was counted, and what was predicted."""
    heads = (
        "operation", "mechanism", "what crosses", "transits", "predicted", "why",
        "registrations", "completions",
    )  # fmt: skip
    return _table(heads, (_counted(row, counts[row.name]) for row in ROWS))


def measured_table(measured: Measured) -> str:
    """What was measured: elapsed time and round trips."""
    heads = [f"round trip {measured.round_trip(delay) * 1000:.1f} ms" for delay in measured.delays]
    without = f"no delay: round trip {measured.round_trip(0) * 1000:.1f} ms"
    rows = (
        (
            row.operation.name,
            row.mechanism,
            f"{row.transits / 2:g}",
            f"{measured.elapsed(row, 0) * 1000:.1f} ms",
            *(_measured(measured, row, delay) for delay in measured.delays),
        )
        for row in ROWS
    )
    return _table(("operation", "mechanism", "predicted", without, *heads), rows)


def page(counts: Mapping[str, Counts], measured: Measured | None, conditions: str) -> str:
    """The page; `conditions` is one sentence on what the lab was."""
    parts = [HEAD, counted_table(counts)]
    if measured is not None:
        parts += [MEASURED, f"{conditions}\n", measured_table(measured)]
    parts.append(f"![elapsed time over round-trip time and distance]({DRAWING})\n")
    return "\n".join(parts)


def _counted(row: Row, found: Counts) -> tuple[str, ...]:
    ends = (found.requester, found.responder)
    return (
        row.operation.name,
        row.mechanism,
        ", ".join(found.messages),
        f"{found.transits:g}",
        str(row.transits),
        row.why,
        _both(end.registrations for end in ends),
        _both(end.completions for end in ends),
    )


def _both(figures: Iterable[int]) -> str:
    return " + ".join(map(str, figures))


def _measured(measured: Measured, row: Row, delay: float) -> str:
    elapsed = measured.elapsed(row, delay) * 1000
    return f"{measured.round_trips(row, delay):.2f} ({elapsed:.1f} ms)"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
