"""Calls and Replies are matched by XID and told apart by msg_type.

rfc8166 section 2.2.2  Requesters and Responders
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import build, mutate, verify
from conformance.outcome import Answered, ErrChunk
from conformance.requirement import requirement

if TYPE_CHECKING:
    from conformance.peer import Peer

REPLY_TYPE: Final = "rfc8166.2.2.2.reply-msg-type"
MSG_TYPE: Final = 4
"""Offset of msg_type in the Payload stream."""


@requirement(REPLY_TYPE, "rfc8166.2.2.2.reply-xid-is-the-calls")
def test_responder_answers_a_call_by_a_message_of_type_reply(peer: Peer) -> None:
    """What comes back under a Call's XID is an RPC message whose msg_type is REPLY."""
    call = build.small_call(peer)

    peer.send(call)

    answer = verify.expect(peer, call, Answered)
    verify.that(answer.rpc, "the answer is an RPC Reply", actual=str(answer), breaks=REPLY_TYPE)


@requirement("rfc8166.2.2.2.call-msg-type", "rfc8166.2.2.2.reply-retires-the-xid")
def test_responder_executes_no_message_of_type_reply(peer: Peer) -> None:
    """A good Call that calls itself a Reply is dropped, since nobody awaits one."""
    call = build.small_call(peer)
    place = mutate.header_length(call) + MSG_TYPE
    call = mutate.word(call, place, 1, "msg_type")

    peer.send(call)

    answer = verify.discarded(peer, call, ErrChunk)
    verify.recommended(peer, answer is None, "a Reply that nobody awaits is dropped")
