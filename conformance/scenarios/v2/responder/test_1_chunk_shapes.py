"""Version Two, section 1: chunks of every shape go on as in Version One.

A third of the shapes will do: the rules are those of Version One, and so is most of the code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client.shape_rows import DESTRUCTIVE, NUMBERS, SHAPES

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.client.shapes import Shape


@requirement(
    "v2.1.read-chunks-as-before",
    "v2.1.write-chunks-as-before",
    "v2.1.reply-chunk-as-before",
    "v2.4.2.3.lack-of-room-is-reported",
    interpretations=("D-20", "D-21", "D-23", "D-34"),
)
@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(shape, marks=[pytest.mark.destructive] if shape in DESTRUCTIVE else [])
        for shape in SHAPES
        if NUMBERS[shape] % 3 == 0
    ],
    ids=str,
)
def test_responder_serves_chunks_of_every_shape(peer_two: Peer, shape: Shape) -> None:
    """A Call of a drawn shape in Version Two is served in every detail, or may be refused."""
    verify.shapes.shaped(peer_two, shape)
