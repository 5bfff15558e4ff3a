"""RFC 8166 section 3.4.4.1, Counted Arrays: an array of arrays, which is one data item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from conformance.tester.workload import own

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

WHOLE: Final = "rfc8166.3.4.4.1.elements-stay-whole"
REJOINS: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"
WORD: Final = 4


@requirement(WHOLE)
@pytest.mark.parametrize(("rows", "cells"), [(1, 200), (4, 75), (7, 0)])
def test_responder_moves_whole_elements_into_a_write_chunk(
    peer: Peer, rows: int, cells: int
) -> None:
    """Of an array of arrays the chunk gets each array and its count, the stream that of arrays."""
    call = build.with_write_chunks(peer, own.fetch_rows(peer.workload, rows, cells))
    octets = rows * (WORD + WORD * cells)

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=WHOLE)
    held = [segment.length for chunk in answer.body.rdma_writes for segment in chunk.target]
    verify.equal(held, [octets], "the lengths of the Write chunk", breaks=WHOLE)
    verify.chunks.right(peer, call, answer, breaks=WHOLE)


@requirement(REJOINS)
@pytest.mark.parametrize("cuts", [(), (10, 1200)], ids=["one-segment", "cut-within-elements"])
def test_responder_puts_whole_elements_back(peer: Peer, cuts: tuple[int, ...]) -> None:
    """An array of arrays in a Read chunk arrives whole, wherever it is cut into segments."""
    call = build.with_read_chunks(peer, own.store_rows(peer.workload, 5, 150), (cuts,))

    peer.send(call)

    verify.chunks.served(peer, call, breaks=REJOINS)
