"""rtrext section 1.4, Role Terminology: a client as a Responder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from conformance.groups.draft import drafted
from rpcrdma.wire.operations import XmtReq, XmtResp
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer
    from rpcrdma.wire._generated_rtrext import MessageItem

BOTH = "rtrext.1.4.either-end-is-both"


def _begin(items: tuple[MessageItem, ...], count: int, length: int) -> XmtReq:
    """A request without directions, whose response has one transmission."""
    return XmtReq(items, (), count, 0, length)


@requirement(
    BOTH, role="requester", needs=("xmtreq", "xmtcont", "backward"), interpretations=("D-116",)
)
@pytest.mark.parametrize("cut", [0, 4, 20])
def test_client_serves_backward_calls_in_groups(groups: GroupServer, cut: int) -> None:
    """A backward Call comes in one transmission, or in two: its right Reply comes."""
    server = BackwardServer.of(groups.service)
    if cut and groups.told.request_limit < 2:
        raise Unsupported("the client takes requests of one transmission only")
    xid = server.next_xid()
    payload = server.calls.null(xid)
    sizes = (cut, len(payload) - cut) if cut else (len(payload),)
    group = drafted(xid, payload, (), _begin, groups.told.layout, sizes=sizes)

    server.transmit(xid, payload, (message.octets for message in group.messages))

    groups.service.serve_while(lambda: not (server.answers(xid) or _responses(groups, xid)))
    for payload_of_reply in _responses(groups, xid):
        problem = server.calls.problem(payload, payload_of_reply)
        verify.equal(problem, "", "the problem with the response", breaks=(BOTH,))
        return
    server.answered(xid, breaks=(BOTH,))


def _responses(groups: GroupServer, xid: int) -> list[bytes]:
    """RPC messages that have come under an XID as responses in groups (D-116)."""
    messages = groups.service.options.messages
    return [one.behind for one in messages if one.xid == xid and isinstance(one.option, XmtResp)]
