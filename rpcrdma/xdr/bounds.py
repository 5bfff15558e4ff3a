"""Whether the values of resolved types are bounded: no type without end, no unbounded count."""

from __future__ import annotations

from rpcrdma.xdr import model
from rpcrdma.xdr.parse import XdrError


def has_end(schema: model.Schema, item: model.Type, inside: frozenset[str]) -> bool:
    """Whether a value of the type can be finite: some way through it avoids the type itself."""
    match item:
        case model.Reference(name=name):
            return name not in inside and has_end(schema, schema.types[name], inside | {name})
        case model.Structure(fields=fields):
            return all(has_end(schema, part.type, inside) for part in fields)
        case model.Union(arms=arms, default=default):
            every = (*arms, *([default] if default else []))
            return any(
                all(has_end(schema, part.type, inside) for part in arm.fields) for arm in every
            )
        case model.FixedArray(element=element, length=length):
            return length == 0 or has_end(schema, element, inside)
        case model.LinkedList(element=element, nonempty=True):
            return has_end(schema, element, inside)
        case _:
            return True


def check_elements(schema: model.Schema) -> None:
    """An array of items without octets could claim any count in four octets: refuse it."""
    for name, item in schema.types.items():
        fields: tuple[model.Field, ...] = ()
        if isinstance(item, model.Structure):
            fields = item.fields
        elif isinstance(item, model.Union):
            every = (*item.arms, *([item.default] if item.default else []))
            fields = tuple(part for arm in every for part in arm.fields)
        for part in fields:
            if (
                isinstance(part.type, model.VariableArray)
                and schema.minimum_size(part.type.element) == 0
            ):
                raise XdrError(None, f"{name}.{part.name}: its elements occupy no octets")
