"""Optional messages that a Responder does not support.

v2 section 3.1  Optional Features
v2 section 3.2  Message Direction
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import ErrChunk, ErrVers, InvalidOption, OptionReceived
from conformance.tester.client import build
from rpcrdma.wire.optional import UnknownOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

ANSWERED: Final = "v2.3.1.unsupported-operation-is-answered"
SAME_XID: Final = "v2.3.1.refusal-echoes-the-xid"
AN_ERROR: Final = "v2.3.1.refusal-is-an-error-message"
ITS_CODE: Final = "v2.3.1.refusal-has-its-own-code"
ANY_NUMBER: Final = "v2.3.1.any-operation-number"
FORMS: Final = (InvalidOption, ErrChunk, ErrVers, OptionReceived)
"""Answers that refuse an operation, rightly or not."""

CONTENTS: Final = {
    "empty": b"",
    "one-octet": b"\x01",
    "garbage": b"\xff" * 40,
    "a-list-without-end": bytes.fromhex("00000001 00000001 ffffffff"),
    "3000-octets": bytes(3000),
}


@requirement(
    ANSWERED,
    SAME_XID,
    AN_ERROR,
    ITS_CODE,
    ANY_NUMBER,
    wider="an answer of another kind fails afterwards, under the statement that it breaks",
)
@pytest.mark.parametrize("operation", [0, 9, 16, 77, 2**31, 2**32 - 1])
def test_responder_refuses_an_operation_that_nobody_knows(peer_two: Peer, operation: int) -> None:
    """An optional message with an unknown operation gets INVAL_OPTION, and RPCs go on."""
    message = build.option(peer_two, UnknownOption(operation, b""))

    peer_two.send(message)

    outcome = verify.expect(peer_two, message, *FORMS, breaks=(ANSWERED, ANY_NUMBER))
    verify.that(
        not isinstance(outcome, OptionReceived),
        "an error refuses it",
        actual=outcome,
        breaks=AN_ERROR,
    )
    what = "the error's code is INVAL_OPTION"
    verify.that(isinstance(outcome, InvalidOption), what, actual=str(outcome), breaks=ITS_CODE)
    call = build.small_call(peer_two)
    peer_two.send(call)
    verify.served(peer_two, call, breaks=ANSWERED)


@requirement("v2.3.1.optinfo-is-read-by-its-operation-only", ANSWERED)
@pytest.mark.parametrize("contents", CONTENTS)
def test_responder_reads_nothing_of_an_operation_that_it_does_not_know(
    peer_two: Peer, contents: str
) -> None:
    """Whatever an unknown operation carries, the message gets INVAL_OPTION."""
    message = build.option(peer_two, UnknownOption(77, CONTENTS[contents]))

    peer_two.send(message)

    verify.refused(peer_two, message)


@requirement(ANSWERED, SAME_XID, interpretations=("D-62",))
def test_responder_refuses_an_unknown_operation_before_any_call(
    connect_two: Callable[..., Peer],
) -> None:
    """An unknown operation as the very first message gets INVAL_OPTION; then Calls are served."""
    peer = connect_two()

    message = build.option(peer, UnknownOption(77, b""))

    peer.send(message)

    verify.refused(peer, message)
    call = build.null_call(peer)
    peer.send(call)
    verify.served(peer, call)
