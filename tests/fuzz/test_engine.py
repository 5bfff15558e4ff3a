from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.engine import _claim, implementation, judge
from fuzz.harnesses.v1_header import V1ReferenceCodec
from fuzz.invariant import BrokenInvariant

if TYPE_CHECKING:
    from pathlib import Path


def test_implementation_is_found_by_module_and_name() -> None:
    assert implementation("fuzz.harnesses.v1_header:V1ReferenceCodec") is V1ReferenceCodec


@pytest.mark.parametrize("name", ["nowhere:Codec", "fuzz.planted:Missing", "fuzz.planted", ""])
def test_missing_implementation_is_refused_with_the_form_to_use(name: str) -> None:
    with pytest.raises(BadInput, match="give it as MODULE:NAME"):
        implementation(name)


def test_implementation_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(BadInput, match="cannot be called"):
        implementation("fuzz.engine:MEMORY_LIMIT")


def test_exception_that_nobody_declared_becomes_a_finding() -> None:
    def check(octets: bytes, subject: object) -> None:
        raise KeyError(octets)

    with pytest.raises(BrokenInvariant) as caught:
        judge(check, b"\x01", None)
    assert caught.value.invariant == "undeclared-exception"
    assert isinstance(caught.value.__cause__, KeyError)


def test_finding_passes_through_unchanged() -> None:
    def check(octets: bytes, subject: object) -> None:
        raise BrokenInvariant("round-trip", "differs")

    with pytest.raises(BrokenInvariant) as caught:
        judge(check, b"", None)
    assert caught.value.invariant == "round-trip"


@pytest.mark.parametrize("raw", [True, False])
def test_libfuzzer_finds_the_mutator_of_a_harness_unless_told_not_to(
    raw: bool, tmp_path: Path
) -> None:
    options = ["--raw"] if raw else []
    ended = subprocess.run(
        [sys.executable, "-m", "fuzz.engine", "--harness", "v1-header", *options, "--", "-runs=2"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )

    assert ("found LLVMFuzzerCustomMutator" in ended.stderr) is not raw


def test_of_several_processes_one_has_a_cause(tmp_path: Path) -> None:
    first, second = _claim(tmp_path), _claim(tmp_path)

    assert [first("a cause"), second("a cause"), second("another"), first("another")] == [
        *(True, False, True, False)
    ]
    assert _claim(None)("a cause")
