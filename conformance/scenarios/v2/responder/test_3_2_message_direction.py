"""Directions of optional messages, as a Responder takes them.

v2 section 3.2    Message Direction
v2 section 4.2.2  Message Direction
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import ErrChunk, InvalidOption
from conformance.tester.client import build, mutate
from rpcrdma.wire.operations import ReqProp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from rpcrdma.wire.optional import Option

TOLD: Final = "v2.3.2.optional-messages-tell-their-direction"
OPTIONS: Final[dict[str, Option]] = {
    "request": ReqProp(property_values(ReceiveBufferSize(8192))),
    "unknown-operation": UnknownOption(77, b""),
}


@requirement(TOLD, interpretations=("D-78", "D-146"))
@pytest.mark.parametrize("option", OPTIONS)
def test_responder_takes_an_optional_reply_for_no_request(peer_two: Peer, option: str) -> None:
    """An operation that is said to be an answer, and answers nothing, begins nothing."""
    message = build.option(peer_two, OPTIONS[option], direction=MessageType.REPLY)

    peer_two.send(message)

    verify.discarded(peer_two, message, InvalidOption, tolerated=(ErrChunk,), breaks=TOLD)


@requirement(TOLD, "v2.4.2.3.wrong-direction-is-not-served", interpretations=("D-134",))
@pytest.mark.parametrize("direction", [2, 2**32 - 1], ids="direction-{:#x}".format)
def test_responder_answers_an_optional_message_without_direction_with_bad_header(
    peer_two: Peer, direction: int
) -> None:
    """A word that is no direction makes an optional message a header that cannot be decoded."""
    message = mutate.direction(build.option(peer_two, UnknownOption(77, b"")), direction)

    peer_two.send(message)

    verify.expect(peer_two, message, ErrChunk)
