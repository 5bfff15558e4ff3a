"""The words of a stage."""

from __future__ import annotations

import sys
from pathlib import Path

from conformance.nightly.stage import command_of, filled


def test_words_in_braces_are_filled_in() -> None:
    words = ("x", "--time={seconds}", "{minutes}", "{folder}/run", "{kept}/corpus", "{seed}")
    assert filled(words, Path("/n/stage"), Path("/k"), 90.7, 7) == [
        *("x", "--time=90", "1.51", "/n/stage/run", "/k/corpus", "7"),
    ]


def test_our_programs_are_those_of_this_python() -> None:
    """What the search path has under their names may be another version."""
    rpcrdma = [sys.executable, "-m", "conformance.cli.main"]
    assert command_of(["rpcrdma", "fuzz"]) == [*rpcrdma, "fuzz"]
    assert command_of(["pytest", "-q"]) == [sys.executable, "-m", "pytest", "-q"]
    assert command_of(["make", "all"]) == ["make", "all"]
