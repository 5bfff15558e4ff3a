"""Which items are certain to follow a place in a message, whatever its flags and counts say.

A discriminator of a list is followed by the first item of the next entry or by the first item
after the list.  Where both have the same format, it can be unpacked with the discriminator,
before it is known which of the two it is.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from rpcrdma.xdr import model
from rpcrdma.xdr.straight import letter_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def sure_letters(
    schema: model.Schema, types: Sequence[model.Type], after: tuple[str, ...]
) -> tuple[str, ...]:
    """Format letters of the items at the head of some types, as far as they are certain.

    Args:
        schema: the resolved types.
        types: one after the other.
        after: letters that are certain to follow them.
    """
    if not types:
        return after
    rest = sure_letters(schema, types[1:], after)
    match types[0]:
        case model.Reference(name=name, recursive=False):
            return sure_letters(schema, [schema.types[name], *types[1:]], after)
        case model.Structure(fields=fields):
            return sure_letters(schema, [part.type for part in fields], rest)
        case model.Integer() | model.Floating() | model.Boolean() | model.Enumeration():
            return (letter_of(types[0]), *rest)
        case model.Optional(element=element):
            return ("I", *shared_letters(sure_letters(schema, [element], rest), rest))
        case model.LinkedList(element=element, nonempty=False):
            return ("I", *shared_letters(sure_letters(schema, [element], ("I",)), rest))
        case model.Union(discriminant=discriminant) as union:
            arms = [
                sure_letters(schema, [part.type for part in arm.fields], rest)
                for arm in model.arms_of(union)
            ]
            return (letter_of(schema.target(discriminant.type)), *shared_letters(*arms))
        case model.VariableArray() | model.VariableOpaque() | model.Text():
            return ("I",)
        case _:
            return ()


def shared_letters(*branches: tuple[str, ...]) -> tuple[str, ...]:
    """The letters with which all branches begin."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*branches, strict=False))
    return tuple(column[0] for column in columns)
