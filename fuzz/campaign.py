"""Runs one harness for a time in a process of its own, and collects what it found.

The fuzzed process may crash, hang or be killed for its memory: each is a finding, and none can take
this process along.  A run goes on after a finding: the fuzzed process by itself, or another one if
it has died.  Time counts from when the corpus is read.

Several processes exchange inputs by the folder of the corpus: libFuzzer writes there what reaches
something new, and looks there every second for what others have written.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from conformance.explore.finding import keep, load
from fuzz.invariant import BrokenInvariant, finding_of
from fuzz.parsers.options import engine_words
from fuzz.pulse import Pulse, after_line, together
from fuzz.registry import corpus_of, dictionary_of, find_harness

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Campaign", "Result"]

_ENGINE: Final = (sys.executable, "-m", "fuzz.engine")

_INPUT_SECONDS: Final = 5
"""How long one input may take before it counts as a hang."""

_READING_SECONDS: Final = 600
"""For start-up and the corpus, before the time asked for begins."""

_GRACE_SECONDS: Final = 60
"""For minimising and shut-down, beyond the time asked for."""

_MAXIMUM_LENGTH: Final = 8192
"""Octets of an input: twice the largest inline threshold in use."""

_MOST_DEATHS: Final = 10
"""After so many the run ends: each costs a start, and tells little that is new."""

_ARTEFACTS: Final = {
    "timeout-": BrokenInvariant("time-unbounded", f"one input took more than {_INPUT_SECONDS} s"),
    "oom-": BrokenInvariant("memory-unbounded", "one input used more memory than the limit"),
    "crash-": BrokenInvariant("process-died", "the fuzzed process died on this input"),
}


@dataclass(frozen=True, slots=True)
class Result:
    """What a campaign did.

    Attributes:
        pulse: how far it came.
        findings: files of kept findings, one for each cause.
        failure: why the fuzzed process ended without doing its work; empty if it did it.
    """

    pulse: Pulse
    findings: tuple[Path, ...]
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Campaign:
    """One run of one harness.

    Attributes:
        harness: its name.
        seconds: how long to fuzz.
        findings: folder below which findings are kept.
        implementation: `MODULE:NAME` of what is fuzzed; empty: the reference, or a parser.
        corpus: folder where new interesting inputs are kept; None: they are thrown away.
        seed: of libFuzzer; 0: a fresh one.
        to_first: whether to end at the first finding.
        library: shared library with a parser that is fuzzed, or empty.
        program: command of such a parser, or empty.
        processes: how many fuzz at a time.
    """

    harness: str
    seconds: int
    findings: Path
    implementation: str = ""
    corpus: Path | None = None
    seed: int = 0
    to_first: bool = False
    library: str = ""
    program: str = ""
    processes: int = 1

    def run(self, progress: Callable[[Pulse], None]) -> Result:
        """Fuzz; `progress` is told how far it is.

        Raises:
            BadInput: there is no such harness.
        """
        find_harness(self.harness)
        with tempfile.TemporaryDirectory(prefix="rpcrdma-fuzz-") as scratch:
            places = [Path(scratch) / name for name in ("artefacts", "found", "causes")]
            for place in places:
                place.mkdir()
            artefacts, found, causes = places
            corpus = self.corpus or Path(scratch) / "corpus"
            corpus.mkdir(parents=True, exist_ok=True)
            pulse, failure = self._fuzz_all(
                [
                    self._command(number, found, causes, corpus, artefacts)
                    for number in range(self.processes)
                ],
                artefacts,
                progress,
            )
            self._minimise(found)
            for folder in sorted(artefacts.iterdir()):
                self._keep_artefacts(folder, found)
            kept = {keep(self.findings, load(path)) for path in found.iterdir()}
        return Result(replace(pulse, findings=len(kept)), tuple(sorted(kept)), failure)

    def reduce(self) -> tuple[int, int]:
        """Leave in the corpus what reaches more than the seeds; inputs before and after.

        Raises:
            ValueError: the run throws its corpus away.
            CalledProcessError: the fuzzed process died of an input.
        """
        if self.corpus is None:
            raise ValueError("there is no corpus")
        command = self._engine("--reduce", str(self.corpus))
        ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        before, after = map(int, ran.stdout.split())
        return before, after

    def _fuzz_all(
        self, commands: list[list[str]], artefacts: Path, progress: Callable[[Pulse], None]
    ) -> tuple[Pulse, str]:
        """Fuzz in all processes at a time; the first failure of any."""
        pulses = [Pulse()] * len(commands)

        def fuzz(number: int) -> str:
            own = artefacts / str(number)
            own.mkdir()

            def told(pulse: Pulse) -> None:
                pulses[number] = pulse
                progress(together(pulses))

            pulses[number], failure = self._fuzz_on(commands[number], own, told)
            return failure

        with ThreadPoolExecutor(len(commands)) as pool:
            failures = list(pool.map(fuzz, range(len(commands))))
        return together(pulses), next(filter(None, failures), "")

    def _fuzz_on(
        self, command: list[str], artefacts: Path, progress: Callable[[Pulse], None]
    ) -> tuple[Pulse, str]:
        """Fuzz until the time is up, in another process whenever one dies of its input."""
        done, left = Pulse(), float(self.seconds)
        for _ in range(_MOST_DEATHS):
            deaths = len(list(artefacts.iterdir()))
            run = _Run(command, left, done, progress)
            status = run.wait()
            left -= run.fuzzed
            done = run.pulse
            if status == 0:
                return done, ""
            if len(list(artefacts.iterdir())) == deaths:
                return done, f"the fuzzed process ended with status {status}: {run.last}"
            if left < 1:
                break
        return done, ""

    def _engine(self, *options: str) -> list[str]:
        chosen = engine_words(self.library, self.program)
        if self.implementation:
            chosen = ["--implementation", self.implementation]
        return [*_ENGINE, "--harness", self.harness, *chosen, *options]

    def _command(
        self, number: int, found: Path, causes: Path, corpus: Path, artefacts: Path
    ) -> list[str]:
        kept = ["--findings", str(found), "--causes", str(causes)]
        return [
            *self._engine(*kept, *(["--first"] if self.to_first else [])),
            "--",
            f"-timeout={_INPUT_SECONDS}",
            f"-max_len={_MAXIMUM_LENGTH}",
            f"-artifact_prefix={artefacts / str(number)}/",
            f"-dict={dictionary_of(find_harness(self.harness))}",
            "-print_final_stats=1",
            *([f"-seed={self.seed + number}"] if self.seed else []),
            str(corpus),
            str(corpus_of(self.harness)),
        ]

    def _minimise(self, found: Path) -> None:
        """Make each finding smaller, in a process that may take its time but not for ever."""
        for place in sorted(found.iterdir()):
            command = self._engine("--minimise", str(place))
            # A finding that cannot be made smaller in time stays as it is.
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(command, check=False, capture_output=True, timeout=_GRACE_SECONDS)

    def _keep_artefacts(self, artefacts: Path, found: Path) -> None:
        """Findings of which the fuzzed process could not tell: it hung, or it was killed."""
        for artefact in sorted(artefacts.iterdir()):
            for prefix, broken in _ARTEFACTS.items():
                if artefact.name.startswith(prefix):
                    octets = artefact.read_bytes()
                    keep(found, finding_of(self.harness, octets, broken))


class _Run:
    """One fuzzed process.

    Attributes:
        pulse: how far it is, with what other processes did before.
        fuzzed: seconds since it had read the corpus.
        last: line that it printed.
    """

    def __init__(
        self, command: list[str], seconds: float, before: Pulse, progress: Callable[[Pulse], None]
    ) -> None:
        self.pulse = before
        self.fuzzed = 0.0
        self.last = "it printed nothing"
        self._command = command
        self._seconds = seconds
        self._before = before
        self._progress = progress

    def wait(self) -> int:
        """Run it until its time is up, or it ends by itself; its exit status."""
        own, began = Pulse(findings=self._before.findings), 0.0
        with subprocess.Popen(
            self._command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            timers = [_kill_after(_READING_SECONDS, process)]
            try:
                for line in process.stderr or ():
                    self.last = line.strip() or self.last
                    earlier, own = own, after_line(own, line)
                    if own.has_begun and not earlier.has_begun:
                        began = monotonic()
                        timers += self._begin(process, timers[0])
                    done = self._before.executions + own.executions
                    self.pulse = replace(own, executions=done)
                    self._progress(self.pulse)
                status = process.wait()
            finally:
                for timer in timers:
                    timer.cancel()
        self.fuzzed = monotonic() - began if began else self._seconds
        return status

    def _begin(
        self, process: subprocess.Popen[str], reading: threading.Timer
    ) -> list[threading.Timer]:
        """The corpus is read: the fuzzer is told to end in time, and killed if it cannot."""
        reading.cancel()
        end = threading.Timer(self._seconds, process.send_signal, (signal.SIGUSR1,))
        end.start()
        return [end, _kill_after(self._seconds + _GRACE_SECONDS, process)]


def _kill_after(seconds: float, process: subprocess.Popen[str]) -> threading.Timer:
    timer = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    return timer
