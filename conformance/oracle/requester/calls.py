"""The specification as an oracle: what every message that a Requester sends must be.

    rfc8166 section 2.2.2  RPC Calls (message types, XIDs)
    rfc8166 section 3.2    Message Framing
    rfc8166 section 4.2    RPC-over-RDMA Header Fields
    rfc8166 section 4.6    Protocol Elements No Longer Supported
    v2 section 4.2         RPC-Over-RDMA Version Two XDR
    v2 section 1           What is not changed is done as in Version One

`judge_call` takes any octets that arrived.  Fixed words are judged here, credits in
`conformance.oracle.requester.credits`, framing in `conformance.oracle.requester.framing`, chunks in
`conformance.oracle.requester.read_list` and the room for the Reply in
`conformance.oracle.requester.room`, what Version Two has of its own in
`conformance.oracle.requester.two`, transmission groups in `conformance.oracle.requester.groups`.
What a Requester may do about what it *receives* is in `conformance.oracle.requester.reaction`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_ONE, VERSION_TWO, as_one, is_two
from conformance.oracle.layout import broken_by
from conformance.oracle.misencoding import misencoded
from conformance.oracle.obsolete import is_obsolete, never_sent
from conformance.oracle.requester.credits import judge_credits, judge_repetition, judge_xid
from conformance.oracle.requester.framing import judge_framing
from conformance.oracle.requester.read_list import judge_items, judge_read_list
from conformance.oracle.requester.room import judge_room, judge_segments
from conformance.oracle.requester.two import judge_version, judge_words
from conformance.oracle.sizes import SHORTEST_MESSAGE, THRESHOLD_ONE, THRESHOLD_TWO
from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import Procedure, RdmaMsg, RdmaNomsg, decode_header, v2
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.versions import FIXED_WORDS, FixedWords, fixed_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.requester.state import RequesterState
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["judge_call"]

_UNIT: Final = 4
_ERROR: Final = Procedure.RDMA_ERROR


def judge_call(
    message: bytes, unreduced: bytes | None, state: RequesterState, sends: int = 1
) -> tuple[BrokenRule, ...]:
    """The rules that a message of a Requester breaks; empty for a good Call.

    Args:
        message: as it arrived (`rpcrdma.wire.transmission`).
        unreduced: the RPC message with the contents of all Read chunks in their places; None if it
            could not be put together (then nothing is said about arguments and Replies).
        state: before the message arrived.
        sends: that it came by, each of which takes a credit.
    """
    # To a tester of Version One alone, a message of any other version breaks the rules of its own.
    if state.serves_two and is_two(message):
        return tuple(_judge_two(message, unreduced, state, sends))
    return tuple(_judge_one(message, unreduced, state, sends))


def _judge_one(
    message: bytes, unreduced: bytes | None, state: RequesterState, sends: int
) -> Iterator[BrokenRule]:
    # D-10: an error has 20 octets, so that its procedure is looked at before its length.
    is_error = len(message) >= FIXED_WORDS and fixed_words(message).procedure == _ERROR
    if len(message) < SHORTEST_MESSAGE and not is_error:
        rules = ("rfc8166.4.1.2.header-layout", "rfc8166.4.2.four-fixed-words")
        # D-10: a receiver drops it unread, so that nothing else of it can be held against anybody.
        yield broken_rule(rules, f"{len(message)} octets are no header", VERSION_ONE, ("D-10",))
        return
    words = fixed_words(message)
    yield from _fixed(words)
    yield from judge_version(words, state)
    yield from _length(len(message), state)
    procedure = words.procedure
    if is_obsolete(procedure):
        yield never_sent(procedure, VERSION_ONE)
        return
    if is_error:
        # D-15: nobody can ask a Requester for an error.  What answers a backward Call is of the
        # other role, and does not come here.
        rule = "rfc8166.4.2.4.requester-sends-no-error"
        yield broken_rule(rule, "RDMA_ERROR", VERSION_ONE, ("D-15",))
        return
    yield from judge_xid(words, state, VERSION_ONE)
    yield from judge_credits(words, state, VERSION_ONE, sends)
    try:
        header, end = decode_header(message)
    except DecodeError as error:
        yield _undecodable(message, error, VERSION_ONE)
        return
    body = header.rdma_body
    if isinstance(body, RdmaMsg | RdmaNomsg):
        payload = message[end:]
        yield from _body(body, payload, words.xid, unreduced, state, VERSION_ONE)
        yield from _lists(message, payload)


def _judge_two(
    message: bytes, unreduced: bytes | None, state: RequesterState, sends: int
) -> Iterator[BrokenRule]:
    if len(message) < SHORTEST_MESSAGE:
        detail = f"{len(message)} octets are no header"
        yield broken_rule("v2.4.2.header-layout", detail, VERSION_TWO, ("D-133",))
        return
    words = fixed_words(message)
    yield from judge_version(words, state)
    yield from judge_words(message, state)
    yield from judge_xid(words, state, VERSION_TWO)
    yield from judge_credits(words, state, VERSION_TWO, sends)
    try:
        raw, end = v2.decode_header(message)
    except DecodeError as error:
        yield _undecodable(message, error, VERSION_TWO)
        return
    if v2.direction_of(raw.rdma_body) is not MessageType.CALL:
        # v2 4.2.2: the direction word repeats the msg_type, which is that of a Call here (D-134).
        rule = "v2.4.2.2.direction-is-the-msg-type"
        yield broken_rule(rule, "a Call whose header says REPLY", VERSION_TWO, ("D-134",))
    header = as_one(raw)
    body = None if header is None else header.rdma_body
    if isinstance(body, RdmaMsg | RdmaNomsg):
        payload = message[end:]
        yield from _body(body, payload, words.xid, unreduced, state, VERSION_TWO)


def _fixed(words: FixedWords) -> Iterator[BrokenRule]:
    if words.version != VERSION_ONE:
        rule = "rfc8166.4.2.2.version-is-one"
        yield broken_rule(rule, f"rdma_vers is {words.version}", VERSION_ONE, ("D-11",))


def _length(length: int, state: RequesterState) -> Iterator[BrokenRule]:
    threshold = state.call_threshold
    if length <= threshold:
        return
    rules: Ids = (
        "rfc8166.3.3.2.message-within-inline-threshold",
        "rfc8166.4.2.4.streams-fit-the-threshold-together",
        "rfc8166.3.5.3.still-too-large-means-long-message",
        "rfc8166.3.3.sender-respects-receive-resources",
    )
    # rfc8166 3.3.3: with a profile of another size the client knows it by a means of its own.
    if threshold == THRESHOLD_ONE:
        rules = (*rules, "rfc8166.3.3.3.1024-octets-unless-known")
    # v2 5.2: whoever has fallen back has left the lengths of Version Two behind.
    if state.serves_two:
        rules = (*rules, "v2.5.2.thresholds-follow-the-version")
    detail = f"{length} octets, the inline threshold is {threshold}"
    yield broken_rule(rules, detail, VERSION_ONE, ("D-18", "D-30"))


def _undecodable(message: bytes, error: DecodeError, version: int) -> BrokenRule:
    readings = ("D-33",) if error.reason is Reason.BAD_BOOLEAN else ()
    detail = f"the header cannot be decoded: {error}"
    rules = broken_by(message, error, version)
    return broken_rule(rules, detail, version, readings, where=error.path or "rdma_xid")


def _lists(message: bytes, payload: bytes) -> Iterator[BrokenRule]:
    """Lists that make sense, but not that of a sender who ends them where the payload begins."""
    if payload and payload[:_UNIT] != message[:_UNIT] and (rules := misencoded(message)):
        detail = "the words before the payload are no lists, as these are encoded"
        yield broken_rule(rules, detail, VERSION_ONE)


def _body(
    body: RdmaMsg | RdmaNomsg,
    payload: bytes,
    xid: int,
    unreduced: bytes | None,
    state: RequesterState,
    version: int,
) -> Iterator[BrokenRule]:
    yield from judge_read_list(body, payload, version)
    yield from judge_segments(body, version)
    # What could not be put together may still show, as far as it came inline, how it begins.
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
        yield broken_rule(rules, "nothing follows the header of an RDMA_MSG", version)
        return
    framing = tuple(judge_framing(body, stream, xid, version))
    yield from framing
    if framing or unreduced is None:
        return
    yield from judge_repetition(unreduced, state, version)
    if state.upper_layer is not None:
        yield from judge_items(body, unreduced, state.upper_layer, version)
        yield from _room(body, unreduced, state.upper_layer, version, state)


def _room(
    body: RdmaMsg | RdmaNomsg,
    unreduced: bytes,
    layer: UpperLayer,
    version: int,
    state: RequesterState,
) -> Iterator[BrokenRule]:
    try:
        expectation = layer.expectation(unreduced)
    except DecodeError:
        return  # `judge_items` has said so
    # xcharext 3.1: in Version Two the Requester itself may have told how much it receives, and must
    # receive 4096 octets whatever that is (D-142).
    of_two = version == VERSION_TWO
    told = state.told.layout.length if of_two else state.reply_threshold
    threshold = max(told, THRESHOLD_TWO) if of_two else told
    yield from judge_room(body, expectation, threshold, version, told)
