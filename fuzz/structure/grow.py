"""Octets of any value of a type, drawn at random: short ones, with what is alive in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.structure.numbers import draw_number, draw_segment
from rpcrdma.xdr import model
from rpcrdma.xdr.runtime import ZEROES

if TYPE_CHECKING:
    from random import Random

__all__ = ["SEGMENT", "grow", "grow_arm", "padded"]

SEGMENT: Final = "RdmaSegment"
"""The structure that is drawn whole, so that handle, length and offset belong together."""

_SIZES: Final = (0, 0, 1, 1, 2, 3)
"""Elements of a list or array."""

_OCTETS: Final = (0, 1, 3, 4, 5, 8, 12, 33)
"""Lengths of an opaque or of a text."""

_DEEPEST: Final = 6
"""Types that contain themselves end here; no list of ours needs more."""


def grow(
    schema: model.Schema, item: model.Type, draw: Random, name: str = "", depth: int = 0
) -> bytes:
    """Octets that the type decodes, if not at its nesting limit.

    Args:
        schema: where references lead.
        item: the type.
        draw: where chance comes from.
        name: of the field that it is for; steers its numbers.
        depth: how many types are around it.
    """
    more = draw.choice(_SIZES) if depth < _DEEPEST else 0

    def several(element: model.Type, count: int, lead: bytes = b"") -> bytes:
        return b"".join(lead + grow(schema, element, draw, name, depth + 1) for _ in range(count))

    match item:
        case model.Reference(name=target):
            return grow(schema, schema.types[target], draw, name, depth)
        case model.Structure(name=title, fields=fields):
            return draw_segment(draw) if title == SEGMENT else _fields(schema, fields, draw, depth)
        case model.Union():
            return grow_arm(schema, item, draw.choice(model.arms_of(item)), draw, depth)
        case model.LinkedList(element=element, nonempty=nonempty):
            first = several(element, 1) if nonempty else b""
            return first + several(element, more, _word(1)) + _word(0)
        case model.VariableArray(element=element, maximum=maximum):
            count = min(more, maximum)
            return _word(count) + several(element, count)
        case model.FixedArray(element=element, length=length):
            return several(element, length)
        case model.Optional(element=element):
            return _word(1) + several(element, 1) if more else _word(0)
        case _:
            return _leaf(item, draw, name)


def grow_arm(
    schema: model.Schema, union: model.Union, arm: model.Arm, draw: Random, depth: int = 0
) -> bytes:
    """Octets of a union that has one of its arms: a discriminant that leads to it, and its body."""
    tag = draw.choice(arm.cases or _other_tags(schema, union))
    return _word(tag) + _fields(schema, arm.fields, draw, depth)


def padded(octets: bytes) -> bytes:
    """The octets with zeroes up to a multiple of four (rfc4506 3)."""
    return octets + ZEROES[-len(octets) & 3]


def _fields(
    schema: model.Schema, fields: tuple[model.Field, ...], draw: Random, depth: int
) -> bytes:
    return b"".join(grow(schema, part.type, draw, part.name, depth + 1) for part in fields)


def _other_tags(schema: model.Schema, union: model.Union) -> tuple[int, ...]:
    """Discriminants that lead to the default arm."""
    target = schema.target(union.discriminant.type)
    named = {case for arm in union.arms for case in arm.cases}
    if isinstance(target, model.Enumeration):
        return tuple(number for _, number in target.members if number not in named)
    return (max(named) + 1, 2**31 - 1)


def _leaf(item: model.Type, draw: Random, name: str) -> bytes:
    match item:
        case model.Integer(bits=bits, signed=signed):
            number = draw_number(draw, item, name)
            return number.to_bytes(bits // 8, "big", signed=signed)
        case model.Floating(bits=bits):
            return draw.randbytes(bits // 8)
        case model.Boolean():
            return _word(draw.randrange(2))
        case model.Enumeration(members=members):
            return _word(draw.choice(members)[1])
        case model.FixedOpaque(length=length):
            return padded(draw.randbytes(length))
        case model.VariableOpaque(maximum=maximum) | model.Text(maximum=maximum):
            length = min(draw.choice(_OCTETS), maximum)
            letters = bytes(draw.randrange(97, 123) for _ in range(length))
            return _word(length) + padded(letters)
        case _:
            raise TypeError(item)


def _word(number: int) -> bytes:
    return (number % 2**32).to_bytes(4, "big")
