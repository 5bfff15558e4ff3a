"""The loop of a fuzzed process: who mutates, and that the library counts its blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fuzz.loop import hooks_of
from fuzz.structure.headers import V1_HEADER


def test_a_mutator_gets_the_seed_and_the_raw_mutation() -> None:
    hooks = hooks_of(V1_HEADER, lambda octets, most: b"raw"[:most])

    assert {hooks["custom_mutator"](bytes(3000), 2, seed) for seed in range(9)} == {b"ra"}
    for seed in range(9):
        crossed = hooks["custom_crossover"](bytes(28), bytes(28), 99, seed)
        assert crossed == hooks["custom_crossover"](bytes(28), bytes(28), 99, seed)


def test_inputs_are_tried_until_the_limit_and_an_exception_ends_the_run(tmp_path: Path) -> None:
    ends, fails = (
        _run(tmp_path, tried) for tried in ("lambda octets: None", "lambda octets: 1 / 0")
    )

    assert ends.returncode == 0
    assert "Done 20 runs" in ends.stderr
    assert fails.returncode != 0
    assert "ZeroDivisionError" in fails.stdout + fails.stderr


def _run(folder: Path, tried: str) -> subprocess.CompletedProcess[str]:
    program = (
        "from fuzz.harnesses.v1_header import HARNESS\n"
        "from fuzz.loop import fuzz_on\n"
        f"fuzz_on(['a program', '-runs=20', '-seed=1'], HARNESS, {tried}, HARNESS.mutator)"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
