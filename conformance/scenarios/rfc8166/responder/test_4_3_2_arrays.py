"""RFC 8166 section 4.3.2, Write List: an array of results, and fewer, more or empty chunks.

And section 3.5.2: an array of arguments of which some are reduced.  A result of no octets is in
none of the rows: no document says whether it takes a chunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from conformance.tester.workload import own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.tester.client.peer import Peer

IN_ORDER: Final = "rfc8166.4.3.2.1.results-fill-chunks-in-order"
NEXT: Final = "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result"
UNUSED: Final = "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused"
INLINE: Final = "rfc8166.4.3.2.3.empty-chunk-result-is-inline"
REJOINS: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"

Sizes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One Write list for an array of results.

    Attributes:
        results: lengths; None for an arm without data.
        chunks: of the call.
        returned: lengths that must come back.
        breaks: what is broken by others.
    """

    results: tuple[int | None, ...]
    chunks: Sizes
    returned: Sizes
    breaks: str


ROWS: Final[Mapping[str, Row]] = {
    "a-chunk-for-each": Row(
        (300, 200, 104), ((400,), (300,), (100, 100)), ((300,), (200,), (100, 4)), IN_ORDER
    ),
    "fewer-chunks": Row((120, 80, 100, 52), ((120,), (120,)), ((120,), (80,)), IN_ORDER),
    "more-chunks": Row(
        (300, 200),
        ((300,), (300,), (300,), (100, 200)),
        ((300,), (200,), (0,), (0, 0)),
        UNUSED,
    ),
    "no-result": Row((None, None, None), ((300,), (200, 100)), ((0,), (0, 0)), UNUSED),
    "absent-in-the-middle": Row(
        (300, None, 500), ((600,), (600,), (600,)), ((300,), (500,), (0,)), NEXT
    ),
    "absent-at-the-beginning": Row((None, None, 400, 60), ((400,),), ((400,),), NEXT),
    "empty-in-the-middle": Row((300, 200, 104), ((300,), (), (300,)), ((300,), (), (104,)), INLINE),
    "empty-for-what-comes-first": Row(
        (None, 200, None, 500), ((), (500,), (500,)), ((), (500,), (0,)), INLINE
    ),
}


@requirement(IN_ORDER, NEXT, UNUSED, INLINE)
@pytest.mark.parametrize("name", ROWS)
def test_responder_matches_an_array_of_results_with_chunks(peer: Peer, name: str) -> None:
    """The results that come take the chunks in order; one whose chunk is empty is inline."""
    row = ROWS[name]
    request = own.fetch_array(peer.workload, row.results)
    call = build.with_write_chunks(peer, request, row.chunks)

    peer.send(call)

    reply = verify.chunks.served_unless_too_many(peer, call, breaks=row.breaks)
    if reply is not None:
        writes = reply.answer.body.rdma_writes
        lengths = tuple(tuple(one.length for one in chunk.target) for chunk in writes)
        verify.equal(lengths, row.returned, "the lengths returned", breaks=row.breaks)


@requirement(REJOINS)
@pytest.mark.parametrize("reduced", [1, 2, 4])
def test_responder_puts_an_array_of_arguments_back(peer: Peer, reduced: int) -> None:
    """Of four arguments the first ones are in Read chunks, the others inline: all arrive whole."""
    request = own.store_array(peer.workload, (301, 40, 202, 33))
    call = build.with_read_chunks(peer, request, ((),) * reduced)

    peer.send(call)

    verify.chunks.served(peer, call, breaks=REJOINS)
