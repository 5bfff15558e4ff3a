"""RFC 8166 section 2.2.4.2, XDR opaques: how results that stay in the stream are rounded up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

ZEROES: Final = "rfc8166.2.2.4.2.roundup-is-zero-octets"
COUNTS: Final = "rfc8166.2.2.4.2.roundup-does-not-count"
WORD: Final = 4


def in_the_stream(peer: Peer, length: int, form: str) -> Call:
    """A Call whose Reply has a result of this length in its Payload stream."""
    request = peer.workload.fetch(length)
    return build.short(peer, request) if form == "inline" else build.long_reply(peer, request)


@requirement(ZEROES, COUNTS, "rfc8166.4.rpc-layout-is-unchanged")
@pytest.mark.parametrize("form", ["inline", "reply-chunk"])
@pytest.mark.parametrize("odd", [1, 2, 3], ids="{}-beyond-a-unit".format)
def test_responder_rounds_a_result_in_the_stream_up(peer: Peer, form: str, odd: int) -> None:
    """A result of odd length is counted without its padding, and padded by octets of zero."""
    call = in_the_stream(peer, (300 if form == "inline" else 3000) + odd, form)

    peer.send(call)

    answer = verify.awaited(peer, call, Answered)
    payload = verify.reply_of(call, answer).payload
    (item,) = call.request.layer.results(call.unreduced, payload)
    assert item is not None
    count = int.from_bytes(payload[item.position - WORD : item.position])
    verify.equal(count % WORD, odd, "the count, modulo four", breaks=COUNTS)
    padding = payload[item.position + item.length : item.end]
    verify.equal(padding.hex(), bytes(WORD - odd).hex(), "the padding", breaks=ZEROES)
    peer.put_aside(answer)
    verify.served(peer, call)
