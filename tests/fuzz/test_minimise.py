from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fuzz.minimise import minimise


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_minimise_keeps_only_what_the_fault_needs(before: bytes, after: bytes) -> None:
    assert minimise(before + b"\x2a" + after, lambda octets: 0x2A in octets) == b"\x2a"


@given(st.binary(min_size=5, max_size=60))
def test_minimise_zeroes_octets_that_do_not_matter(octets: bytes) -> None:
    assert minimise(octets, lambda candidate: len(candidate) >= 5) == bytes(5)


def test_minimise_stops_when_its_attempts_are_used_up() -> None:
    tried = []

    def breaks(candidate: bytes) -> bool:
        tried.append(candidate)
        return False

    assert minimise(bytes(1000), breaks, attempts=10) == bytes(1000)
    assert len(tried) == 10
