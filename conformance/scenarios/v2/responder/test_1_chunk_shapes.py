"""Version Two, section 1: chunks of every shape go on as in Version One.

A third of the shapes will do: the rules are those of Version One, and so is most of the code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from conformance.tester.client.shape_rows import DESTRUCTIVE, NUMBERS, SHAPES
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.client.shapes import Shape

READ: Final = "v2.1.read-chunks-as-before"
BEFORE: Final = 100
"""Calls after which a count that goes down alone is far from where it began."""


@requirement(
    READ,
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


@requirement(READ)
@pytest.mark.parametrize("segments", [129, 150])
def test_responder_serves_many_segments_after_many_calls(peer_two: Peer, segments: int) -> None:
    """After many calls on a connection one comes whose argument is in more than 128 segments.

    A device keeps to what its adapter has in progress at a time, however much that has done before.
    """
    for _ in range(BEFORE):
        call = build.small_call(peer_two)
        peer_two.send(call)
        verify.served(peer_two, call, breaks=READ)
    data = pattern(4 * segments)
    wide = build.with_read_chunks(peer_two, peer_two.workload.store(data), ((4,) * segments,))

    peer_two.send(wide)

    verify.chunks.stored_unless_too_many(peer_two, wide, data, breaks=READ)
