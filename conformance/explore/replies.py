"""Recipes for what a Responder sends: the right Reply, or one that breaks one rule.

`right` makes the good Reply to a Call on the wire; `spoil` breaks one rule of it.  A `ReplyBreach`
is plain data: its numbers are taken modulo what there is to choose from, so that each fits any
Reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec
from hypothesis import strategies as st

from conformance.oracle.header import VERSION_TWO, decode_header
from conformance.tester.server.received import ReceivedCall
from conformance.tester.server.reply import ReplyDraft, ReplyPlacement, draft_reply
from rpcrdma.wire import (
    ErrChunk,
    ErrVers,
    Procedure,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
)
from rpcrdma.wire import _generated_rfc8166 as one
from rpcrdma.wire import _generated_v2 as two
from rpcrdma.xdr.spoil import every_spoiling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["BREACHES", "ReplyBreach", "Sample", "right", "spoil"]

_WORD: Final = 4
_STRAY: Final = RdmaSegment(0x999, 8, 4096)
"""Memory that nobody offered."""

Body = RdmaMsg | RdmaNomsg


class ReplyBreach(msgspec.Struct, frozen=True):
    """How a good Reply is changed.

    Attributes:
        kind: a key of `KINDS`; `none` leaves it good.
        place: which word, segment, item.
        value: what is put there.
    """

    kind: str = "none"
    place: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """What a Responder does about one Call: RDMA Writes, then a Send."""

    octets: bytes
    placements: tuple[ReplyPlacement, ...] = ()


def right(
    message: bytes, unreduced: bytes, reply: bytes, layer: UpperLayer, grant: int, threshold: int
) -> ReplyDraft:
    """The Reply that a good Responder makes.

    Args:
        message: the Call, as it came.
        unreduced: its RPC message.
        reply: unreduced.
        layer: the binding.
        grant: credits granted.
        threshold: inline threshold of Replies.
    """
    found = decode_header(message)
    call = ReceivedCall(1, 0, message, found.header, message[found.end :], unreduced)
    return draft_reply(call, reply, layer.results(unreduced, reply), grant, threshold)


def spoil(good: ReplyDraft, breach: ReplyBreach) -> Sample:
    """The Reply with one rule broken (or none, where there is nothing to break)."""
    octets = KINDS[breach.kind](good, breach.place, breach.value)
    return Sample(octets, good.placements)


# -- what needs no understanding: words, length


def _word(values: tuple[int, ...]) -> Callable[[ReplyDraft, int, int], bytes]:
    def put(good: ReplyDraft, place: int, value: int) -> bytes:
        octets, start = good.octets, _WORD * (place % len(values))
        choices = (values[place % len(values)], value % 9, value)
        word = choices[value % len(choices)].to_bytes(_WORD)
        return octets[:start] + word + octets[start + _WORD :]

    return put


def _cut(good: ReplyDraft, _place: int, value: int) -> bytes:
    return good.octets[: value % len(good.octets)]


def _longer(good: ReplyDraft, place: int, value: int) -> bytes:
    return good.octets + value.to_bytes(_WORD)[: 1 + place % _WORD]


def _xdr(good: ReplyDraft, place: int, _value: int) -> bytes:
    header = good.octets[: len(good.octets) - len(good.payload)]
    schema, name = (one.SCHEMA, "TransportHeader")
    if good.layout == VERSION_TWO:
        schema, name = two.SCHEMA, "Rdma2Header"
    ways = every_spoiling(schema, name, header)
    return ways[place % len(ways)].octets + good.payload


# -- RDMA_ERROR


def _err_chunk(good: ReplyDraft, place: int, value: int) -> bytes:
    return _error(good, ErrChunk(), place, value)


def _err_vers(good: ReplyDraft, place: int, value: int) -> bytes:
    return _error(good, ErrVers(value % 3, value // 3 % 3), place, value)


def _error(good: ReplyDraft, error: ErrChunk | ErrVers, place: int, value: int) -> bytes:
    own = good.header.rdma_vers
    version = (own, own, own, 3 - own)[place % 4]
    header = TransportHeader(good.header.rdma_xid, version, value % 9, RdmaError(error))
    return encode_header(header) + bytes(_WORD * (place // 4 % 4 // 3))


def _bad_error(good: ReplyDraft, place: int, value: int) -> bytes:
    """An unknown code, or a message that is too short for its own."""
    code = (0, 3, value, 1)[place % 4]
    words = (good.header.rdma_xid, good.header.rdma_vers, 1, Procedure.RDMA_ERROR, code, 1, 1)
    length = 16 + _WORD * (value % 3) if code == 1 else 16 + _WORD * (value % 4)
    return b"".join(int(word).to_bytes(_WORD) for word in words)[:length]


# -- chunk lists


def _on_lists(change: Callable[[Body, int, int], Body]) -> Callable[[ReplyDraft, int, int], bytes]:
    def put(good: ReplyDraft, place: int, value: int) -> bytes:
        body = good.header.rdma_body
        if not isinstance(body, RdmaMsg | RdmaNomsg):
            return good.octets
        return good.changed(body=change(body, place, value)).octets

    return put


def _read_list(body: Body, place: int, _value: int) -> Body:
    reads = (ReadSegment(_WORD * (place % 9), _STRAY),)
    return msgspec.structs.replace(body, rdma_reads=reads)


def _other_procedure(body: Body, _place: int, _value: int) -> Body:
    other = RdmaNomsg if isinstance(body, RdmaMsg) else RdmaMsg
    return other(body.rdma_reads, body.rdma_writes, body.rdma_reply)


def _one_more_chunk(body: Body, place: int, _value: int) -> Body:
    stray = WriteChunk((_STRAY,) * (place % 3))
    if place % 2 and body.rdma_reply is None:
        return msgspec.structs.replace(body, rdma_reply=stray)
    return msgspec.structs.replace(body, rdma_writes=(*body.rdma_writes, stray))


def _chunks(body: Body) -> int:
    return len(body.rdma_writes) + (body.rdma_reply is not None)


def _with_chunk(body: Body, place: int, change: Callable[[WriteChunk], WriteChunk | None]) -> Body:
    if not _chunks(body):
        return body
    index = place % _chunks(body)
    if index == len(body.rdma_writes) and body.rdma_reply is not None:
        return msgspec.structs.replace(body, rdma_reply=change(body.rdma_reply))
    kept = [*body.rdma_writes]
    changed = change(kept[index])
    kept[index : index + 1] = [] if changed is None else [changed]
    return msgspec.structs.replace(body, rdma_writes=tuple(kept))


def _one_chunk_less(body: Body, place: int, _value: int) -> Body:
    return _with_chunk(body, place, lambda _chunk: None)


def _segment_count(body: Body, place: int, value: int) -> Body:
    def change(chunk: WriteChunk) -> WriteChunk:
        less = chunk.target[:-1]
        return WriteChunk(less if value % 2 and chunk.target else (*chunk.target, _STRAY))

    return _with_chunk(body, place, change)


def _segment_word(body: Body, place: int, value: int) -> Body:
    def change(chunk: WriteChunk) -> WriteChunk:
        if not chunk.target:
            return chunk
        index = place // 4 % len(chunk.target)
        old = chunk.target[index]
        lengths = (0, old.length - 1, old.length + 1, old.length + 4, value)
        fields = (
            {"length": lengths[value % len(lengths)] % 2**32},
            {"handle": value},
            {"offset": value},
        )
        new = msgspec.structs.replace(old, **fields[value % len(fields)])
        return WriteChunk((*chunk.target[:index], new, *chunk.target[index + 1 :]))

    return _with_chunk(body, place, change)


# -- the payload


def _payload(good: ReplyDraft, place: int, _value: int) -> bytes:
    payload = good.payload
    ways = (
        b"",
        payload[:_WORD],
        payload[:-_WORD],
        payload[:_WORD] + bytes(_WORD) + payload[2 * _WORD :],
        payload[: 4 * (place // 8 % 8)],
        bytes(_WORD) + payload[_WORD:],
    )
    return good.changed(payload=ways[place % len(ways)]).octets


KINDS: Final[Mapping[str, Callable[[ReplyDraft, int, int], bytes]]] = {
    "none": lambda good, _place, _value: good.octets,
    "fixed-word": _word((1, 2, 0, 4)),
    "cut": _cut,
    "longer": _longer,
    "xdr": _xdr,
    "err-chunk": _err_chunk,
    "err-vers": _err_vers,
    "bad-error": _bad_error,
    "read-list": _on_lists(_read_list),
    "other-procedure": _on_lists(_other_procedure),
    "one-more-chunk": _on_lists(_one_more_chunk),
    "one-chunk-less": _on_lists(_one_chunk_less),
    "segment-count": _on_lists(_segment_count),
    "segment-word": _on_lists(_segment_word),
    "payload": _payload,
}
"""What can be broken; "none" stands first, for hypothesis to shrink to."""

BREACHES: Final = st.builds(
    ReplyBreach, st.sampled_from(tuple(KINDS)), st.integers(0, 255), st.integers(0, 2**32 - 1)
)
