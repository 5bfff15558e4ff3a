"""The XID of the transport header, and the one of the RPC message after it.

rfc8166 section 4.2.1  Transaction ID (XID)
rfc8166 section 4.5.2  XDR Errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

HEADER_XID: Final = "rfc8166.2.2.2.reply-xid-is-the-calls"
MISMATCH: Final = "rfc8166.4.5.2.xid-mismatch-is-an-xdr-error"
MAY_BE_IGNORED: Final = "rfc8166.4.2.1.payload-xid-may-be-ignored"
SAME_XID: Final = "rfc8166.4.2.1.xid-equals-payload-xid"


@requirement(HEADER_XID, SAME_XID, "rfc8166.3.2.payload-begins-with-xid")
@pytest.mark.parametrize("xid", [0, 1, 0x80000000, 0xFFFFFFFF], ids="xid-{:#x}".format)
def test_responder_replies_with_the_xid_of_the_call_in_both_places(peer: Peer, xid: int) -> None:
    """The Reply to a Call has that Call's XID in its transport header and in its RPC message."""
    call = mutate.under(build.null_call(peer), xid)

    peer.send(call)

    answer = verify.expect(peer, call, Answered, breaks=HEADER_XID)
    reply = verify.reply_of(call, answer)
    verify.equal(reply.rpc.xid, xid, "the XID of the Reply's RPC message", breaks=SAME_XID)


@requirement(
    MISMATCH,
    MAY_BE_IGNORED,
    HEADER_XID,
    interpretations=("D-12",),
    means={HEADER_XID: MISMATCH},
)
@pytest.mark.parametrize("mask", [1, 0xFFFFFFFF], ids="xids-differ-by-{:#x}".format)
def test_responder_answers_two_xids_with_err_chunk_or_under_that_of_the_header(
    peer: Peer, mask: int
) -> None:
    """If the two XIDs of a Call differ, the answer is ERR_CHUNK or a Reply under rdma_xid."""
    call = build.small_call(peer)
    call = mutate.xid(call, call.xid ^ mask)

    peer.send(call)

    verify.expect(peer, call, ErrChunk, Answered, breaks=(MISMATCH, MAY_BE_IGNORED))
    verify.silent(peer, breaks=MISMATCH)


@requirement(
    MISMATCH,
    MAY_BE_IGNORED,
    HEADER_XID,
    interpretations=("D-12",),
    means={HEADER_XID: MISMATCH},
)
def test_responder_answers_two_xids_of_a_long_call_likewise(peer: Peer) -> None:
    """A Long Call whose chunk holds another XID gets ERR_CHUNK or a Reply under rdma_xid."""
    call = build.long_call(peer, peer.workload.small())
    call = mutate.xid(call, call.xid ^ 0xFF00)

    peer.send(call)

    verify.expect(peer, call, ErrChunk, Answered, breaks=(MISMATCH, MAY_BE_IGNORED))
    verify.silent(peer, breaks=MISMATCH)
