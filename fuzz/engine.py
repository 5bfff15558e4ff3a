"""Runs a harness under atheris: the part that lives in the fuzzed process.

    python -m fuzz.engine --harness v1-header --findings FOLDER --implementation MODULE:NAME -- ...

Behind `--` stand libFuzzer's own options and the corpus folders.

What is found is kept here, where the exception is at hand, and the run goes on.  With `--minimise
FILE` the process does nothing but make a kept finding smaller, with `--reduce FOLDER` a corpus.

Memory is bounded by a limit on the address space: an allocation that follows a count in the input
becomes a MemoryError, that is, a finding; time is bounded by libFuzzer's `-timeout`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import os
import resource
import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from conformance.bad_input import BadInput
from conformance.explore.finding import keep, load
from fuzz.buckets import Buckets
from fuzz.differential.address_sanitizer import has_address_sanitizer
from fuzz.invariant import BrokenInvariant, finding_of, undeclared
from fuzz.loop import fuzz_on
from fuzz.minimise import minimise
from fuzz.parsers.asked_codecs import asked_codec
from fuzz.parsers.options import add_parser_options, parser_dialogue
from fuzz.reduction import reached, reduce_corpus
from fuzz.registry import corpus_of, find_harness, harness_names
from fuzz.uncounted import COUNTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.registry import FuzzHarness

__all__ = ["MEMORY_LIMIT", "implementation", "judge", "main"]

MEMORY_LIMIT: Final = 2 << 30
"""Address space in octets that a fuzzed process may use beyond what it has at the start."""

Subject = TypeVar("Subject")


def implementation(name: str) -> Callable[[], Any]:
    """The factory of the subject named `MODULE:NAME`.

    Raises:
        BadInput: there is no such thing; the message says what is missing.
    """
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInput(f"{name}: {error}; give it as MODULE:NAME") from error
    if not callable(found):
        raise BadInput(f"{name} cannot be called to make a subject")
    factory: Callable[[], Any] = found
    return factory


def judge(check: Callable[[bytes, Subject], None], octets: bytes, subject: Subject) -> None:
    """Check one input; an exception that nobody declared becomes a finding, too.

    Raises:
        BrokenInvariant: it does not hold.
    """
    try:
        check(octets, subject)
    except BrokenInvariant:
        raise
    except Exception as error:  # the point of fuzzing: anything else is a finding
        raise undeclared(error) from error


def problem_with(check: Callable[[bytes, Subject], None], octets: bytes, subject: Subject) -> str:
    """What `judge` finds in one input, in words; empty if nothing."""
    try:
        judge(check, octets, subject)
    except BrokenInvariant as broken:
        return str(broken)
    return ""


def main(arguments: list[str]) -> None:
    """Fuzz until libFuzzer's limits or a signal USR1; does not return then."""
    options = _parser().parse_args(arguments[1:])
    harness = find_harness(options.harness)
    harness.prepare()
    subject = _factory(harness, options)()
    if options.minimise:
        _limit_memory()
        _minimise(options.minimise, harness.check, subject)
        return

    if options.reduce:
        _limit_memory()
        _reduce(options.reduce, options.harness, subject)
        return

    def try_one(octets: bytes) -> None:
        try:
            judge(harness.check, octets, subject)
        except BrokenInvariant as broken:
            buckets.add(octets, broken)
            if options.first:
                os.kill(os.getpid(), signal.SIGUSR1)  # libFuzzer ends once the corpus is read

    buckets = Buckets(options.findings, options.harness, claim=_claim(options.causes))
    _limit_memory()
    mutator = None if options.raw else harness.mutator
    fuzz_on([arguments[0], *options.fuzzer], harness, try_one, mutator)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fuzz.engine", description=__doc__)
    parser.add_argument("--harness", choices=harness_names(), required=True)
    parser.add_argument("--findings", type=Path, default=Path("findings"))
    parser.add_argument("--causes", type=Path, help="folder in which processes mark what is known")
    subject = parser.add_mutually_exclusive_group()
    subject.add_argument("--implementation", default="")
    add_parser_options(subject)
    parser.add_argument("--minimise", type=Path)
    parser.add_argument("--reduce", type=Path)
    parser.add_argument("--first", action="store_true", help="end with the first finding")
    parser.add_argument("--raw", action="store_true", help="mutate without structure")
    parser.add_argument("fuzzer", nargs="*")
    return parser


def _factory(harness: FuzzHarness, options: argparse.Namespace) -> Callable[[], Any]:
    if options.library or options.program:
        # It ends with this process.
        dialogue = parser_dialogue(options.library, options.program)
        return lambda: asked_codec(options.harness, dialogue.ask)
    chosen: str = options.implementation
    return implementation(chosen) if chosen else harness.reference


def _claim(causes: Path | None) -> Callable[[str], bool]:
    """What says whether this process is the first of all that met a cause."""
    if causes is None:
        return lambda _: True
    folder = causes

    def claim(cause: str) -> bool:
        try:
            (folder / hashlib.sha256(cause.encode()).hexdigest()[:16]).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    return claim


def _minimise(path: Path, check: Callable[[bytes, Subject], None], subject: Subject) -> None:
    """Put a smaller input that breaks the same invariant in the place of a kept finding."""
    finding = load(path)
    invariant = finding.broken[0]
    smallest = minimise(finding.octets, partial(_breaks, check, subject, invariant))
    try:
        judge(check, smallest, subject)
    except BrokenInvariant as broken:
        if keep(path.parent, finding_of(finding.way, smallest, broken)) != path:
            path.unlink()


def _reduce(folder: Path, name: str, subject: object) -> None:
    """Leave in a corpus what reaches more than the seeds, and tell how many inputs those are."""
    from fuzz.instrument import Blocks, instrument_library  # instruments by atheris

    blocks = Blocks(COUNTERS.append)  # nobody but us looks at them
    instrument_library(blocks)
    harness = find_harness(name)
    if harness.counters:
        blocks.memories.append(harness.counters())

    def reach(octets: bytes) -> frozenset[tuple[int, int, int]]:
        for memory in blocks.memories:
            memory[:] = bytes(len(memory))
        with contextlib.suppress(BrokenInvariant):
            judge(harness.check, octets, subject)
        return reached(blocks.memories)

    before, after = reduce_corpus(folder, corpus_of(name), reach)
    sys.stdout.write(f"{before} {after}\n")


def _breaks(
    check: Callable[[bytes, Subject], None], subject: Subject, invariant: str, octets: bytes
) -> bool:
    try:
        judge(check, octets, subject)
    except BrokenInvariant as broken:
        return broken.invariant == invariant
    return False


def _limit_memory() -> None:
    if has_address_sanitizer():  # which has addresses of many terabytes for itself
        return
    in_use = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_AS, (in_use + MEMORY_LIMIT, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main(sys.argv)
