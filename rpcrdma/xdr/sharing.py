"""Types of one specification that use the classes of another: they must be the same in both.

A protocol's next version keeps many of its types.  Where the encoding is the same and the table of
names calls a type alike, one class serves both (`shared` in `rpcrdma.xdr.names`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.xdr import model
from rpcrdma.xdr.parse import XdrError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["check_shared"]


def check_shared(schema: model.Schema, others: Mapping[str, model.Schema]) -> None:
    """See that what a specification takes from others is there, and is the same.

    Args:
        schema: the specification that shares.
        others: all specifications, by the stem of their file.

    Raises:
        XdrError: names the type, and what differs.
    """
    for name, owner in schema.shared.items():
        if owner not in others:
            raise XdrError(None, f"{name} is to come from {owner}, which is no specification")
        other = others[owner]
        if other.types.get(name) != schema.types[name] or name in other.shared:
            raise XdrError(None, f"{name} is not the {name} that {owner} defines")
        for inner in _names_in(schema.types[name]):
            if schema.shared.get(inner) != owner:
                raise XdrError(None, f"{name} comes from {owner}, but its {inner} does not")


def _names_in(item: object) -> Iterator[str]:
    """The names of the types that a type is made of."""
    if isinstance(item, model.Reference):
        yield item.name
    elif isinstance(item, tuple):
        for part in item:
            yield from _names_in(part)
    else:
        slots: tuple[str, ...] = getattr(type(item), "__slots__", ())
        for slot in slots:
            yield from _names_in(getattr(item, slot))
