"""Chunk lists that cannot be decoded: cut, with odd presence words, with absurd counts.

rfc8166 section 4.3    Chunk Lists
rfc8166 section 4.5.2  XDR Errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.oracle.sizes import SHORTEST_MESSAGE
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

GETS_ERR_CHUNK: Final = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
ANSWERED: Final = "rfc8166.4.5.bad-call-header-answered"

HEADER: Final = 136
"""Octets of `full_header`: fixed words, two read segments, a Write chunk of two, a Reply chunk of
one."""
PRESENT: Final = {
    "read-segment-1": 16,
    "read-segment-2": 40,
    "write-chunk": 68,
    "reply-chunk": 112,
}
"""Where the presence words of `full_header` are that are 1."""
ABSENT: Final = {"read-list": 16, "write-list": 20, "reply-chunk": 24}
"""Where the three presence words of a Call without chunks are."""
COUNTS: Final = {"write-chunk": 72, "reply-chunk": 116}
"""Where `full_header` counts segments."""


def full_header(peer: Peer) -> Call:
    """A good Call with a Read chunk of two segments, a Write chunk of two, and a Reply chunk."""
    store = peer.workload.store(bytes(64))
    return build.call(peer, store, reads=((24,),), writes=((64, 64),), reply=(1024,))


@requirement(GETS_ERR_CHUNK, ANSWERED, interpretations=("D-40",))
@pytest.mark.parametrize("length", range(SHORTEST_MESSAGE, HEADER, 4), ids="octet-{}".format)
def test_responder_answers_a_cut_header_with_err_chunk(peer: Peer, length: int) -> None:
    """A header that ends within its chunk lists, at a boundary of four octets, gets ERR_CHUNK."""
    call = mutate.truncate(full_header(peer), length)

    peer.send(call)

    verify.cut(peer, call, breaks=(GETS_ERR_CHUNK, ANSWERED))


@requirement("rfc8166.4.3.three-optional-lists", GETS_ERR_CHUNK, interpretations=("D-33",))
@pytest.mark.parametrize("value", [2, 2**32 - 1], ids="word-{:#x}".format)
@pytest.mark.parametrize("place", PRESENT)
def test_responder_refuses_an_odd_word_where_an_item_follows(
    peer: Peer, place: str, value: int
) -> None:
    """A presence word that is neither 0 nor 1 gets ERR_CHUNK; taking it for 1 is a warning."""
    call = mutate.word(full_header(peer), PRESENT[place], value, f"presence of {place}")

    peer.send(call)

    verify.expect(peer, call, ErrChunk, tolerated=(Answered,), breaks=GETS_ERR_CHUNK)


@requirement(
    "rfc8166.4.3.three-optional-lists", GETS_ERR_CHUNK, ANSWERED, interpretations=("D-33",)
)
@pytest.mark.parametrize("place", ABSENT)
def test_responder_refuses_an_odd_word_where_nothing_follows(peer: Peer, place: str) -> None:
    """A presence word of 2 in place of 0 gets ERR_CHUNK: no list follows that could be decoded."""
    call = mutate.word(build.null_call(peer), ABSENT[place], 2, f"presence of the {place}")

    peer.send(call)

    verify.expect(peer, call, ErrChunk, breaks=(GETS_ERR_CHUNK, ANSWERED))


@requirement(GETS_ERR_CHUNK, ANSWERED, interpretations=("D-40",))
@pytest.mark.parametrize("count", [2**16, 2**28, 2**32 - 1], ids="count-{:#x}".format)
@pytest.mark.parametrize("place", COUNTS)
def test_responder_refuses_an_absurd_count(peer: Peer, place: str, count: int) -> None:
    """A chunk that counts more segments than the message can hold gets ERR_CHUNK."""
    call = mutate.word(full_header(peer), COUNTS[place], count, f"segments of the {place}")

    peer.send(call)

    verify.cut(peer, call, breaks=(GETS_ERR_CHUNK, ANSWERED))
