"""A target in this process: it is given the command line, and judges what it tries."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fuzz.harnesses.v1_header import HARNESS
from fuzz.invariant import BrokenInvariant
from fuzz.oss_fuzz import target
from fuzz.planted import BelievesLengths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.registry import FuzzHarness
    from fuzz.structure.mutator import Mutator

CUT = bytes.fromhex("00000007 00000001 00000001 00000000 00000000")


def test_an_input_that_breaks_the_invariant_leaves_the_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[Callable[[bytes], None]] = []

    def fuzz_on(
        command: Sequence[str],
        harness: FuzzHarness,
        try_one: Callable[[bytes], None],
        mutator: Mutator | None,
    ) -> None:
        assert command == ["a target", "-runs=1"]
        assert mutator is HARNESS.mutator
        tried.append(try_one)

    monkeypatch.setattr(target, "fuzz_on", fuzz_on)
    monkeypatch.setattr(sys, "argv", ["a target", "-runs=1"])
    target.run(HARNESS)
    target.run(replace(HARNESS, reference=BelievesLengths))

    tried[0](CUT)
    with pytest.raises(BrokenInvariant):
        tried[1](CUT)
