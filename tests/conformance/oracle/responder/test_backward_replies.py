"""The oracle about backward Replies at a Responder that makes Calls."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.oracle.responder.backward_replies import expected_of_reply
from conformance.oracle.responder.expectation import ResponderState
from conformance.oracle.responder.expected import expected
from rpcrdma.ulp.rpc import RpcOutcome, RpcReply, encode_reply
from rpcrdma.wire import decode_header, encode_header
from tests.conformance.oracle.oracle_fakes import NULL, XID, TinyProgram, chunk, msg, rpc_call

CALLS = ResponderState(upper_layer=TinyProgram(), backward=True)
PLAIN = replace(CALLS, backward=False)
REPLY = encode_reply(RpcReply(XID, RpcOutcome.SUCCESS))


def answers(message: bytes, state: ResponderState = CALLS) -> list[str]:
    return [str(item) for item in expected(message, state).allowed]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (msg(REPLY), ["silence", "ERR_CHUNK"]),
        (msg(REPLY, writes=(chunk(8),)), ["silence", "ERR_CHUNK", "loss of the connection"]),
        (msg(REPLY, reply=chunk(8)), ["silence", "ERR_CHUNK", "loss of the connection"]),
        (
            msg(b"\0\0\0\1" + REPLY[4:]),
            ["silence", "ERR_CHUNK", "loss of the connection"],
        ),
    ],
    ids=["good", "write chunk", "reply chunk", "two XIDs"],
)
def test_a_reply_is_dropped_or_refused(message: bytes, wanted: list[str]) -> None:
    """D-41; who is never called has no such Reply to expect."""
    assert answers(message) == wanted
    assert "ERR_CHUNK (warning)" in answers(message, PLAIN)


@pytest.mark.parametrize("payload", [rpc_call(NULL), REPLY[:8], b""], ids=["call", "cut", "none"])
def test_what_is_no_whole_reply_is_judged_as_before(payload: bytes) -> None:
    message = msg(payload)
    header, end = decode_header(message)

    assert expected_of_reply(header, message[end:]) is None
    assert answers(message) == answers(message, PLAIN)
    assert encode_header(header) + payload == message
