"""The specification as an oracle: what every message that a Requester sends must be.

    rfc8166 section 2.2.2  RPC Calls (message types, XIDs)
    rfc8166 section 3.2    Message Framing
    rfc8166 section 4.2    RPC-over-RDMA Header Fields
    rfc8166 section 4.6    Protocol Elements No Longer Supported
    v2 section 4.2         RPC-Over-RDMA Version Two XDR

`judge_call` takes any octets that arrived.  Fixed words and framing are judged here, credits in
`conformance.oracle.requester.credits`, chunks in `conformance.oracle.requester.read_list` and the
room for the Reply in `conformance.oracle.requester.room`, what Version Two has of its own in
`conformance.oracle.requester.two`.  What a Requester may do about what it *receives* is in
`conformance.oracle.requester.reaction`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.headers import VERSION_TWO, as_one, is_two
from conformance.oracle.requester.credits import judge_credits, judge_repetition, judge_xid
from conformance.oracle.requester.read_list import judge_items, judge_read_list
from conformance.oracle.requester.room import HEADER_LENGTH, judge_room, judge_segments
from conformance.oracle.requester.state import Ids, RequesterState, Violation
from conformance.oracle.requester.two import HEADER_LENGTH as HEADER_LENGTH_TWO
from conformance.oracle.requester.two import in_words_of_two, judge_version, judge_words
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import Procedure, RdmaMsg, RdmaNomsg, decode_header, rpc, v2
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.versions import FixedWords, fixed_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["RequesterState", "Violation", "judge_call"]

_SHORTEST: Final = 28
_VERSION_ONE: Final = 1
_UNIT: Final = 4
_MINIMUM_THRESHOLD: Final = 1024

_NEVER_SENT: Final[Mapping[int, Violation]] = {
    Procedure.RDMA_MSGP: Violation(
        ("rfc8166.4.6.1.msgp-is-not-sent", "rfc8166.4.2.4.msgp-is-reserved"), "RDMA_MSGP"
    ),
    Procedure.RDMA_DONE: Violation(
        ("rfc8166.4.6.2.done-is-not-sent", "rfc8166.4.2.4.done-is-reserved"), "RDMA_DONE"
    ),
    Procedure.RDMA_ERROR: Violation(
        ("rfc8166.4.2.4.requester-sends-no-error",), "RDMA_ERROR", interpretations=("D-15",)
    ),
}
"""Procedures that no Requester uses; what follows the fixed words is not looked at."""

_BEHIND_A_MARK: Final = slice(4, 8)
"""Where the XID of the payload stands if a TCP record mark is left before it."""


def judge_call(
    message: bytes, unreduced: bytes | None, state: RequesterState
) -> tuple[Violation, ...]:
    """The rules that a message of a Requester breaks; empty for a good Call.

    Args:
        message: as it arrived in one Receive.
        unreduced: the RPC message with the contents of all Read chunks in their places; None if it
            could not be put together (then nothing is said about arguments and Replies).
        state: before the message arrived.
    """
    if state.serves_two and is_two(message):
        return tuple(_judge_two(message, unreduced, state))
    return tuple(_judge(message, unreduced, state))


def _judge(message: bytes, unreduced: bytes | None, state: RequesterState) -> Iterator[Violation]:
    if len(message) < _SHORTEST:
        rules = ("rfc8166.4.1.2.header-layout", "rfc8166.4.2.four-fixed-words")
        yield Violation(rules, f"{len(message)} octets are no header", interpretations=("D-10",))
        return
    if state.is_backward_answer(message):
        return  # of the other role
    words = fixed_words(message)
    yield from _fixed(words)
    yield from judge_version(words, state)
    yield from _length(len(message), state.call_threshold)
    if words.procedure in _NEVER_SENT:
        yield _NEVER_SENT[words.procedure]
        return
    yield from judge_xid(words, state)
    yield from judge_credits(words, state)
    try:
        header, end = decode_header(message)
    except DecodeError as error:
        yield _undecodable(error)
        return
    body = header.rdma_body
    if isinstance(body, RdmaMsg | RdmaNomsg):
        yield from _body(body, message[end:], words, unreduced, state)


def _judge_two(
    message: bytes, unreduced: bytes | None, state: RequesterState
) -> Iterator[Violation]:
    if len(message) < _SHORTEST:
        rules = ("v2.4.2.header-layout",)
        yield Violation(rules, f"{len(message)} octets are no header", interpretations=("D-133",))
        return
    if state.is_backward_answer(message):
        return
    words = fixed_words(message)
    yield from judge_version(words, state)
    yield from judge_words(message, state)
    shared = [*judge_xid(words, state), *judge_credits(words, state)]
    try:
        raw, end = v2.decode_header(message)
    except DecodeError as error:
        shared.append(_undecodable(error, in_two=True))
    else:
        if v2.direction_of(raw.rdma_body) is not MessageType.CALL:
            rules = ("v2.4.2.2.direction-is-the-msg-type",)
            yield Violation(rules, "a Call whose header says REPLY", interpretations=("D-134",))
        header = as_one(raw)
        body = None if header is None else header.rdma_body
        if isinstance(body, RdmaMsg | RdmaNomsg):
            shared += _body(body, message[end:], words, unreduced, state)
    yield from map(in_words_of_two, shared)


def _fixed(words: FixedWords) -> Iterator[Violation]:
    if words.version != _VERSION_ONE:
        rules = ("rfc8166.4.2.2.version-is-one",)
        yield Violation(rules, f"rdma_vers is {words.version}", interpretations=("D-11",))


def _length(length: int, threshold: int) -> Iterator[Violation]:
    if length <= threshold:
        return
    rules: Ids = (
        "rfc8166.3.3.2.message-within-inline-threshold",
        "rfc8166.4.2.4.streams-fit-the-threshold-together",
        "rfc8166.3.5.3.still-too-large-means-long-message",
        "rfc8166.3.3.sender-respects-receive-resources",
    )
    if threshold == _MINIMUM_THRESHOLD:
        rules = (*rules, "rfc8166.3.3.3.1024-octets-unless-known")
    reason = f"{length} octets, the inline threshold is {threshold}"
    yield Violation(rules, reason, interpretations=("D-18", "D-30"))


def _undecodable(error: DecodeError, *, in_two: bool = False) -> Violation:
    rules: Ids = ("rfc8166.4.header-is-xdr", "rfc8166.4.1.2.header-layout")
    readings: tuple[str, ...] = ()
    if error.path.startswith("rdma_body.rdma_"):
        rules = ("rfc8166.4.3.three-optional-lists", *rules)
        if in_two:
            # v2 3.2: a direction word that is left out shows in the lists, which begin too early.
            rules = ("v2.3.2.chunk-lists-begin-with-the-direction", *rules)
    if error.reason is Reason.BAD_BOOLEAN:
        readings = ("D-33",)
    if error.reason is Reason.BAD_DISCRIMINANT or error.reason is Reason.BAD_ENUM:
        rules = ("rfc8166.4.2.fourth-word-selects-the-body", *rules)
    return Violation(rules, f"the header cannot be decoded: {error}", interpretations=readings)


def _body(
    body: RdmaMsg | RdmaNomsg,
    payload: bytes,
    words: FixedWords,
    unreduced: bytes | None,
    state: RequesterState,
) -> Iterator[Violation]:
    yield from judge_read_list(body, payload)
    yield from judge_segments(body)
    stream = payload if isinstance(body, RdmaMsg) and unreduced is None else unreduced
    if stream is None:
        return
    if isinstance(body, RdmaMsg) and not payload:
        rules = (
            "rfc8166.3.5.2.reduced-stream-in-one-send"
            if body.rdma_reads
            else "rfc8166.3.5.1.short-message-is-one-send",
            "rfc8166.3.2.payload-follows-the-header",
            "rfc8166.4.2.4.msg-payload-follows-the-lists",
        )
        yield Violation(rules, "nothing follows the header of an RDMA_MSG")
        return
    framing = tuple(_framing(stream, words.xid))
    yield from framing
    if framing or unreduced is None:
        return
    yield from judge_repetition(unreduced, state)
    if state.upper_layer is not None:
        yield from judge_items(body, unreduced, state.upper_layer)
        yield from _room(body, unreduced, state.upper_layer, words.version, state)


def _framing(stream: bytes, xid: int) -> Iterator[Violation]:
    """Whether the stream is an RPC Call with this XID, and nothing before it."""
    if stream[_BEHIND_A_MARK] == xid.to_bytes(_UNIT) != stream[:_UNIT]:
        rules: Ids = ("rfc8166.3.2.no-other-framing", "rfc8166.3.2.payload-begins-with-xid")
        yield Violation(rules, f"0x{stream[:_UNIT].hex()} stands before the XID")
        return
    try:
        message, _ = rpc.decode_message(stream)
    except DecodeError as error:
        rules = (
            "rfc8166.4.rpc-layout-is-unchanged",
            "rfc8166.4.2.4.msg-payload-follows-the-lists",
            "rfc8166.3.2.payload-follows-the-header",
        )
        if stream[:_UNIT] != xid.to_bytes(_UNIT):
            rules = (*rules, "rfc8166.3.2.payload-begins-with-xid")
        yield Violation(rules, f"no RPC message: {error}")
        return
    if message.xid != xid:
        rules = ("rfc8166.4.2.1.xid-equals-payload-xid", "rfc8166.3.2.payload-begins-with-xid")
        reason = f"XID {message.xid:#010x} under rdma_xid {xid:#010x}"
        yield Violation(rules, reason, interpretations=("D-12",))
    if not isinstance(message.body, rpc.CallBody):
        yield Violation(("rfc8166.2.2.2.call-msg-type",), "the RPC message is a Reply")
    elif message.body.rpcvers != rpc.RPC_VERSION:
        reason = f"RPC version {message.body.rpcvers}"
        yield Violation(("rfc8166.4.rpc-layout-is-unchanged",), reason)


def _room(
    body: RdmaMsg | RdmaNomsg,
    unreduced: bytes,
    layer: UpperLayer,
    version: int,
    state: RequesterState,
) -> Iterator[Violation]:
    try:
        expectation = layer.expectation(unreduced)
    except DecodeError:
        return  # `judge_items` has said so
    if version == VERSION_TWO and state.serves_two:
        yield from judge_room(body, expectation, state.told_length, HEADER_LENGTH_TWO)
    else:
        yield from judge_room(body, expectation, state.reply_threshold, HEADER_LENGTH)
