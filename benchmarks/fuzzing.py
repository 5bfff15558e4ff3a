"""How many inputs a second does each harness try, beside a bare decoder?

    python benchmarks/fuzzing.py
    python benchmarks/fuzzing.py --raw v1-header v1-requester --time 20 --json

Each runs as `rpcrdma fuzz` runs it: under atheris, instrumented, from the corpus in the repository,
with a fixed seed.  With `--raw` libFuzzer alone mutates: to mutate a header by its structure takes
longer than to decode it, and finds more with fewer inputs (`results/fuzzing`).

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
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
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

_EXECUTIONS: Final = re.compile(r"number_of_executed_units: (\d+)")


@dataclass(frozen=True, slots=True)
class Row:
    """What one harness did.

    Attributes:
        name: of the harness.
        executions: inputs that were tried after the corpus.
        seconds: of processor time that these took.
        goal: inputs a second that are wanted; 0: none is said.
    """

    name: str
    executions: int
    seconds: float
    goal: int

    @property
    def rate(self) -> float:
        """Inputs a second."""
        return self.executions / self.seconds


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
    rows = [measure(name, options.time, raw=options.raw) for name in (BARE, *options.harness)]
    if options.json:
        print(json.dumps([{**asdict(row), "rate": round(row.rate)} for row in rows], indent=2))
        return
    print(f"{'harness':16} {'inputs':>9} {'processor':>10} {'a second':>9} {'wanted':>8}")
    for row in rows:
        wanted = str(row.goal) if row.goal else ""
        print(f"{row.name:16} {row.executions:9} {row.seconds:8.1f} s {row.rate:9.0f} {wanted:>8}")


def measure(name: str, seconds: int, *, raw: bool) -> Row:
    """One harness for a time, or the bare decoder."""
    if name == BARE:
        command, corpus = [__file__, "--bare"], CORPUS / "v1-header"
    else:
        command, corpus = ["-m", "fuzz.engine", "--harness", name], CORPUS / name
        command += ["--raw"] if raw else []
    with tempfile.TemporaryDirectory() as scratch:
        inputs = ["-max_len=8192", "-seed=1", scratch, str(corpus)]
        begin = time.monotonic()
        start, read = run([*command, "--", "-runs=0", *inputs])
        limit = seconds + math.ceil(time.monotonic() - begin)
        used, executions = run([*command, "--", f"-max_total_time={limit}", *inputs])
    return Row(name, executions - read, used - start, GOALS.get(name, 0))


def run(command: list[str]) -> tuple[float, int]:
    """Seconds of processor time, and inputs."""
    before = used_by_children()
    ended = subprocess.run(
        [sys.executable, *command, "-print_final_stats=1"],
        cwd=ROOT,
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
