"""What reports call the kinds of outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.outcome import ErrChunk, Outcome, Silent
from conformance.tester.client import build
from conformance.verify.words import SENTENCES, differing, sentences

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer


def test_every_kind_of_outcome_has_a_name() -> None:
    names = {kind.__name__ for kind in Outcome.__subclasses__()}

    assert {kind.__name__ for kind in SENTENCES} == names


def test_an_err_chunk_is_a_bad_header_in_version_two(peer: Peer) -> None:
    one, two = (build.null_call(peer, version=version) for version in (1, 2))

    assert sentences((ErrChunk, Silent), one)[0].startswith("RDMA_ERROR with ERR_CHUNK")
    assert sentences((ErrChunk, Silent), two) == (
        "RDMA2_ERROR with BAD_HEADER, the call's XID and version",
        "silence",
    )


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
