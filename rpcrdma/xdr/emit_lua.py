"""Resolved types to a Lua table: what a dissector of Wireshark reads messages by.

The table has an entry for each named type; parts are nested tables with a `kind`.  It holds what
the types say and nothing else: how to read by it is the business of the program beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.xdr import model
from rpcrdma.xdr.parse import XdrError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["emit_lua"]


def emit_lua(schema: model.Schema) -> str:
    """The constructor of the table: a list of types, each with its name.

    Args:
        schema: the resolved types.

    Raises:
        XdrError: a type is of a kind that no transport header has had yet.
    """
    lines = ["{"]
    for name, item in schema.types.items():
        lines += _indented([*_named(schema, name, item)])
    return "\n".join([*lines, "}"])


def _named(
    schema: model.Schema, name: str, item: model.Enumeration | model.Structure | model.Union
) -> Iterator[str]:
    match item:
        case model.Enumeration(members=members):
            values = ", ".join(f'[{value}] = "{word}"' for word, value in members)
            yield f'{{name = "{name}", kind = "enumeration", members = {{{values}}}}},'
        case model.Structure(fields=fields):
            yield f'{{name = "{name}", kind = "structure", fields = {{'
            yield from _indented(_fields(schema, fields))
            yield "}},"
        case model.Union(discriminant=tag, arms=arms, default=default):
            yield f'{{name = "{name}", kind = "union",'
            yield f"    tag = {_field(schema, tag)},"
            yield "    arms = {"
            for arm in arms:
                for case in arm.cases:
                    yield from _indented(_indented(_arm(schema, arm, f"[{case}] = ")))
            yield "    },"
            if default is not None:
                yield from _indented(_arm(schema, default, "default = "))
            yield "},"


def _arm(schema: model.Schema, arm: model.Arm, key: str) -> list[str]:
    return [
        f'{key}{{name = "{arm.name}", fields = {{',
        *_indented(_fields(schema, arm.fields)),
        "}},",
    ]


def _fields(schema: model.Schema, fields: Sequence[model.Field]) -> list[str]:
    return [f"{_field(schema, field)}," for field in fields]


def _field(schema: model.Schema, field: model.Field) -> str:
    return f'{{name = "{field.name}", type = {_part(schema, field.type)}}}'


def _part(schema: model.Schema, item: model.Type) -> str:
    match item:
        case model.Reference(name=name, recursive=False):
            return f'{{kind = "reference", to = "{name}"}}'
        case model.Integer(bits=bits, signed=False):
            return f'{{kind = "integer", octets = {bits // 8}}}'
        case model.Boolean():
            return '{kind = "boolean"}'
        case model.VariableOpaque(maximum=maximum):
            return f'{{kind = "opaque", maximum = {maximum}}}'
        case model.VariableArray(element=element, maximum=maximum):
            least = schema.minimum_size(element)
            return (
                f'{{kind = "array", maximum = {maximum}, least = {least},'
                f" element = {_part(schema, element)}}}"
            )
        case model.LinkedList(element=element, nonempty=False):
            return f'{{kind = "list", element = {_part(schema, element)}}}'
        case model.Optional(element=element):
            return f'{{kind = "optional", element = {_part(schema, element)}}}'
        case _:
            kind = type(item).__name__
            raise XdrError(None, f"the dissector reads no {kind}: teach emit_lua and its program")


def _indented(lines: Sequence[str] | Iterator[str]) -> list[str]:
    return [f"    {line}" for line in lines]
