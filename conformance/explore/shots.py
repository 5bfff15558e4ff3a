"""Recipes for what a tester sends to a Responder: a good Call, or one that breaks one rule.

A `Shot` says which call of the workload, in which form, and what is broken.
`conformance.explore.firing` sends it, and has the oracle judge what comes back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.tester.client import build, mutate
from conformance.tester.sent import Mutation
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, ReadSegment, WriteChunk, v2
from rpcrdma.wire._generated_rfc8166 import SCHEMA
from rpcrdma.wire._generated_v2 import SCHEMA as SCHEMA_TWO
from rpcrdma.wire.rpc import MessageType
from rpcrdma.xdr.spoil import every_spoiling
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conformance.explore.recipes import Shot
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Request
    from conformance.tester.workload.base import Workload

__all__ = ["BREACHES", "CALLS", "build_shot"]

_WORD: Final = 4

_SCHEMAS: Final = {1: (SCHEMA, "TransportHeader"), 2: (SCHEMA_TWO, "Rdma2Header")}

_UNKNOWN_PROPERTY: Final = bytes.fromhex("00000001 000000ff 00000000")
"""One propval: code 255, no octets."""

_OPTINFO: Final = (b"", b"\x01", b"\xff" * 40, _UNKNOWN_PROPERTY, _UNKNOWN_PROPERTY + bytes(4))
"""What operations are given: nothing, garbage, and what CONNPROP and REQPROP can decode."""


CALLS: Final[Mapping[str, Callable[[Workload, int, int], Request]]] = {
    "null": lambda work, _first, _second: work.null(),
    "small": lambda work, _first, _second: work.small(),
    "fetch": lambda work, first, _second: work.fetch(1 + first),
    "store": lambda work, first, _second: work.store(pattern(1 + first, 1)),
    "fetch-two": lambda work, first, second: work.fetch_two(1 + first, 1 + second),
    "store-two": lambda work, first, second: work.store_two(
        pattern(1 + first, 2), pattern(1 + second, 3)
    ),
    "fetch-nothing": lambda work, _first, _second: work.fetch_nothing(),
    "fetch-second-only": lambda work, first, _second: work.fetch_second_only(1 + first),
    "long-call": lambda work, first, _second: work.long_call(first),
    "long-reply": lambda work, first, _second: work.long_reply(first),
    "long-store": lambda work, first, second: work.long_store(first, pattern(1 + second, 4)),
    "long-fetch": lambda work, first, second: work.long_fetch(first, 1 + second),
    "garbage": lambda work, _first, _second: work.garbage(),
}
"""What every workload can be asked for; one that a binding lacks becomes NULL."""

_INLINE: Final[Mapping[int, int]] = {1: 1024, 2: 4096}
"""Inline thresholds of each version where no other is known, in octets (rfc8166 3.3.2, v2 2.3)."""
_HEADER: Final = 32
"""Octets of a header without chunks; Version One has a word less."""


def build_shot(shot: Shot, peer: Peer) -> Call:
    """Register the memory and make the message."""
    try:
        request = CALLS[shot.call](peer.workload, shot.first, shot.second)
        call = _good(shot, peer, request)
    except Unsupported:
        call = build.null_call(peer)
    return BREACHES[shot.breach.kind](call, shot.breach.place, shot.breach.value)


def _good(shot: Shot, peer: Peer, request: Request) -> Call:
    # A call whose arguments are no good has no binding to ask.
    if shot.call == "garbage":
        return build.short(peer, request)
    unreduced = request.encode(0)
    items = request.layer.arguments(unreduced)
    expectation = request.layer.expectation(unreduced)
    reduced = shot.form.endswith("reduced") and bool(items)
    left = len(unreduced) - (sum(item.length for item in items) if reduced else 0)
    # What would not fit a Send goes as a Long Call, whatever was drawn.
    most = _longest_call(peer, shot.version) - 424
    is_long = shot.form.startswith("long") or left + 24 * len(items) * shot.cut > most
    writes: Sequence[Sequence[int]] = ()
    if shot.offer in ("write", "both"):
        largest = [max(expectation.items[index:]) for index in range(len(expectation.items))]
        writes = tuple(_pieces(length, shot.cut) for length in largest)
    covered = sum(expectation.items) if writes else 0
    longest = _HEADER + expectation.maximum - covered + 24 * len(writes) * shot.cut
    needed = longest > _INLINE[shot.version]
    offered = shot.offer in ("reply", "both") or (shot.offer != "nothing" and needed)
    return build.call(
        peer,
        request,
        reads=tuple(_pieces(item.length, shot.cut) for item in items) if reduced else None,
        whole=_pieces(left, shot.cut)[:-1] if is_long else None,
        writes=writes,
        reply=_pieces(expectation.maximum, shot.cut) if offered else None,
    )


def _longest_call(peer: Peer, version: int) -> int:
    """Octets of the longest Call that goes inline: by claim in One, by v2 2.3 in Two."""
    return peer.device.call_threshold if version == 1 else _INLINE[version]


def _pieces(length: int, count: int) -> tuple[int, ...]:
    """Sizes of so many segments, none of them empty, that add up to the length."""
    count = max(1, min(count, length))
    size = length // count
    return (size,) * (count - 1) + (length - size * (count - 1),) if length else ()


# -- what is broken


def _none(call: Call, _place: int, _value: int) -> Call:
    return call


def _fixed_word(call: Call, place: int, value: int) -> Call:
    match place % 4:
        case 0:
            return mutate.version(call, (0, 3 - call.version, 7, value)[value % 4])
        case 1:
            return mutate.credits(call, (0, 1, 64, value)[value % 4])
        case 2:
            return mutate.procedure(call, (0, 1, 2, 3, 4, 5, value)[value % 7])
        case _:
            return mutate.xid(call, value)


def _cut_off(call: Call, place: int, value: int) -> Call:
    # Somewhere, or right around the shortest header and the end.
    ends = (value % len(call.octets), 27, 28, len(call.octets) - 1, len(call.octets) - _WORD)
    return mutate.truncate(call, max(0, ends[place % len(ends)]))


def _longer(call: Call, place: int, value: int) -> Call:
    return mutate.append(call, value.to_bytes(_WORD) * (1 + place % 3))


def _xdr(call: Call, place: int, _value: int) -> Call:
    end = mutate.header_length(call)
    schema, name = _SCHEMAS[call.version]
    ways = every_spoiling(schema, name, call.octets[:end])
    way = ways[place % len(ways)]
    mutation = Mutation(way.path, "good", way.reason.value)
    return replace(call, octets=way.octets + call.octets[end:], mutations=(mutation,))


def _direction(call: Call, place: int, value: int) -> Call:
    """The word after the fixed ones, which in Version Two tells the direction."""
    return mutate.direction(call, (1, 2, value, 2**32 - 1)[place % 4])


def _option(call: Call, place: int, value: int) -> Call:
    """An optional message in place of the Call; none changes a property that anybody knows."""
    contents = _OPTINFO[value % len(_OPTINFO)]
    known, unknown = 1 + value % 4, (0, 5, 77, 2**31, 2**32 - 1)[value % 5]
    body = v2.Rdma2Optional(
        MessageType.REPLY if place % 4 == 3 else MessageType.CALL,
        known if place % 2 else unknown,
        contents,
    )
    octets = v2.encode_header(v2.Rdma2Header(call.xid, v2.VERSION, 8, body))
    mutation = Mutation("message", call.title, f"operation {body.rdma_opttype}")
    return replace(call, octets=octets, mutations=(mutation,))


def _read_word(call: Call, place: int, value: int) -> Call:
    reads = call.body.rdma_reads
    if not reads:
        return _stray_read(call, place, value)
    index = place // 8 % len(reads)
    old = reads[index]
    positions = (0, old.position + 1, old.position + 4, old.position + 2, value)
    lengths = (0, old.target.length - 1, old.target.length + 1, value % 2**20)
    match place % 4:
        case 0:
            return mutate.read_segment(call, index, position=positions[value % len(positions)])
        case 1:
            return mutate.read_segment(call, index, length=lengths[value % len(lengths)])
        case 2:
            return mutate.read_segment(call, index, handle=value)
        case _:
            return mutate.read_segment(call, index, offset=value)


def _stray_read(call: Call, place: int, value: int) -> Call:
    """A Read chunk of nothing that anybody registered, or of no octets."""
    length = (0, 4, 40)[value % 3]
    stray = ReadSegment(_WORD * (place % 32), RdmaSegment(value, length, 4096))
    return mutate.lists(call, rdma_reads=(*call.body.rdma_reads, stray))


def _reversed_reads(call: Call, _place: int, _value: int) -> Call:
    return mutate.lists(call, rdma_reads=call.body.rdma_reads[::-1])


def _write_word(call: Call, place: int, value: int) -> Call:
    """One word of the memory that is offered for results."""
    writes, reply = call.body.rdma_writes, call.body.rdma_reply
    targets = [(index, chunk) for index, chunk in enumerate(writes) if chunk.target]
    if reply is not None and (place % 2 or not targets):
        index = place // 8 % len(reply.target)
        return mutate.reply_segment(call, index, **_word_of(reply.target[index], place, value))
    if not targets:
        return mutate.lists(call, rdma_writes=(*writes, WriteChunk(())))
    number, chunk = targets[place // 2 % len(targets)]
    index = place // 8 % len(chunk.target)
    changes = _word_of(chunk.target[index], place, value)
    return mutate.write_segment(call, number, index, **changes)


def _word_of(segment: RdmaSegment, place: int, value: int) -> dict[str, int]:
    lengths = (0, segment.length - 1, segment.length // 2, 1)
    words = ({"length": max(0, lengths[value % 4])}, {"handle": value}, {"offset": value})
    return words[place // 4 % 3]


def _lists(call: Call, place: int, _value: int) -> Call:
    """Whole lists taken away or doubled."""
    body = call.body
    match place % 5:
        case 0:
            return mutate.lists(call, rdma_reads=())
        case 1:
            return mutate.lists(call, rdma_writes=())
        case 2:
            return mutate.without_reply_chunk(call)
        case 3:
            return mutate.lists(call, rdma_writes=body.rdma_writes * 2)
        case _:
            other = RdmaNomsg if isinstance(body, RdmaMsg) else RdmaMsg
            return mutate.body(call, other(body.rdma_reads, body.rdma_writes, body.rdma_reply))


def _payload(call: Call, place: int, value: int) -> Call:
    payload = call.payload
    ways = (
        payload[: value % (len(payload) + 1)],
        value.to_bytes(_WORD) + payload[_WORD:],
        payload[:_WORD] + (1).to_bytes(_WORD) + payload[2 * _WORD :],
        payload[:8] + value.to_bytes(_WORD) + payload[12:],
        payload + payload,
    )
    return mutate.payload(call, ways[place % len(ways)])


BREACHES: Final[Mapping[str, Callable[[Call, int, int], Call]]] = {
    "none": _none,
    "fixed-word": _fixed_word,
    "direction": _direction,
    "option": _option,
    "cut": _cut_off,
    "longer": _longer,
    "xdr": _xdr,
    "read-word": _read_word,
    "stray-read": _stray_read,
    "reversed-reads": _reversed_reads,
    "write-word": _write_word,
    "lists": _lists,
    "payload": _payload,
}
"""What can be broken; "none" stands first, for hypothesis to shrink to."""
