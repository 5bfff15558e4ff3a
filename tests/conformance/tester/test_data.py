"""How data differ, in a clause."""

from __future__ import annotations

import pytest

from conformance.tester.data import differing


@pytest.mark.parametrize(
    ("found", "expected", "clause"),
    [
        (b"same", b"same", ""),
        (b"", b"", ""),
        (b"short", b"longer", "5 octets instead of 6"),
        (
            b"012345678#0##",
            b"0123456789012",
            "3 of 13 octets are wrong, from octet 9 on: 23302323 instead of 39303132",
        ),
        (b"0" * 20, b"1" * 20, "20 of 20 octets are wrong, from octet 0 on: " + "30" * 8),
    ],
)
def test_data_differ_in_so_many_octets_from_some_place_on(
    found: bytes, expected: bytes, clause: str
) -> None:
    assert differing(found, expected).removesuffix(f" instead of {'31' * 8}") == clause
