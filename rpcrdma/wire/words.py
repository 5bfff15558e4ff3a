"""Values of the protocol in the words of the documents, for the sentences of a report.

What the generated codecs make of a message prints as Python; here a constant is its name, a header
its procedure and its chunks, any other structure its fields by the names of the XDR.  What lies
where in memory is left out of headers: it differs from run to run and nobody compares it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Final

import msgspec

from rpcrdma.wire._generated_rfc8166 import RdmaMsg, RdmaNomsg, RdmaSegment, ReadSegment, WriteChunk
from rpcrdma.wire._generated_v2 import Rdma2Msg, Rdma2Nomsg
from rpcrdma.wire.chunks import ReadChunk, group_by_position
from rpcrdma.wire.operations import OPERATIONS
from rpcrdma.wire.properties import ADOPTED, PropertyValue
from rpcrdma.xdr import model

__all__ = ["HEXADECIMAL", "SHOWN_OCTETS", "constant_of", "in_words", "octets_in_words"]

SHOWN_OCTETS: Final = 64
"""How many octets of a payload are shown before they are cut."""

HEXADECIMAL: Final = frozenset(
    {"rdma_xid", "xid", "xmsi_xid", "handle", "offset"}
    | {"opticonnpr_nochg", "optrespr_done", "optrespr_rej"}
)
"""Fields whose numbers are shown in hexadecimal: names that an end chose, places, sets of bits."""

_MOST_SEGMENTS: Final = 4
"""Segments of a chunk whose lengths are told one by one."""

_Group = Mapping[object, object] | list[object] | tuple[object, ...] | AbstractSet[object]
_Lists = RdmaMsg | RdmaNomsg | Rdma2Msg | Rdma2Nomsg


def in_words(value: object) -> str:
    """A value as a sentence has it.

    Args:
        value: a number, an enumeration's member, octets, an object of the generated codecs, what
            has a text of its own, or a sequence or mapping of these.
    """
    match value:
        case None:
            return "none"
        case "":
            return "nothing"
        case bool():
            return "TRUE" if value else "FALSE"
        case Enum():
            return f"{value.name} ({value.value})" if isinstance(value, int) else f"{value.value}"
        case bytes() | bytearray() | memoryview():
            return octets_in_words(bytes(value))
        case msgspec.Struct():
            return _of_structure(value)
        case Mapping() | list() | tuple() | AbstractSet():
            return ", ".join(_members(value)) or "none"
        case _ if is_dataclass(value) and type(value).__str__ is object.__str__:
            parts = (f"{one.name} {_nested(getattr(value, one.name))}" for one in fields(value))
            return ", ".join(parts).replace("_", " ")
        case _:
            return f"{value}"


def octets_in_words(octets: bytes) -> str:
    """How many octets there are, and the first of them in hexadecimal."""
    cut = " ..." if len(octets) > SHOWN_OCTETS else ""
    return f"{len(octets)} octets {octets[:SHOWN_OCTETS].hex()}{cut}".rstrip()


def _members(value: _Group) -> Iterable[str]:
    if isinstance(value, Mapping):
        return (f"{in_words(key)}: {in_words(one)}" for key, one in value.items())
    # A set has no order of its own, and a text that is compared must have one.
    return sorted(map(_nested, value)) if isinstance(value, AbstractSet) else map(_nested, value)


def _nested(value: object) -> str:
    """A value among others: in brackets if it is a group of several."""
    told = in_words(value)
    is_group = isinstance(value, list | tuple | AbstractSet | Mapping | msgspec.Struct)
    is_named = isinstance(value, msgspec.Struct) and constant_of(type(value))
    return f"({told})" if is_group and not is_named and "," in told else told


def _of_structure(value: msgspec.Struct) -> str:
    match value:
        case RdmaMsg() | RdmaNomsg() | Rdma2Msg() | Rdma2Nomsg():
            return _lists(value)
        case RdmaSegment():
            place = f"handle {value.handle:#010x}, offset {value.offset:#018x}"
            return f"a segment of {value.length} octets at {place}"
        case ReadSegment():
            return f"{in_words(value.target)}, for Position {value.position}"
        case PropertyValue():
            known = ADOPTED.by_code.get(value.pv_which)
            name = f"property {value.pv_which}" if known is None else known.constant
            return f"{name} of {octets_in_words(value.pv_data)}"
        case WriteChunk():
            return f"a chunk of {_lengths(value)}"
        case _:
            return _named_fields(value)


def _named_fields(value: msgspec.Struct) -> str:
    """A constant if the document has one for the structure, and its fields."""
    label = constant_of(type(value))
    told = ", ".join(_field(name, getattr(value, name)) for name in value.__struct_fields__)
    if not label or not told:
        return label or told or "nothing"
    return f"{label} ({told})"


def _field(name: str, value: object) -> str:
    if name in HEXADECIMAL and isinstance(value, int):
        return f"{name} {value:#0{18 if name == 'offset' else 10}x}"
    if name in HEXADECIMAL and isinstance(value, tuple):
        return f"{name} {' '.join(f'{one:#010x}' for one in value) or 'none'}"
    told = _nested(value)
    # The arm of a union says by its own name what it is.
    is_named = isinstance(value, msgspec.Struct) and constant_of(type(value))
    return told if is_named else f"{name} {told}"


def _lists(value: _Lists) -> str:
    """Procedure and chunks: `RDMA_MSG with 1 Read chunk at Position 8 (3000 octets)`."""
    reads = group_by_position(value.rdma_reads)
    parts = []
    if reads:
        places = " and ".join(f"{chunk.position} ({_lengths(chunk)})" for chunk in reads)
        parts.append(f"{_counted(len(reads), 'Read chunk')} at Position {places}")
    if value.rdma_writes:
        lengths = "; ".join(map(_lengths, value.rdma_writes))
        parts.append(f"{_counted(len(value.rdma_writes), 'Write chunk')} ({lengths})")
    if value.rdma_reply is not None:
        parts.append(f"a Reply chunk ({_lengths(value.rdma_reply)})")
    return f"{constant_of(type(value))} {'with ' + ', '.join(parts) if parts else 'without chunks'}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _lengths(chunk: ReadChunk | WriteChunk) -> str:
    lengths = [segment.length for segment in chunk.target]
    if not lengths:
        return "no segment"
    if len(lengths) > _MOST_SEGMENTS:
        return f"{sum(lengths)} octets in {len(lengths)} segments"
    return f"{' + '.join(map(str, lengths))} octets"


def constant_of(of: type[msgspec.Struct]) -> str:
    """The name that a document has for a structure: of its operation, or of its arm of a union.

    Empty for a structure that has none.
    """
    return _constant(of)


@cache
def _constant(of: type[msgspec.Struct]) -> str:
    for operation in OPERATIONS:
        if operation.contents is of:
            return operation.constant
    schema = getattr(sys.modules[of.__module__], "SCHEMA", None)
    if not isinstance(schema, model.Schema):
        return ""
    for union in schema.types.values():
        if isinstance(union, model.Union):
            for arm in union.arms:
                if arm.name == of.__name__ and arm.cases:
                    return _member(schema, union.discriminant.type, arm.cases[0])
    return ""


def _member(schema: model.Schema, of: model.Type, number: int) -> str:
    """The name of a value of an enumeration; empty for a discriminant that is only a number."""
    found = schema.types[of.name] if isinstance(of, model.Reference) else of
    names = found.members if isinstance(found, model.Enumeration) else ()
    return next((name for name, one in names if one == number), "")
