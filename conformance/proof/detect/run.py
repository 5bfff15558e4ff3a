"""Tries a sample of faults in several processes side by side, and goes on where a run has ended."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput
from conformance.proof.detect import worker
from conformance.proof.detect.faults import ENDPOINT, draw, faults_in, find_modules
from conformance.proof.detect.reach import digest_of_code, read_reach
from conformance.proof.detect.results import Head, ResultsFile, Tried

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from conformance.proof.detect.faults import MadeFault

__all__ = ["FAULTS", "LINES", "Plan", "commit_of_code", "find_faults", "try_all"]

FAULTS: Final = "faults.jsonl"
"""Name of the file of results in a run's folder."""

LINES: Final = "lines.json"
"""Name of the file in which it is which cases execute which lines."""

_ROOT: Final = Path(__file__).parents[3]
_WORKER: Final = (sys.executable, "-m", worker.__name__)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be tried.

    Attributes:
        folder: where results are.  seed: of the sample.
        size: of the sample; None: all.  under: the module or package.
        workers: processes side by side.
        fingerprints: of the faults to be tried in place of a sample; those that are gone are left
            out.
    """

    folder: Path
    seed: int = 1
    size: int | None = None
    under: str = ENDPOINT
    workers: int = 1
    fingerprints: tuple[str, ...] | None = None


def find_faults(under: str) -> tuple[MadeFault, ...]:
    """All faults of a module, or of the modules of a package.

    Raises:
        BadInput: it is none of the endpoint's.
    """
    if not f"{under}.".startswith(f"{ENDPOINT}."):
        raise BadInput(f"`{under}` is no module of {ENDPOINT}, in which alone faults are made")
    try:
        modules = find_modules(under)
    except ValueError as error:
        raise BadInput(f"{error}; name one as Python imports it") from error
    return tuple(fault for module in modules for fault in faults_in(module))


def try_all(
    plan: Plan, on_tried: Callable[[Tried, int, int], None], on_lines: Callable[[], None]
) -> tuple[Head, tuple[Tried, ...]]:
    """Try the faults of a plan that have not been tried yet.

    Args:
        plan: what.
        on_tried: called after each with its result, and how many of how many are done.
        on_lines: called before the lines are recorded, which takes a minute.

    Returns:
        The head, and what came of every fault of the sample, in its order.

    Raises:
        BadInput: there is nothing to try, or the folder has results of something else.
    """
    every = find_faults(plan.under)
    if plan.fingerprints is None:
        sample = draw(every, plan.seed, plan.size)
    else:
        sample = tuple(fault for fault in every if fault.fingerprint in plan.fingerprints)
    plan.folder.mkdir(parents=True, exist_ok=True)
    digest = digest_of_code()
    head = Head(digest, commit_of_code(), plan.seed, plan.under, len(every))
    results = ResultsFile(plan.folder / FAULTS, head)
    try:
        left = [fault.id for fault in sample if fault.id not in results.done]
        if left:
            lines = plan.folder / LINES
            if read_reach(lines, digest) is None:
                on_lines()
                _record(lines)
            done = len(sample) - len(left)
            for tried in _tried(left, lines, min(plan.workers, len(left))):
                results.add(tried)
                done += 1
                on_tried(tried, done, len(sample))
        return results.head, tuple(results.done[fault.id] for fault in sample)
    finally:
        results.close()


def commit_of_code() -> str:
    """The commit that is checked out, and whether it is what runs; `unknown` without git."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--", "rpcrdma", "targets", "conformance")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit} with changes" if changed else commit


def _git(*words: str) -> str:
    found = subprocess.run(
        ("git", "-C", str(_ROOT), *words), capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def _record(lines: Path) -> None:
    """Record the lines in a process that has not imported the endpoint."""
    with _started("record", lines) as process:
        process.communicate()
    if process.returncode:
        raise BadInput("the lines that the cases execute were not recorded: see above")


@contextlib.contextmanager
def _started(*words: object) -> Iterator[subprocess.Popen[bytes]]:
    """A process of our own, which ends with whatever it has forked when this is left.

    It has a group of its own: the terminal's interrupt is for the one that began it all.
    """
    process = subprocess.Popen(
        (*_WORKER, *map(str, words)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def _tried(identities: Sequence[str], lines: Path, workers: int) -> Iterator[Tried]:
    """Results as they come."""
    left = iter(identities)
    with contextlib.ExitStack() as stack, selectors.DefaultSelector() as selector:
        running = 0
        for _ in range(workers):
            process = stack.enter_context(_started("try", lines))
            selector.register(_pipe(process.stdout), selectors.EVENT_READ, process)
            running += _feed(process, left)
        while running:
            for key, _ in selector.select():
                process = key.data
                line = _pipe(process.stdout).readline()
                if not line:
                    raise BadInput("a process that tries faults has ended: see above")
                running -= 1
                yield msgspec.json.decode(line, type=Tried)
                running += _feed(process, left)


def _feed(process: subprocess.Popen[bytes], left: Iterable[str]) -> int:
    """Give a process its next fault; returns how many that are."""
    for identity in left:
        pipe = _pipe(process.stdin)
        with contextlib.suppress(BrokenPipeError):  # its output tells that it has ended
            pipe.write(identity.encode() + b"\n")
            pipe.flush()
        return 1
    return 0


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    """A pipe that was asked for is there."""
    if pipe is None:
        raise RuntimeError("a process has no pipe")
    return pipe
