"""RFC 8166 section 4.1.2, RPC-over-RDMA Version One XDR: the words of what a Responder sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk, ErrVers
from conformance.tester.client import build, mutate
from rpcrdma.wire import encode_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

UNKNOWN_VERSION: Final = 0xFFFF
UNKNOWN_PROCEDURE: Final = 0xFFFF
CREDITS: Final = slice(16, 24)
"""Where the credits stand in the hexadecimal digits of a header: their value is free."""

REPLIES: Final[dict[str, tuple[Callable[[Peer], Call], int]]] = {
    "rdma-msg": (build.small_call, 0),
    "rdma-msg-with-chunks": (
        lambda peer: build.with_write_chunks(peer, peer.workload.fetch(2000)),
        0,
    ),
    "rdma-nomsg": (lambda peer: build.long_reply(peer, peer.workload.fetch(2000)), 1),
}
"""Name -> a Call, and the procedure of its Reply."""


def words(*numbers: int) -> str:
    """Words as hexadecimal digits."""
    return "".join(f"{number:08x}" for number in numbers)


@requirement(
    "rfc8166.4.1.2.header-layout",
    "rfc8166.4.header-is-xdr",
    "rfc8166.4.2.four-fixed-words",
    "rfc8166.4.2.4.msg-payload-follows-the-lists",
    means={"rfc8166.4.2.fourth-word-selects-the-body": "rfc8166.4.2.four-fixed-words"},
)
@pytest.mark.parametrize("form", REPLIES)
def test_responder_starts_a_reply_with_the_four_words(peer: Peer, form: str) -> None:
    """A Reply starts with XID, version, credits and procedure, four octets each, highest first."""
    make, procedure = REPLIES[form]
    call = make(peer)

    peer.send(call)

    answer = verify.awaited(peer, call, Answered)
    fixed = encode_header(answer.header).hex()[:32]
    wanted = words(call.xid, 1, answer.credits, procedure)
    verify.equal(fixed, wanted, "the fixed words")
    verify.look(peer, call, answer)


@requirement(
    "rfc8166.4.2.4.error-is-four",
    "rfc8166.4.1.2.header-layout",
    means={"rfc8166.4.2.fourth-word-selects-the-body": "rfc8166.4.2.4.error-is-four"},
)
@pytest.mark.parametrize("kind", ["err-vers", "err-chunk"])
def test_responder_lays_an_error_out_as_the_xdr_says(peer: Peer, kind: str) -> None:
    """An error is the four fixed words with procedure 4, the code, and for ERR_VERS the range."""
    call = build.null_call(peer)
    if kind == "err-vers":
        spoilt = mutate.version(call, UNKNOWN_VERSION)
    else:
        spoilt = mutate.procedure(call, UNKNOWN_PROCEDURE)

    peer.send(spoilt)

    if kind == "err-vers":
        refused = verify.expect(peer, spoilt, ErrVers)
        header, union = refused.header, words(1, *refused.versions)
    else:
        header, union = verify.expect(peer, spoilt, ErrChunk).header, words(2)
    octets = encode_header(header).hex()
    wanted = words(call.xid, spoilt.version, 0, 4) + union
    fields = (octets[: CREDITS.start], octets[CREDITS.stop :])
    verify.equal(fields, (wanted[: CREDITS.start], wanted[CREDITS.stop :]), "all but the credits")
