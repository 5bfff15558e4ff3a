"""How many inputs a second does each harness try, beside a bare decoder?

    python benchmarks/fuzzing.py
    python benchmarks/fuzzing.py --raw v1-header v1-requester --time 20 --json

Each runs as `rpcrdma fuzz` runs it: under atheris, instrumented, from the corpus in the repository,
with a fixed seed.  With `--raw` libFuzzer alone mutates: to mutate a header by its structure takes
longer than to decode it, and finds more with fewer inputs (`results/fuzzing`).

A sequence has as many messages as the corpus and the mutator give it: the table says how many are
handled a second.  The same inputs are tried without the fuzzer, too (`fuzzing_parts.py`): once
judged and uncounted, and once with a clock at the endpoint alone, which shows what no harness of
an endpoint in Python can exceed.

The bare decoder reads the fixed words and the three chunk lists of a Version One header by hand,
and checks nothing; it shows what is left for any harness.  A rate is to a second of processor time,
so that whatever else the machine does counts little.  Neither the start of the process is counted
nor the reading of the corpus: a function is instrumented when an input first calls it, which takes
as long as hundreds of inputs, once.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
CORPUS: Final = ROOT / "fuzz" / "corpus"
BARE: Final = "bare decoder"
GOALS: Final = {
    "v1-header": 60_000,
    "v1-responder": 3_000,
    "v1-requester": 3_000,
    "v2-responder": 3_000,
    "v2-requester": 3_000,
}
"""Inputs a second that are wanted."""

SEQUENCES: Final = ("responder", "requester")
"""Ends of the names of harnesses that take sequences of messages."""

PARTS: Final = ROOT / "benchmarks" / "fuzzing_parts.py"

ENVIRONMENT: Final = {**os.environ, "PYTHONPATH": str(ROOT)}
"""A program that is not started as a module has only its own folder to import from."""

_EXECUTIONS: Final = re.compile(r"number_of_executed_units: (\d+)")


@dataclass(frozen=True, slots=True)
class Row:
    """What one harness did.

    Attributes:
        name: of the harness.
        executions: inputs that were tried after the corpus.
        seconds: of processor time that these took.
        goal: inputs a second that are wanted; 0: none is said.
        messages: in an input; 0: an input is no sequence.
    """

    name: str
    executions: int
    seconds: float
    goal: int = 0
    messages: float = 0

    @property
    def rate(self) -> float:
        """Inputs a second."""
        return self.executions / self.seconds

    def __str__(self) -> str:
        wanted = str(self.goal) if self.goal else ""
        handled = f"{self.rate * self.messages:.0f}" if self.messages else ""
        return (
            f"{self.name:22} {self.executions:9} {self.seconds:8.1f} s {self.rate:9.0f}"
            f" {handled:>9} {wanted:>8}"
        )


def main() -> None:
    """Run the harnesses one after the other, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harness", nargs="*", default=list(GOALS), help="default: %(default)s")
    parser.add_argument(
        "--time", type=int, default=10, help="seconds for each, after the corpus; default: 10"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--raw", action="store_true", help="mutate without structure")
    parser.add_argument("--bare", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        fuzz_bare(options.harness)
        return
    names = (BARE, *options.harness)
    rows = [row for name in names for row in measure(name, options.time, raw=options.raw)]
    if options.json:
        print(json.dumps([{**asdict(row), "rate": round(row.rate)} for row in rows], indent=2))
        return
    columns = f"{'inputs':>9} {'processor':>10} {'a second':>9} {'messages':>9} {'wanted':>8}"
    print(f"{'harness':22} {columns}", *rows, sep="\n")


def measure(name: str, seconds: int, *, raw: bool) -> list[Row]:
    """One harness for a time, and its parts if it takes sequences; or the bare decoder."""
    own = ["--raw"] if raw else []
    if name == BARE:
        command, corpus = [__file__, "--bare"], CORPUS / "v1-header"
    else:
        command, corpus = ["-m", "fuzz.engine", "--harness", name], CORPUS / name
        command += own
    with tempfile.TemporaryDirectory() as scratch:
        inputs = ["-max_len=8192", "-seed=1", scratch, str(corpus)]
        begin = time.monotonic()
        start, read = run([*command, "--", "-runs=0", *inputs])
        limit = seconds + math.ceil(time.monotonic() - begin)
        fuzzer = [f"-max_total_time={limit}", *inputs]
        used, executions = run([*command, "--", *fuzzer])
        row = Row(name, executions - read, used - start, GOALS.get(name, 0))
        if not name.endswith(SEQUENCES):
            return [row]
        tried = str(Path(scratch) / "tried")
        run([str(PARTS), *own, "try", name, tried, "--", *fuzzer])
        return with_parts(row, tried, read)


def with_parts(row: Row, tried: str, read: int) -> list[Row]:
    """A harness' row, and those of the inputs that were written down, without the first ones."""
    command = [sys.executable, str(PARTS), "measure", row.name, tried, str(read)]
    printed = subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT, check=True, capture_output=True, text=True
    )
    parts = json.loads(printed.stdout)
    inputs, messages = parts["inputs"], parts["messages"] / parts["inputs"]
    return [
        replace(row, messages=messages),
        Row("  judged, uncounted", inputs, parts["judged"], messages=messages),
        Row("  the endpoint alone", inputs, parts["alone"], messages=messages),
    ]


def run(command: list[str]) -> tuple[float, int]:
    """Seconds of processor time, and inputs."""
    before = used_by_children()
    ended = subprocess.run(
        [sys.executable, *command, "-print_final_stats=1"],
        cwd=ROOT,
        env=ENVIRONMENT,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    (executions,) = _EXECUTIONS.findall(ended.stderr)
    return used_by_children() - before, int(executions)


def used_by_children() -> float:
    """Seconds of processor time of all that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fuzz_bare(arguments: list[str]) -> None:
    """The bare decoder under atheris."""
    import atheris  # only the process that is fuzzed needs it

    atheris.instrument_func(decode)

    def fuzz_one(octets: bytes) -> None:
        try:
            decode(octets)
        except struct.error:
            return

    atheris.Setup([__file__, *arguments], fuzz_one)
    atheris.Fuzz()


def decode(octets: bytes) -> tuple[int, ...]:
    """The fixed words, and how many segments each list has.

    Raises:
        struct.error: the octets end too early.
    """
    xid, version, credit, procedure = struct.unpack_from(">IIII", octets)
    counts = [xid, version, credit, procedure, 0, 0, 0]
    if procedure > 1:
        return tuple(counts)
    place = 16
    while struct.unpack_from(">I", octets, place)[0]:
        struct.unpack_from(">IIIQ", octets, place + 4)
        counts[4] += 1
        place += 24
    place += 4
    for chunks in (5, 6):
        while struct.unpack_from(">I", octets, place)[0]:
            segments = struct.unpack_from(">I", octets, place + 4)[0]
            struct.unpack_from(">IIQ" * min(segments, 64), octets, place + 8)
            counts[chunks] += segments
            place += 8 + 16 * segments
            if chunks == 6:
                return tuple(counts)
        place += 4
    return tuple(counts)


if __name__ == "__main__":
    main()
