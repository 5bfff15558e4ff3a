"""Calls of drawn shapes: their lists are as the words say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.responder.expected import expected
from conformance.oracle.sizes import THRESHOLD_ONE
from conformance.tester.client.build_shape import build_shape, data_of
from conformance.tester.client.harness import Harness
from conformance.tester.client.mutate import decode_header
from conformance.tester.client.shape_rows import SHAPES
from conformance.tester.client.shapes import Shape
from rpcrdma.wire import RdmaMsg, RdmaNomsg
from targets.profile import SHIPPED, load_profile
from targets.reference.server import ReferenceTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.client.peer import Peer


@pytest.fixture
def peer() -> Iterator[Peer]:
    harness = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml"), "loopback"))
    yield harness.connect()
    harness.close()


def lists(peer: Peer, shape: Shape) -> tuple[list[tuple[int, int]], list[list[int]], list[int]]:
    """Positions and lengths of the Read list; lengths of the Write chunks, and the Reply chunk."""
    body = decode_header(build_shape(peer, shape, 20).octets).header.rdma_body
    assert isinstance(body, RdmaMsg | RdmaNomsg)
    reads = [(one.position, one.target.length) for one in body.rdma_reads]
    writes = [[one.length for one in chunk.target] for chunk in body.rdma_writes]
    return reads, writes, [one.length for one in body.rdma_reply.target] if body.rdma_reply else []


@pytest.mark.parametrize(
    ("shape", "lengths"),
    [
        (Shape("store", "1501", read="one"), [1501]),
        (Shape("store", "1501", read="odd"), [1, 3, 4, 1493]),
        (Shape("store", "1501", read="two", pad="padded"), [750, 754]),
        (Shape("store", "1501", read="one", pad="apart"), [1501, 3]),
        (Shape("store", "1501", read="two", pad="long-4"), [750, 755]),
        (Shape("store", "1501", read="one", pad="short-1"), [1500]),
        (Shape("store", "1", read="seventeen"), [1]),
        (Shape("store", "1501", read="empty-first"), [0, 1501]),
    ],
    ids=str,
)
def test_cuts_an_argument(peer: Peer, shape: Shape, lengths: list[int]) -> None:
    assert [length for _, length in lists(peer, shape)[0]] == lengths


def test_lists_read_chunks_the_other_way_round(peer: Peer) -> None:
    reads, _, _ = lists(peer, Shape("store", "1501", "one", "two", order="reversed"))

    positions = [position for position, _ in reads]
    assert positions[-1] == 0
    assert positions == sorted(positions, reverse=True)


@pytest.mark.parametrize(
    ("writes", "lengths"),
    [
        ("fit", [[1501], [1501]]),
        ("empty-used", [[], [1501]]),
        ("few", [[1501]]),
        ("surplus", [[1501], [1501], [64, 64]]),
        ("odd", [[1, 3, 4, 1498], [1, 3, 4, 1498]]),
    ],
)
def test_offers_room_for_results(peer: Peer, writes: str, lengths: list[list[int]]) -> None:
    assert lists(peer, Shape("fetch-two", "1501", writes=writes))[1] == lengths


@pytest.mark.parametrize(("word", "count"), [("sixteen", 16), ("seventeen", 17)])
def test_offers_so_many_segments(peer: Peer, word: str, count: int) -> None:
    assert len(lists(peer, Shape("fetch", "1501", writes=word))[1][0]) == count
    assert len(lists(peer, Shape("fetch", "4", reply=word))[2]) == count


def test_a_reply_chunk_that_fits_has_room_for_what_is_not_reduced(peer: Peer) -> None:
    whole = lists(peer, Shape("fetch", "1501", reply="fit"))[2]
    rest = lists(peer, Shape("fetch", "1501", writes="fit", reply="fit"))[2]

    assert whole[0] - rest[0] == 1504


def test_knows_what_is_stored() -> None:
    assert [len(data) for data in data_of(Shape("store-two", "3"), 0)] == [3, 3]
    assert data_of(Shape("fetch"), 0) == ()


def test_every_shape_fits_a_send_and_its_fault_is_meant(peer: Peer) -> None:
    for shape in SHAPES:
        call = build_shape(peer, shape, 20)
        assert len(call.octets) <= THRESHOLD_ONE, str(shape)
        fault = expected(call.octets, peer.state).fault
        assert bool(fault) == (shape.pad.split("-")[0] in ("short", "long")), f"{shape}: {fault}"
