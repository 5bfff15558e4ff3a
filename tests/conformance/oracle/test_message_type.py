"""Calls and Replies told apart."""

from __future__ import annotations

import pytest

from conformance.oracle.message_type import message_type, whole_type
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire.rpc import MessageType
from tests.conformance.oracle.oracle_fakes import msg, nomsg, reading

CALL = calls.null(7)
REPLY = calls.expected_reply(CALL)


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (msg(CALL), MessageType.CALL),
        (msg(REPLY), MessageType.REPLY),
        (msg(REPLY, reads=(reading(4, 1, 8),)), MessageType.REPLY),
        (msg(CALL[:8]), MessageType.CALL),
        (msg(CALL[:7]), None),
        (msg(CALL[:4] + b"\0\0\0\2"), None),
        (nomsg(behind=CALL), None),
        (msg(CALL)[:20], None),
        (b"", None),
    ],
)
def test_message_says_what_it_is(message: bytes, wanted: MessageType | None) -> None:
    assert message_type(message) is wanted


@pytest.mark.parametrize(
    ("payload", "wanted"),
    [(CALL, MessageType.CALL), (REPLY, MessageType.REPLY), (CALL[:-1], None), (b"", None)],
)
def test_only_a_whole_header_makes_an_rpc_message(
    payload: bytes, wanted: MessageType | None
) -> None:
    assert whole_type(payload) is wanted
