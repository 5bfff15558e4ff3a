"""RPC messages keep their layout: what is refused at RPC level is refused by a Reply.

rfc8166 section 4      RPC-over-RDMA in Operation
rfc8166 section 4.2.4  Procedure Number
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, Disconnected, Silent
from conformance.tester.client import build, mutate
from rpcrdma.ulp.rpc import RpcOutcome

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer

BY_MSG: Final = "rfc8166.4.2.4.msg-payload-follows-the-lists"
LAYOUT: Final = "rfc8166.4.rpc-layout-is-unchanged"
NUMBERS: Final = "rfc8166.9.program-numbers-are-unchanged"
REFUSALS: Final = {
    "rpc-version": (8, 3, RpcOutcome.RPC_MISMATCH),
    "program": (12, 0x3FFFFFFF, RpcOutcome.PROG_UNAVAIL),
    "program-version": (16, 0xFFFF, RpcOutcome.PROG_MISMATCH),
    "procedure": (20, 0xFFFF, RpcOutcome.PROC_UNAVAIL),
}
"""What is unknown -> its offset in the RPC message, the number sent, the status due by RFC 5531."""

DROPPED: Final[dict[str, tuple[type[Outcome], ...]]] = {"rpc-version": (Silent, Disconnected)}
"""What is unknown -> what may come instead of a Reply, and is warned of (D-158)."""


@requirement(
    LAYOUT,
    BY_MSG,
    NUMBERS,
    interpretations=("D-158",),
    wider="what a server does with another version of RPC is RFC 5531's, which the oracle leaves",
)
@pytest.mark.parametrize("unknown", REFUSALS)
def test_responder_refuses_at_rpc_level_by_rdma_msg(peer: Peer, unknown: str) -> None:
    """A Call of an unknown program, version or procedure gets that status in an RDMA_MSG."""
    place, number, status = REFUSALS[unknown]
    call = build.null_call(peer)
    call = mutate.word(call, mutate.header_length(call) + place, number, unknown)

    peer.send(call)

    answer = verify.expect(peer, call, Answered, tolerated=DROPPED.get(unknown, ()), breaks=LAYOUT)
    if not isinstance(answer, Answered):
        return
    verify.that(answer.rpc, "the Reply is inline", actual=str(answer), breaks=(BY_MSG, LAYOUT))
    breaks = (NUMBERS, LAYOUT) if unknown == "program" else LAYOUT
    found = answer.rpc and answer.rpc.outcome
    verify.equal(found, status, "the status of the Reply", breaks=breaks)
