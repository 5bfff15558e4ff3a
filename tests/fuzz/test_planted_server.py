"""A planted bug of a server of both versions shows in a few messages that the reference bears."""

from __future__ import annotations

import pytest

from fuzz.engine import implementation
from fuzz.harnesses.v2_responder import check, reference
from fuzz.invariant import BrokenInvariant
from fuzz.planted_server import IN_SERVERS
from fuzz.sequence import join
from rpcrdma.ulp import backprog
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header, v2
from rpcrdma.wire.rpc import MessageType


def two(xid: int, payload: bytes, way: MessageType = MessageType.CALL) -> bytes:
    header = v2.Rdma2Header(xid, 2, 8, v2.Rdma2Msg(way, (), (), None))
    return v2.encode_header(header) + payload


UNKNOWN = encode_header(TransportHeader(6, 99, 8, RdmaMsg((), (), None))) + calls.null(6)
BACK = [two(8, backprog.ready(8, 1)), two(9, backprog.call(9, 1, 2))]
"""The client takes Calls, and asks for two: one may be in flight."""

SHOWN = {
    "error-version": ([two(5, calls.null(5)), UNKNOWN], "oracle"),
    "backward-grant": (BACK, "backward-call"),
    "backward-xid": (
        [*BACK, two(0x4444, accepted(0x4444), MessageType.REPLY)],
        "backward-call",
    ),
}


@pytest.mark.parametrize("name", IN_SERVERS)
def test_it_shows(name: str) -> None:
    messages, invariant = SHOWN[name]
    harness, subject = IN_SERVERS[name]

    assert harness == "v2-responder"
    check(join(messages), reference())
    with pytest.raises(BrokenInvariant) as caught:
        check(join(messages), implementation(subject)())
    assert caught.value.invariant == invariant
