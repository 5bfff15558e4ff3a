"""Each edit changes what it says, and leaves what a decoder takes where it should."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rfc8166 import transport_headers
from fuzz.structure import edits
from fuzz.structure.edits import EDITS, edit, splice
from fuzz.structure.headers import RPC_MESSAGE, V1_HEADER
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.rpc import encode_call
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

if TYPE_CHECKING:
    from fuzz.structure.edits import Edit
    from fuzz.structure.mutator import ItemMutator

ONE, TWO, THREE = (RdmaSegment(number, number, number) for number in (1, 2, 3))
HEADER = TransportHeader(
    1,
    1,
    1,
    RdmaMsg((ReadSegment(4, ONE), ReadSegment(8, TWO)), (WriteChunk((ONE, TWO)),), None),
)
OCTETS = encode_header(HEADER)
CALL = encode_call(7, 100003, 3, 0)


def made(one: Edit, octets: bytes = OCTETS, of: ItemMutator = V1_HEADER) -> set[bytes]:
    """What an edit makes of an input, by many seeds."""
    found = (one(of.scene(octets, Random(seed))) for seed in range(80))
    return {octets for octets in found if octets is not None}


def headers(one: Edit) -> list[TransportHeader]:
    """Those that are headers as long as the octets."""
    found = []
    for octets in made(one):
        try:
            header, end = decode_header(octets)
        except DecodeError:
            continue
        if end == len(octets):
            found.append(header)
    return found


def reads(header: TransportHeader) -> list[int]:
    body = header.rdma_body
    return [one.position for one in body.rdma_reads] if isinstance(body, RdmaMsg) else []


def test_elements_are_dropped_repeated_swapped_and_added_with_their_counts() -> None:
    assert {tuple(reads(one)) for one in headers(edits._dropped)} >= {(4,), (8,), (4, 8)}
    assert {len(reads(one)) for one in headers(edits._repeated)} >= {2, 3, 4}
    assert [8, 4] in [reads(one) for one in headers(edits._swapped)]
    assert 3 in [len(reads(one)) for one in headers(edits._added)]
    assert len(headers(edits._dropped)) == len(made(edits._dropped))


def test_an_arm_comes_with_its_body_or_keeps_the_old_one() -> None:
    kinds = {type(one.rdma_body) for one in headers(edits._arm)}

    assert {RdmaMsg, RdmaNomsg} < kinds
    assert len(kinds) == 5


def test_what_is_optional_comes_and_goes() -> None:
    present = made(edits._presence)
    gone = {octets for one in present for octets in made(edits._presence, one)}

    assert OCTETS not in present
    assert OCTETS in gone


def test_a_count_disagrees_by_one_with_its_elements() -> None:
    for octets in made(edits._miscount):
        assert len(octets) == len(OCTETS)
        changed = [place for place in range(0, len(octets), 4) if octets[place:] != OCTETS[place:]]
        assert abs(octets[changed[-1] + 3] - OCTETS[changed[-1] + 3]) in {1, 4}


def test_a_breach_is_refused_by_the_decoder() -> None:
    for octets in made(edits._breach):
        with pytest.raises(DecodeError):
            decode_header(octets)


def test_opaque_fields_grow_shrink_and_change() -> None:
    lengths = {len(octets) for octets in made(edits._opaque, CALL, RPC_MESSAGE)}

    assert lengths >= {len(CALL), len(CALL) + 4}
    assert not made(edits._opaque)


def test_a_splice_takes_an_item_of_the_same_type_from_the_other() -> None:
    other = encode_header(TransportHeader(9, 1, 9, RdmaNomsg((ReadSegment(12, THREE),), (), None)))
    found = set()
    for seed in range(80):
        draw = Random(seed)
        octets = splice(V1_HEADER.scene(OCTETS, draw), V1_HEADER.scene(other, draw))
        assert octets is not None
        found.add(octets)

    assert any(THREE.handle.to_bytes(4, "big") in octets for octets in found)
    assert encode_header(TransportHeader(9, 1, 1, HEADER.rdma_body)) in found


def test_an_edit_that_does_not_fit_is_none() -> None:
    for seed in range(40):
        octets = edit(V1_HEADER.scene(OCTETS, Random(seed)), len(OCTETS))
        assert octets is None or (len(octets) <= len(OCTETS) and octets != OCTETS)


@given(transport_headers().map(encode_header), st.integers(0, 200), st.integers(0, 2**32 - 1))
def test_any_edit_bears_any_header_whole_or_cut(octets: bytes, cut: int, seed: int) -> None:
    for one in EDITS:
        one(V1_HEADER.scene(octets, Random(seed)))
        one(V1_HEADER.scene(octets[:cut], Random(seed)))
