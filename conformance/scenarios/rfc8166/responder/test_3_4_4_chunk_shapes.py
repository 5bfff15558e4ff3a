"""RFC 8166 section 3.4.4, Chunks: Read, Write and Reply chunks of every shape, in every mixture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client.shape_rows import DESTRUCTIVE, SHAPES

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.client.shapes import Shape


@requirement(
    "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    "rfc8166.6.1.reassembly-gives-a-valid-stream",
    "rfc8166.8.1.4.no-more-data-than-room",
    "rfc8166.3.4.3.segment-length-in-octets",
    interpretations=("D-20", "D-21", "D-23", "D-34"),
)
@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(shape, marks=[pytest.mark.destructive] if shape in DESTRUCTIVE else [])
        for shape in SHAPES
    ],
    ids=str,
)
def test_responder_serves_chunks_of_every_shape(peer: Peer, shape: Shape) -> None:
    """A Call of a drawn shape is served in every detail, or refused where that is allowed."""
    verify.shapes.shaped(peer, shape)
