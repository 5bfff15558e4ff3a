"""How many round trips an operation takes by each mechanism, and what that costs over a distance.

    python benchmarks/roundtrips.py                                     # on loopback, in a second
    python benchmarks/roundtrips.py --fabric lab --delay 5,10,20 --output results/round-trips

Rows and predictions are in `roundtrip_rows.py`.  Both ends are the reference, in Version Two at its
default inline threshold of 4096 octets; only for send-based DDP their Receives are longer.  In rows
of the base protocol they support no operation of rtrext.

On loopback.  Virtual time is latency and nothing else, so that the time from the Call until the
Requester holds the Reply, over the latency of one direction, is the number of transits.
Registrations and completions are counted in the traces of both ends.

In the lab.  Two Soft-RoCE devices in one guest are the ends of a wire that delays every packet by
as many milliseconds as `--delay` says, in either direction (netem).  Requester, Responder and
whoever sends back bare Sends are processes of their own.  Every round takes all rows in turn under
each delay and under none, with a bare Send there and one back right before each; figures are
medians over the rounds, and the first round is not counted.  The number of round trips is

    elapsed time under a delay - elapsed time under none
    ----------------------------------------------------------
    round-trip time under the delay - round-trip time under none

since in an emulated guest both ends take milliseconds to compute, however near they are.  It is a
little low: the guest has one processor, and what an end does after it has sent holds up a peer that
is near, and is done meanwhile if the peer is far.

The guest's clock counts instructions, one a nanosecond, and the time for which the guest is idle
(`targets.lab.boot.Machine`), so that what else the host does hardly shows.  In a guest that is
there already (`rpcrdma lab shell`) the clock is as it is.

`--output` writes the page README.md and the drawing into a folder.  The second axis of the drawing
is what the distance would be at 16 microseconds a mile (rtrext section 2).
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

import msgspec
from roundtrip_counts import Counts, count_row
from roundtrip_lab import Sample
from roundtrip_page import (
    DRAWING,
    Measured,
    counted_lines,
    counted_table,
    measured_table,
    page,
)
from roundtrip_plot import draw
from roundtrip_rows import ROWS

from rpcrdma.errors import FabricError
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.lab.lab import Ending, LabResult, LabRun, run_in_lab, run_natively
from targets.lab.setup import GuestSetup, LabServer, ServerKind

HERE: Final = Path(__file__).resolve().parent
LONGEST_MS: Final = 100.0
"""A round trip must end before a device sends again what was not acknowledged, after 270 ms."""

START_S: Final = 300.0
ROUND_S: Final = 30.0
"""How long a start and a round may take, on a machine that is busy."""


def measure_in_lab(delays: tuple[float, ...], rounds: int) -> tuple[list[Sample], LabResult]:
    """Run `roundtrip_lab.py` in a guest, or here if this is one.

    Raises:
        LabError: the lab could not be brought up, or not everything was measured.
    """
    options = "--rounds", str(rounds), "--delay", *map(str, delays)
    command = sys.executable, str(HERE / "roundtrip_lab.py"), *options
    setup = GuestSetup(command, str(HERE), server=LabServer(ServerKind.NONE))
    samples: list[Sample] = []
    said: list[str] = []

    def listen(line: str) -> None:
        if line.startswith("{"):
            samples.append(msgspec.json.decode(line, type=Sample))
        else:
            said.append(line)
            print(line, file=sys.stderr)

    run = LabRun(setup, START_S + ROUND_S * rounds, silence_s=START_S, counted=True)
    result = (run_natively if INSIDE in os.environ else run_in_lab)(run, listen)
    if result.ending is not Ending.EXITED or result.status != 0:
        cause = f"{result.describe()}; it said: {said[-1] if said else 'nothing'}"
        raise LabError("measuring in the lab", cause, "see whether `rpcrdma lab run` works")
    return samples, result


def conditions(result: LabResult, rounds: int) -> str:
    """One sentence on what the lab was."""
    if result.accelerator is None:
        return f"Measured in a guest that was there, in {rounds} rounds."
    return (
        f"Measured on Linux {result.release} under QEMU's {result.accelerator.value}, in {rounds}"
        " rounds, by a clock that counts one instruction a nanosecond."
    )


def write(folder: Path, text: str, drawing: str) -> None:
    """Write page and drawing."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(text, encoding="utf-8")
    (folder / DRAWING).write_text(drawing, encoding="utf-8")


def parse_delays(text: str) -> tuple[float, ...]:
    """Milliseconds, separated by commas."""
    try:
        delays = tuple(sorted({float(word) for word in text.split(",")}))
    except ValueError:
        delays = ()
    if not delays or not all(0 < delay <= LONGEST_MS for delay in delays):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of milliseconds, each more than 0 and at most"
            f" {LONGEST_MS:g}, such as 5,10,20"
        )
    return delays


def parse_rounds(text: str) -> int:
    """A number of rounds."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds, 1 or more")
    return int(text)


def run(chosen: argparse.Namespace) -> None:
    """Count, measure, and show what came of it.

    Raises:
        LabError: the lab could not be brought up, or not everything was measured.
        FabricError: something did not come back.
        OSError: the folder cannot be written to.
    """
    counts: dict[str, Counts] = {row.name: count_row(row) for row in ROWS}
    print(counted_table(counts))
    measured, told = None, ""
    if chosen.fabric == "lab":
        samples, result = measure_in_lab(chosen.delay, chosen.rounds)
        measured, told = Measured(samples), conditions(result, chosen.rounds)
        print(measured_table(measured))
        print(told)
    if chosen.output is not None:
        lines = measured.lines() if measured else counted_lines(counts, chosen.delay)
        slopes = sorted({row.transits // 2 for row in ROWS})
        write(chosen.output, page(counts, measured, told), draw(lines, slopes))


def main() -> int:
    """Run; the exit status is 2 if nothing could be measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--fabric", choices=("loopback", "lab"), default="loopback",
        help="where; the lab's tables come after those of loopback (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--delay", type=parse_delays, default="5,10,20", metavar="MILLISECONDS",
        help="in either direction, separated by commas (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--rounds", type=parse_rounds, default=20, help="in the lab (%(default)s)")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="write page and drawing")
    try:
        run(parser.parse_args())
    except (LabError, FabricError, OSError) as error:
        print(f"roundtrips: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
