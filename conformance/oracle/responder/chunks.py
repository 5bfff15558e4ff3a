"""The oracle's view of the chunks of one Call: the RPC message that they give, or why not.

rfc8166 section 3.4.5  Read Chunks
rfc8166 section 3.5.3  Long Messages
rfc8166 section 4.2.4  Procedure Number
rfc8166 section 6.1    DDP-Eligibility
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.catalogue.interpretations import choice
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, Silent
from conformance.oracle.responder.expectation import (
    REFUSAL_STATUSES,
    Answer,
    ResponderState,
    may_answer,
)
from conformance.oracle.sizes import CHUNK, HEADER_ONE, SEGMENT
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.bindings import restore
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.ulp.rpc import decode_call
from rpcrdma.wire import RdmaMsg, RdmaNomsg, ReadChunk, group_by_position, roundup_padding, rpc

if TYPE_CHECKING:
    from conformance.oracle.verdict import Alternative
    from rpcrdma.ulp.bindings import DataItem, ReplyExpectation, UpperLayer

__all__ = [
    "CallStream",
    "examine_call",
    "excuses",
    "fetch",
    "ineligible",
    "unreadable_answers",
    "violation_answers",
]

_UNIT: Final = 4
_MOST_CHECKED: Final = 1 << 20
"""Octets of Read chunks that are looked at; no argument of a workload is longer."""

_MESSAGE_TYPE: Final = slice(4, 8)
"""Where an RPC message says whether it is a Call (rfc8166 2.2.2)."""

_BAD_POSITION: Final = ("rfc8166.4.5.bad-call-header-answered",)
_VIOLATION: Final = (
    "rfc8166.6.1.ineligible-argument-is-reported",
    "rfc8166.6.1.ineligible-argument-is-not-processed",
)
_CLOSES: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"
_ACCESS: Final = ("rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error",)

Body = RdmaMsg | RdmaNomsg


@dataclass(frozen=True, slots=True)
class CallStream:
    """What a header's chunks and payload give.

    Attributes:
        body: of the header.
        octets: the unreduced Payload stream; empty if there are refusals.
        fault: what is wrong, empty if nothing is.
        refusals: the alternatives of a Call that must not be executed; empty if it may be.
        tolerated: further alternatives that the chunks excuse.
    """

    body: Body
    octets: bytes = b""
    fault: str = ""
    refusals: tuple[Alternative[Answer], ...] = ()
    tolerated: tuple[Alternative[Answer], ...] = ()

    def has_room_for(self, reply: ReplyExpectation, threshold: int) -> bool:
        """Whether the largest Reply fits what the Call offers (D-18, D-21).

        Who has a Reply chunk need not look whether the Reply would fit a Send (rfc8166 4.3.3).
        """
        writes = self.body.rdma_writes
        remaining = reply.maximum
        for index, (largest, chunk) in enumerate(zip(reply.items, writes, strict=False)):
            if not chunk.target:
                continue
            # rfc8166 4.3.2.2: a later result lands here if those before it have no data.
            if sum(segment.length for segment in chunk.target) < max(reply.items[index:]):
                return False
            remaining -= largest + roundup_padding(largest)
        # In the worst case nothing is reduced: a result may be too short to fill its chunk.
        segments = sum(len(chunk.target) for chunk in writes)
        if self.body.rdma_reply is not None:
            offered = sum(segment.length for segment in self.body.rdma_reply.target)
            return offered >= remaining
        # `threshold` leaves room for the direction word of Version Two already.
        return HEADER_ONE + SEGMENT * segments + CHUNK * len(writes) + remaining <= threshold


def examine_call(body: Body, payload: bytes, state: ResponderState, version: int) -> CallStream:
    """Put the Payload stream of a Call together, or say why that cannot be done.

    Args:
        body: of an RDMA_MSG or RDMA_NOMSG.
        payload: the octets after the header.
        state: for memory, binding and limits.
        version: of the message.
    """
    chunks = group_by_position(body.rdma_reads)
    tolerated = excuses(body, chunks, payload, state, version)
    fault, refusals = _wrong_list(body, chunks, version)
    if not fault:
        fault, refusals = _wrong_position(body, payload, chunks, state, version)
    if fault:
        return CallStream(body, b"", fault, refusals, tolerated)
    contents = [fetch(chunk, state) for chunk in chunks]
    read = [content for content in contents if content is not None]
    # rfc8166 4.5.3: the RDMA Read that fails may end the connection before anybody answers.
    if len(read) != len(contents):
        failed = (
            *unreadable_answers(version),
            *_checked_before_reading(body, payload, chunks, state, version),
        )
        return CallStream(body, b"", "memory of a Read chunk cannot be read", failed, tolerated)
    return _reassemble(CallStream(body, payload, tolerated=tolerated), chunks, read, state, version)


def _checked_before_reading(
    body: Body,
    payload: bytes,
    chunks: tuple[ReadChunk, ...],
    state: ResponderState,
    version: int,
) -> tuple[Alternative[Answer], ...]:
    """What a Responder may answer that holds a chunk's length against its argument (3.4.4).

    It need not have read the memory: of what it reads, only the length counts here.
    """
    lengths = [sum(segment.length for segment in chunk.target) for chunk in chunks]
    if state.upper_layer is None or sum(lengths) > _MOST_CHECKED:
        return violation_answers(state, version)
    blank = [bytes(length) for length in lengths]
    return _reassemble(CallStream(body, payload), chunks, blank, state, version).refusals


def _reassemble(
    stream: CallStream,
    chunks: tuple[ReadChunk, ...],
    contents: list[bytes],
    state: ResponderState,
    version: int,
) -> CallStream:
    reduced = stream.octets
    parts: list[tuple[int, bytes]] = []
    for chunk, content in zip(chunks, contents, strict=True):
        if chunk.position == 0:
            reduced = content
        elif content:
            parts.append((chunk.position, content))
    parts.sort()
    length = len(reduced) + sum(len(data) + roundup_padding(len(data)) for _, data in parts)
    after = 0
    for position, data in parts:
        # rfc8166 3.4.5: a Position inside another chunk, or after the end of the stream, is none.
        if position < after or position > length:
            return _refused(stream, f"Position {position} fits nothing", _position_answers(version))
        after = position + len(data)
    octets = restore(reduced, parts)
    layer = state.upper_layer
    if layer is None or not parts:
        return CallStream(stream.body, octets, "", (), stream.tolerated)
    fault = ineligible(octets, parts, layer)
    if fault:
        answers = violation_answers(state, version)
        if _cuts_the_rpc_header(octets, parts):
            # What stands before the chunk is a cut RPC header, after which closing only warns.
            answers += (may_answer(Disconnected, (_CLOSES,), version, ("D-40",), warning=True),)
        if not _says_that_it_is_a_call(octets):
            # Whoever joins the parts before looking at them sees no Call at all.
            answers += (
                may_answer(Silent, ("rfc8166.4.rpc-layout-is-unchanged",), version, ("D-40",)),
            )
        return _refused(stream, fault, answers)
    return CallStream(stream.body, octets, "", (), stream.tolerated)


def _cuts_the_rpc_header(octets: bytes, parts: list[tuple[int, bytes]]) -> bool:
    """Whether the first Read chunk stands within the RPC header."""
    try:
        rpc.decode_message(octets[: parts[0][0]])
    except DecodeError:
        return True
    return False


def _says_that_it_is_a_call(octets: bytes) -> bool:
    return octets[_MESSAGE_TYPE] == rpc.MessageType.CALL.to_bytes(_UNIT)


def _refused(
    stream: CallStream, fault: str, refusals: tuple[Alternative[Answer], ...]
) -> CallStream:
    return CallStream(stream.body, b"", fault, refusals, stream.tolerated)


def _wrong_list(
    body: Body, chunks: tuple[ReadChunk, ...], version: int
) -> tuple[str, tuple[Alternative[Answer], ...]]:
    """An RDMA_NOMSG that holds no Call (rfc8166 4.2.4; D-22)."""
    if isinstance(body, RdmaMsg) or any(chunk.position == 0 for chunk in chunks):
        return "", ()
    if not (chunks or body.rdma_writes or body.rdma_reply is not None):
        rule = "rfc8166.4.5.2.nomsg-without-chunks-is-an-xdr-error"
        return "an RDMA_NOMSG without any list", (may_answer(ErrChunk, (rule,), version),)
    rules = ("rfc8166.4.5.bad-call-header-answered",)
    allowed = (
        may_answer(ErrChunk, rules, version, ("D-22",)),
        may_answer(Silent, rules, version, ("D-22",)),
        may_answer(Disconnected, (_CLOSES,), version, ("D-22",), warning=True),
    )
    return "an RDMA_NOMSG without a Position-Zero Read chunk", allowed


def _wrong_position(
    body: Body,
    payload: bytes,
    chunks: tuple[ReadChunk, ...],
    state: ResponderState,
    version: int,
) -> tuple[str, tuple[Alternative[Answer], ...]]:
    for chunk in chunks:
        # rfc8166 3.4.5: every item begins at a multiple of four; D-23: which error is open.
        if chunk.position % _UNIT:
            return f"Position {chunk.position} is no multiple of four", _position_answers(version)
        if chunk.position == 0 and isinstance(body, RdmaMsg):
            allowed = _position_answers(version)
            if _is_call_header(payload) and _is_call_header(fetch(chunk, state) or b""):
                # D-23: of two whole Calls one may be executed, which no document forbids.
                rule = "rfc8166.4.2.fourth-word-selects-the-body"
                allowed += (may_answer(Answered, rule, version, ("D-23",), warning=True),)
            return "a Position-Zero Read chunk in an RDMA_MSG", allowed
    return "", ()


def _is_call_header(octets: bytes) -> bool:
    """Whether an RPC Call begins with these octets."""
    try:
        decode_call(octets)
    except DecodeError:
        return False
    return True


def _position_answers(version: int) -> tuple[Alternative[Answer], ...]:
    return (
        may_answer(ErrChunk, _BAD_POSITION, version, ("D-23",)),
        may_answer(
            Answered,
            _BAD_POSITION,
            version,
            ("D-23",),
            statuses=frozenset({RpcOutcome.GARBAGE_ARGS}),
        ),
        # Whatever status says that the Call was not executed, it is not the one that 4.5.2 names.
        may_answer(
            Answered, _BAD_POSITION, version, ("D-23",), warning=True, statuses=REFUSAL_STATUSES
        ),
    )


def unreadable_answers(version: int) -> tuple[Alternative[Answer], ...]:
    """What may answer a Call whose memory cannot be read."""
    return (
        may_answer(Disconnected, _ACCESS, version),
        may_answer(ErrChunk, _ACCESS, version),
    )


def violation_answers(state: ResponderState, version: int) -> tuple[Alternative[Answer], ...]:
    """What may answer a Call with a chunk for what is no eligible argument (rfc8166 6.1)."""
    answers = {
        "err-chunk": may_answer(ErrChunk, _VIOLATION, version, ("D-20",)),
        "garbage-args": may_answer(
            Answered, _VIOLATION, version, ("D-20",), statuses=frozenset({RpcOutcome.GARBAGE_ARGS})
        ),
    }
    reading = choice("D-20", state.chosen)
    answer = tuple(answers.values()) if reading == "either" else (answers[reading],)
    if reading == "err-chunk":
        return answer
    other = may_answer(
        Answered, _VIOLATION, version, ("D-20",), warning=True, statuses=REFUSAL_STATUSES
    )
    return (*answer, other)


def ineligible(octets: bytes, parts: list[tuple[int, bytes]], layer: UpperLayer) -> str:
    """Which Read chunk holds what is no eligible argument, or not exactly one; empty if none."""
    try:
        rpc.decode_message(octets)
    except DecodeError as error:
        # Broken before the first chunk: no RPC message, whatever the chunks were meant to be.
        if error.offset < min(position for position, _ in parts):
            return ""
    try:
        found = _whole_arguments(octets, layer)
    except DecodeError as error:
        return f"chunks and arguments do not match: {error}"
    items = {item.position: item for item in found}
    for position, data in parts:
        item = items.get(position)
        if item is None:
            return f"the Read chunk at Position {position} holds no DDP-eligible argument"
        # rfc8166 3.4.5.2: padding may be in the chunk or not; either way it is the whole item.
        if len(data) not in (item.length, item.length + item.padding):
            return f"the Read chunk at Position {position} is not as long as the argument"
    return ""


def _whole_arguments(octets: bytes, layer: UpperLayer) -> tuple[DataItem, ...]:
    """The eligible arguments of a Call, whatever follows the arguments.

    Raises:
        DecodeError: they cannot be parsed.
    """
    try:
        return layer.arguments(octets)
    except DecodeError as error:
        if error.reason is not Reason.TRAILING:
            raise
        return layer.arguments(octets[: error.offset])


def fetch(chunk: ReadChunk, state: ResponderState) -> bytes | None:
    """The contents of a Read chunk; None if its memory cannot be read."""
    parts = [state.memory.fetch(segment) for segment in chunk.target if segment.length]
    read = [part for part in parts if part is not None]
    return b"".join(read) if len(read) == len(parts) else None


def excuses(
    body: Body,
    chunks: tuple[ReadChunk, ...],
    payload: bytes,
    state: ResponderState,
    version: int,
) -> tuple[Alternative[Answer], ...]:
    """What the chunks permit beside the answer that the Call would get.

    Args:
        body: of the header.
        chunks: of its Read list.
        payload: what follows the header.
        state: for memory and limits.
        version: of the message.
    """
    segments = [segment for chunk in chunks for segment in chunk.target]
    targets = [segment for chunk in body.rdma_writes for segment in chunk.target]
    reply = body.rdma_reply
    if reply is not None:
        targets += reply.target
    positions = [segment.position for segment in body.rdma_reads]
    found: list[Alternative[Answer]] = []
    if any(fetch(chunk, state) is None for chunk in chunks):
        found.append(may_answer(Disconnected, _ACCESS, version))
    if not all(state.memory.is_writable(segment) for segment in targets):
        found += (
            may_answer(Disconnected, _ACCESS, version),
            may_answer(ErrChunk, _ACCESS, version),
        )
    empty_room = any(not item.length for item in targets)
    if (
        empty_room
        or any(not item.length for item in segments)
        or (reply is not None and not reply.target)
    ):
        found.append(may_answer(ErrChunk, _BAD_POSITION, version, ("D-34",)))
    if empty_room:
        found.append(may_answer(Disconnected, _BAD_POSITION, version, ("D-34",), warning=True))
    # rfc8166 4.3.1 has no order of chunks; whoever reads the list once may need one (D-23).
    if positions != sorted(positions):
        found += _position_answers(version)
    if payload and isinstance(body, RdmaNomsg):
        found.append(may_answer(ErrChunk, ("rfc8166.4.2.4.nomsg-is-one",), version, ("D-32",)))
    if state.limits.exceeded(body):
        rule = ("rfc8166.6.1.binding-limits-chunks",)
        found += (
            may_answer(ErrChunk, rule, version),
            may_answer(Answered, rule, version, statuses=REFUSAL_STATUSES),
        )
    if state.upper_layer is None and (segments or targets):
        found.append(may_answer(ErrChunk, _VIOLATION, version, ("D-20",)))
    return tuple(dict.fromkeys(found))
