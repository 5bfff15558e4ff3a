"""Whether our decoder of Version One headers and Wireshark's dissector read the same fields.

The dissector says where it thinks that octets end too early, and what the words before were.  What
both read is compared field by field; what our decoder refuses, the dissector must not have read to
its end, but for what `fuzz/DISAGREEMENTS.md` tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from fuzz.differential.inputs import MOST_OCTETS
from fuzz.differential.tshark import FIELDS, Dissected
from fuzz.differential.two_decoders import HeaderComparison, decode_as_true
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import (
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rpcrdma.wire import RdmaSegment, TransportHeader

__all__ = ["Agreement", "compare_fields", "fields_of"]

_WORD: Final = 4
_VERSION: Final = 1


class Agreement(Enum):
    """What came of an input."""

    ALIKE = "read alike"
    REFUSED = "refused by both"
    OTHER = "of words that the dissector knows nothing of"
    LEFT_OUT = "left out"


def fields_of(header: TransportHeader) -> dict[str, tuple[int, ...]]:
    """A header of ours as the dissector prints it."""
    found: dict[str, list[int]] = {name: [] for name in FIELDS}
    for name, value in _fields(header):
        found[name].append(value)
    return {name: tuple(values) for name, values in found.items()}


def compare_fields(
    inputs: Iterable[bytes], dissect: Callable[[Sequence[bytes]], Sequence[Dissected]]
) -> list[HeaderComparison]:
    """Compare what both read of each input.

    Args:
        inputs: headers, with or without a Payload stream.
        dissect: what the dissector says of messages (`fuzz.differential.tshark.dissect`).
    """
    kept = list(inputs)
    asked = [_Asked.of(octets) for octets in kept if not _is_left_out(octets)]
    said = iter(zip(asked, dissect([one.message for one in asked]), strict=True))
    return [
        HeaderComparison(octets, Agreement.LEFT_OUT)
        if _is_left_out(octets)
        else _compared(*next(said))
        for octets in kept
    ]


def _is_left_out(octets: bytes) -> bool:
    """Whether it would be padded, takes more than a packet, or is of another version."""
    whole = len(octets) % _WORD == 0 and _WORD <= len(octets) <= MOST_OCTETS
    # A message that ends before its version may be of any.
    return not whole or octets[_WORD : 2 * _WORD] not in (b"", _VERSION.to_bytes(_WORD))


@dataclass(frozen=True, slots=True)
class _Asked:
    """An input, what the dissector is given of it, and what our decoder says."""

    octets: bytes
    message: bytes
    ours: dict[str, tuple[int, ...]] | DecodeError

    @classmethod
    def of(cls, octets: bytes) -> _Asked:
        ours = decode_as_true(octets)
        if isinstance(ours, DecodeError):
            return cls(octets, octets, ours)
        header, end = ours
        message = octets
        if isinstance(header.rdma_body, RdmaMsg | RdmaMsgp):
            message = octets[:end] + octets[:_WORD] + octets[end + _WORD :]
        return cls(octets, message, fields_of(header))


def _compared(asked: _Asked, theirs: Dissected) -> HeaderComparison:
    match asked.ours:
        case DecodeError(reason=Reason.TRUNCATED):
            if not theirs.recognised or theirs.malformed:
                return HeaderComparison(asked.octets, Agreement.REFUSED)
        case DecodeError(reason=Reason.BAD_ENUM):
            if not theirs.recognised or not _has_chunks(theirs):
                return HeaderComparison(asked.octets, Agreement.OTHER)
        case dict() as fields if theirs.recognised and theirs.fields == fields:
            return HeaderComparison(asked.octets, Agreement.ALIKE)
        case _:
            pass
    return HeaderComparison(
        asked.octets, None, f"ours: {_told(asked.ours)}; tshark: {_seen(theirs)}"
    )


def _has_chunks(theirs: Dissected) -> bool:
    return any(theirs.fields.get(name) for name in ("position", "segment_count", "rdma_handle"))


def _told(ours: dict[str, tuple[int, ...]] | DecodeError) -> str:
    return str(ours) if isinstance(ours, DecodeError) else _named(ours)


def _seen(theirs: Dissected) -> str:
    if not theirs.recognised:
        return "no message of RPC-over-RDMA"
    return _named(theirs.fields) + (", cut" if theirs.malformed else "")


def _named(fields: dict[str, tuple[int, ...]]) -> str:
    shown = (f"{name} {' '.join(map(str, values))}" for name, values in fields.items() if values)
    return ", ".join(shown)


def _fields(header: TransportHeader) -> Iterator[tuple[str, int]]:
    yield "xid", header.rdma_xid
    yield "version", header.rdma_vers
    yield "flow_control", header.rdma_credit
    match header.rdma_body:
        case RdmaError(error=ErrVers(rdma_vers_low=low, rdma_vers_high=high)):
            yield from (("msg_type", 4), ("errcode", 1), ("vers_low", low), ("vers_high", high))
        case RdmaError():
            yield from (("msg_type", 4), ("errcode", 2))
        case RdmaDone():
            yield "msg_type", 3
        case RdmaMsg() | RdmaNomsg() | RdmaMsgp() as body:
            yield "msg_type", {RdmaMsg: 0, RdmaNomsg: 1, RdmaMsgp: 2}[type(body)]
            yield from _chunk_lists(body)


def _chunk_lists(body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> Iterator[tuple[str, int]]:
    if isinstance(body, RdmaMsgp):
        yield from (("rdma_align", body.rdma_align), ("rdma_thresh", body.rdma_thresh))
    for read in body.rdma_reads:
        yield "position", read.position
        yield from _segment(read.target)
    for chunk in (*body.rdma_writes, *filter(None, [body.rdma_reply])):
        yield "segment_count", len(chunk.target)
        for target in chunk.target:
            yield from _segment(target)


def _segment(target: RdmaSegment) -> Iterator[tuple[str, int]]:
    yield "rdma_handle", target.handle
    yield "rdma_length", target.length
    yield "rdma_offset", target.offset
