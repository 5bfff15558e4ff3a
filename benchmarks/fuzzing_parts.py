"""What a sequence takes without the fuzzer: judged and uncounted, and the endpoint alone.

    python benchmarks/fuzzing_parts.py try v1-responder INPUTS -- -max_total_time=10 fuzz/corpus/...
    python benchmarks/fuzzing_parts.py measure v1-responder INPUTS 300

`fuzzing.py` calls both.  The first fuzzes as `rpcrdma fuzz` does, and writes each input down.  The
second takes these inputs, but for the first so many: those of the corpus, by which it only warms
up.  It prints what the others take, as a line of JSON.

The endpoint alone is what passes within `Endpoint.handle`: no memory, no wire, no judge, and no
putting back.  It is timed in a run of its own, and each look at the clock is in it, a third of a
microsecond for a message.  No harness can be faster.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest import mock

from fuzz.loop import fuzz_on
from fuzz.registry import find_harness
from rpcrdma.endpoint.core.connection import Endpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fuzz.registry import FuzzHarness
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import Event

__all__ = ["Parts"]

_LENGTH: Final = 4
"""Octets of the length before each input that is written down."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What inputs took.

    Attributes:
        inputs: so many.
        messages: that all of them have.
        judged: seconds of processor time to run and judge them, uncounted.
        alone: seconds of these that the endpoint took.
    """

    inputs: int
    messages: int
    judged: float
    alone: float


def main() -> None:
    """Try inputs, or measure what was tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("try", "measure"))
    parser.add_argument("harness")
    parser.add_argument("inputs", type=Path, help="file of inputs")
    parser.add_argument("skip", type=int, nargs="?", default=0, help="inputs of the corpus")
    parser.add_argument("--raw", action="store_true", help="mutate without structure")
    own, _, fuzzer = " ".join(sys.argv[1:]).partition(" -- ")
    options = parser.parse_args(own.split())
    harness = find_harness(options.harness)
    if options.step == "try":
        write_down(harness, options.inputs, fuzzer.split(), raw=options.raw)
    print(json.dumps(asdict(measure(harness, read(options.inputs), options.skip))))


def write_down(harness: FuzzHarness, path: Path, fuzzer: Sequence[str], *, raw: bool) -> None:
    """Fuzz, and write down each input; does not return."""
    harness.prepare()
    subject = harness.reference()
    with path.open("wb") as file:

        def try_one(octets: bytes) -> None:
            file.write(len(octets).to_bytes(_LENGTH) + octets)
            harness.check(octets, subject)

        fuzz_on([__file__, *fuzzer], harness, try_one, None if raw else harness.mutator)


def read(path: Path) -> list[bytes]:
    """The inputs that were written down; one that was cut short by the end is left out."""
    octets, inputs, start = path.read_bytes(), [], 0
    while start + _LENGTH <= len(octets):
        end = start + _LENGTH + int.from_bytes(octets[start : start + _LENGTH])
        if end <= len(octets):
            inputs.append(octets[start + _LENGTH : end])
        start = end
    return inputs


def measure(harness: FuzzHarness, inputs: Sequence[bytes], skip: int) -> Parts:
    """Run the inputs after the first ones, and run them again with a clock at the endpoint."""
    subject = harness.reference()

    def run(some: Sequence[bytes]) -> float:
        begin = time.process_time()
        for octets in some:
            harness.check(octets, subject)
        return time.process_time() - begin

    run(inputs[:skip])
    rest = inputs[skip:]
    judged = run(rest)
    alone, handle = 0.0, Endpoint.handle

    def timed(endpoint: Endpoint, event: Event, now: float) -> list[Action]:
        nonlocal alone
        begin = time.process_time()
        try:
            return handle(endpoint, event, now)
        finally:
            alone += time.process_time() - begin

    with mock.patch.object(Endpoint, "handle", timed):
        run(rest)
    messages = sum(len(harness.messages(octets)) for octets in rest)
    return Parts(len(rest), messages, judged, alone)


if __name__ == "__main__":
    main()
