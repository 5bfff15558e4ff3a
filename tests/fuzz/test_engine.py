from __future__ import annotations

import pytest

from conformance.bad_input import BadInput
from fuzz.engine import _hooks, implementation, judge
from fuzz.harnesses.v1_header import V1ReferenceCodec
from fuzz.invariant import BrokenInvariant
from fuzz.structure.headers import V1_HEADER


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


def test_a_mutator_gets_the_seed_and_the_raw_mutation() -> None:
    hooks = _hooks(V1_HEADER, lambda octets, most: b"raw"[:most])

    assert {hooks["custom_mutator"](bytes(3000), 2, seed) for seed in range(9)} == {b"ra"}
    for seed in range(9):
        crossed = hooks["custom_crossover"](bytes(28), bytes(28), 99, seed)
        assert crossed == hooks["custom_crossover"](bytes(28), bytes(28), 99, seed)
