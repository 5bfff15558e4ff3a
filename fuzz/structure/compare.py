"""What structure is worth: planted bugs found and blocks reached, raw against structure-aware.

Both kinds of run have the same seeds, the same corpus and the same executions; only the mutator
differs.  Executions are counted from the first seed of the corpus on.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median_high
from time import monotonic
from typing import TYPE_CHECKING, Final

from fuzz.registry import corpus_of, dictionary_of, find_harness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Run", "page", "run_once"]

_UNITS: Final = re.compile(r"^stat::number_of_executed_units: (\d+)", re.MULTILINE)
_BLOCKS: Final = re.compile(r"\bcov: (\d+)")

_HEAD: Final = """\
# Fuzzing

What it is worth that the fuzzers of headers and of sequences know what an input is made of
(`fuzz/structure`), against libFuzzer's own mutation with the same dictionary, corpus and seeds.
`rpcrdma dev selfcheck --compare --write` makes this page, and no word of it is changed by hand.
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run did.

    Attributes:
        found: whether it ended with a finding.
        executions: inputs that were tried, those of the corpus included.
        seconds: that it took, with the start of its process.
        blocks: of the instrumented code that were reached.
    """

    found: bool
    executions: int
    seconds: float
    blocks: int


def run_once(harness: str, subject: str, executions: int, seed: int, *, raw: bool) -> Run:
    """Fuzz until a finding or for so many executions, in a process of its own.

    Args:
        harness: its name.
        subject: `MODULE:NAME` of what is fuzzed; empty: the reference.
        executions: at most.
        seed: of libFuzzer.
        raw: without the harness's mutator.
    """
    with tempfile.TemporaryDirectory(prefix="rpcrdma-compare-") as scratch:
        corpus = Path(scratch) / "corpus"
        corpus.mkdir()
        command = [sys.executable, "-m", "fuzz.engine", "--first", "--harness", harness]
        command += ["--findings", f"{scratch}/findings", *(["--raw"] if raw else [])]
        command += ["--implementation", subject] if subject else []
        command += ["--", f"-runs={executions}", f"-seed={seed}", "-max_len=8192"]
        command += [f"-artifact_prefix={scratch}/", "-print_final_stats=1"]
        command += [f"-dict={dictionary_of(find_harness(harness))}"]
        began = monotonic()
        ended = subprocess.run(
            [*command, str(corpus), str(corpus_of(harness))],
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
        )
        units = _UNITS.findall(ended.stderr)
        blocks = [int(count) for count in _BLOCKS.findall(ended.stderr)]
        found = any((Path(scratch) / "findings").glob("*"))
        return Run(found, int(units[-1]), monotonic() - began, max(blocks, default=0))


def page(
    bugs: Mapping[tuple[str, str], tuple[Sequence[Run], Sequence[Run]]],
    reached: Mapping[str, tuple[Sequence[Run], Sequence[Run]]],
    executions: int,
) -> str:
    """The page.

    Args:
        bugs: by name and harness, the runs raw and with structure.
        reached: by harness, the same of its reference.
        executions: that each run had at most.
    """
    lines = [
        _HEAD,
        f"## Planted bugs, within {executions} executions",
        "",
        (
            "The medians of the seeds: executions until the bug is found, those that read the"
            " corpus included, and seconds with the start of the process."
        ),
        "",
        "| bug | harness | raw | with structure |",
        "|---|---|---|---|",
        *(
            f"| {name} | {harness} | {_found(raw)} | {_found(aware)} |"
            for (name, harness), (raw, aware) in bugs.items()
        ),
        "",
        f"## Blocks of the references reached by {executions} executions",
        "",
        "Of the library, as libFuzzer counts them; the medians of the seeds.",
        "",
        "| harness | raw | with structure |",
        "|---|---|---|",
        *(
            f"| {harness} | {_blocks(raw)} | {_blocks(aware)} |"
            for harness, (raw, aware) in reached.items()
        ),
    ]
    return "\n".join(lines) + "\n"


def _found(runs: Sequence[Run]) -> str:
    found = sum(run.found for run in runs)
    if 2 * found <= len(runs):
        return f"{found} of {len(runs)} seeds find it"
    middle = median_high([run.executions for run in runs])
    return f"{middle} ({median_high([run.seconds for run in runs]):.0f} s)"


def _blocks(runs: Sequence[Run]) -> str:
    seconds = median_high([run.seconds for run in runs])
    return f"{median_high([run.blocks for run in runs])} ({seconds:.0f} s)"
