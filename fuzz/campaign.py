"""Runs one harness for a time in a process of its own, and collects what it found.

The fuzzed process may crash, hang or be killed for its memory: each is a finding, and none can take
this process along.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.explore.finding import keep
from fuzz.invariant import BrokenInvariant, finding_of
from fuzz.registry import corpus_of, dictionary_of, find_harness

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Campaign", "Result"]

_ENGINE: Final = (sys.executable, "-m", "fuzz.engine")

_INPUT_SECONDS: Final = 5
"""How long one input may take before it counts as a hang."""

_GRACE_SECONDS: Final = 60
"""For start-up, minimising and shut-down, beyond the time asked for."""

_MAXIMUM_LENGTH: Final = 8192
"""Octets of an input: twice the largest inline threshold in use."""

_EXECUTIONS: Final = re.compile(r"^(?:#|stat::number_of_executed_units: )(\d+)", re.MULTILINE)
_ARTEFACTS: Final = {
    "timeout-": BrokenInvariant("time-unbounded", f"one input took more than {_INPUT_SECONDS} s"),
    "oom-": BrokenInvariant("memory-unbounded", "one input used more memory than the limit"),
    "crash-": BrokenInvariant("process-died", "the fuzzed process died on this input"),
}


@dataclass(frozen=True, slots=True)
class Result:
    """What a campaign did.

    Attributes:
        executions: inputs that were tried.
        findings: files of kept findings.
        failure: why the fuzzed process ended without doing its work; empty if it did it.
    """

    executions: int
    findings: tuple[Path, ...]
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Campaign:
    """One run of one harness.

    Attributes:
        harness: its name.
        seconds: how long to fuzz.
        findings: folder below which findings are kept.
        implementation: `MODULE:NAME` of what is fuzzed; empty: the reference.
        corpus: folder where new interesting inputs are kept; None: they are thrown away.
        seed: of libFuzzer; 0: a fresh one.
    """

    harness: str
    seconds: int
    findings: Path
    implementation: str = ""
    corpus: Path | None = None
    seed: int = 0

    def run(self, progress: Callable[[str], None]) -> Result:
        """Fuzz; `progress` gets each line that the fuzzer prints.

        Raises:
            BadInput: there is no such harness.
        """
        find_harness(self.harness)
        before = set(self.findings.glob(f"{self.harness}-*"))
        with tempfile.TemporaryDirectory(prefix="rpcrdma-fuzz-") as scratch:
            artefacts = Path(scratch) / "artefacts"
            artefacts.mkdir()
            corpus = self.corpus or Path(scratch) / "corpus"
            corpus.mkdir(parents=True, exist_ok=True)
            output, status = self._fuzz(corpus, artefacts, progress)
            new = set(self.findings.glob(f"{self.harness}-*")) - before
            if new:
                self._minimise(new)
                new = set(self.findings.glob(f"{self.harness}-*")) - before
            else:
                new = self._keep_artefacts(artefacts)
        counts = [int(count) for count in _EXECUTIONS.findall(output)]
        failure = ""
        if status != 0 and not new:
            failure = f"the fuzzed process ended with status {status}: {_last_line(output)}"
        return Result(max(counts, default=0), tuple(sorted(new)), failure)

    def _command(self, corpus: Path, artefacts: Path) -> list[str]:
        command = [*_ENGINE, "--harness", self.harness, "--findings", str(self.findings)]
        if self.implementation:
            command += ["--implementation", self.implementation]
        dictionary = dictionary_of(find_harness(self.harness))
        return [
            *command,
            "--",
            f"-max_total_time={self.seconds}",
            f"-timeout={_INPUT_SECONDS}",
            f"-max_len={_MAXIMUM_LENGTH}",
            f"-artifact_prefix={artefacts}/",
            f"-dict={dictionary}",
            "-print_final_stats=1",
            *([f"-seed={self.seed}"] if self.seed else []),
            str(corpus),
            str(corpus_of(self.harness)),
        ]

    def _fuzz(
        self, corpus: Path, artefacts: Path, progress: Callable[[str], None]
    ) -> tuple[str, int]:
        lines: list[str] = []
        with subprocess.Popen(
            self._command(corpus, artefacts),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            # The fuzzer ends by itself; the alarm is for one that cannot even do that.
            seconds = self.seconds + _GRACE_SECONDS
            deadline = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
            deadline.start()
            try:
                for line in process.stderr or ():
                    lines.append(line)
                    progress(line.rstrip())
                status = process.wait()
            finally:
                deadline.cancel()
        return "".join(lines), status

    def _minimise(self, places: set[Path]) -> None:
        """Make each finding smaller, in a process that may take its time but not for ever."""
        for place in sorted(places):
            command = [*_ENGINE, "--harness", self.harness, "--minimise", str(place)]
            if self.implementation:
                command += ["--implementation", self.implementation]
            # A finding that cannot be made smaller in time stays as it is.
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(command, check=False, capture_output=True, timeout=_GRACE_SECONDS)

    def _keep_artefacts(self, artefacts: Path) -> set[Path]:
        """Findings of which the fuzzed process could not tell: it hung, or it was killed."""
        kept = set()
        for artefact in sorted(artefacts.iterdir()):
            for prefix, broken in _ARTEFACTS.items():
                if artefact.name.startswith(prefix):
                    octets = artefact.read_bytes()
                    kept.add(keep(self.findings, finding_of(self.harness, octets, broken)))
        return kept


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it printed nothing"
