"""rfc8166 section 4.7 XDR Examples: the words of every list of a Requester's calls.

Where each list begins and ends is written down here from the examples of the document, and not by
the suite's codec, so that a fault that both ends share shows as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import Procedure
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient

WORD: Final = 4
LISTS: Final = 4
"""Words before the lists: the fixed ones."""

READ_SEGMENT: Final = 6
"""Words of a read segment: presence, Position, handle, length, offset."""

SEGMENT: Final = 4


def words_of(call: ReceivedCall) -> list[int]:
    """A message in words."""
    octets = call.octets
    return [int.from_bytes(octets[at : at + WORD]) for at in range(0, len(octets), WORD)]


def end_of_lists(words: Sequence[int]) -> int:
    """Where the word stands that follows the three lists.

    Raises:
        IndexError: they go beyond the message.
    """
    at = LISTS
    while words[at] == 1:
        at += READ_SEGMENT
    at += 1
    while words[at] == 1:
        at += 2 + SEGMENT * words[at + 1]
    at += 1
    return at + 2 + SEGMENT * words[at + 1] if words[at] == 1 else at + 1


def misencoded(call: ReceivedCall) -> str:
    """Whether the lists are not followed by the call, or by nothing where a chunk holds it."""
    words = words_of(call)
    try:
        end = end_of_lists(words)
    except IndexError:
        return "The lists of a call go beyond the end of the message"
    inline = words[3] != Procedure.RDMA_NOMSG
    if words[end : end + 1] == (words[:1] if inline else []):
        return ""
    return f"The lists of a call are followed by {words[end : end + 1]}, not by the call"


@requirement(
    "rfc8166.4.7.read-list-encoding",
    "rfc8166.4.7.empty-write-list-encoding",
    "rfc8166.4.1.2.header-layout",
    "rfc8166.4.3.three-optional-lists",
    "rfc8166.4.2.four-fixed-words",
    "rfc8166.4.2.4.msg-payload-follows-the-lists",
    role="requester",
)
@pytest.mark.parametrize(
    ("kind", "length"),
    [(ActKind.WRITE, 5001), (ActKind.WRITE, 2_500_000), (ActKind.LONG_CALL, 0)],
    ids=("write-5001", "write-2500000", "long-call"),
)
def test_requester_encodes_the_read_list_as_the_examples_show(
    service: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """Each read segment is led by a one; a zero ends the list, and another the empty Write list."""
    result = client.do(kind, length)

    verify.calls.each(service.received, misencoded)
    verify.calls.done(result)
    verify.calls.some((call for call in service.received if call.reads), "with a Read list")


@requirement(
    "rfc8166.4.7.empty-read-list-encoding",
    "rfc8166.4.7.write-list-encoding",
    "rfc8166.4.7.write-chunk-encoding",
    "rfc8166.4.3.2.write-list-of-counted-arrays",
    "rfc8166.4.3.three-optional-lists",
    "rfc8166.4.2.4.msg-payload-follows-the-lists",
    role="requester",
)
def test_requester_encodes_the_write_list_as_the_examples_show(
    service: Service, client: ActingClient
) -> None:
    """Each Write chunk is led by a one, and is a count and that many segments; a zero ends them."""
    result = client.do(ActKind.READ, 6000)

    verify.calls.each(service.received, misencoded)
    verify.calls.done(result)
    verify.calls.some((call for call in service.received if call.writes), "with a Write list")


@requirement(
    "rfc8166.4.7.reply-chunk-encoding",
    "rfc8166.4.7.empty-read-list-encoding",
    "rfc8166.4.7.empty-write-list-encoding",
    "rfc8166.4.3.3.one-reply-chunk-slot",
    "rfc8166.4.3.three-optional-lists",
    role="requester",
)
def test_requester_encodes_the_reply_chunk_as_the_examples_show(
    service: Service, client: ActingClient
) -> None:
    """A call with a Reply chunk has a one for it, a count and that many segments, and no more."""
    result = client.do(ActKind.LONG_REPLY)

    verify.calls.each(service.received, misencoded)
    verify.calls.done(result)
    with_room = (call for call in service.received if call.reply_chunk is not None)
    verify.calls.some(with_room, "with a Reply chunk")


@requirement(
    "rfc8166.4.7.no-chunks-three-zero-words",
    "rfc8166.4.7.empty-read-list-encoding",
    "rfc8166.4.7.empty-write-list-encoding",
    "rfc8166.4.3.no-chunks-all-absent",
    role="requester",
)
@pytest.mark.parametrize("kind", [ActKind.NULL, ActKind.SMALL])
def test_requester_encodes_no_chunks_as_three_words_of_zero(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """A call that offers no memory has three words of zero after the fixed ones.

    That a list is there, and has no segment, is worth a warning (D-34), which the oracle has.
    """
    result = client.do(kind)

    verify.calls.each(service.received, misencoded)
    verify.calls.done(result)
