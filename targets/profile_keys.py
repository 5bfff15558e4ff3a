"""The keys of a target profile, with type, default and meaning, for a reference and for drafts.

All of it is read from the structures that profiles are decoded into (`targets.profile`,
`targets.acts`): a key that is added there, or means something else, is told so here at once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import inspect

from reports.described import attributes_of, meaning_of, members_of
from targets.acts import Acts, Command, Prints
from targets.base import ActKind
from targets.profile import TABLES, Binding

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ProfileKey", "ProfileTable", "profile_keys", "profile_tables", "toml_value"]

_OF_ACT: Final = "acts.NAME"
"""How the table of one act is called in the reference."""

_PLAIN: Final = {
    inspect.BoolType: "true or false",
    inspect.StrType: "text",
    inspect.StructType: "table",
}

_CHOICES: Final = (Binding, Prints)


@dataclass(frozen=True, slots=True)
class ProfileKey:
    """One key.

    Attributes:
        table: that it stands in; empty for the head of the file.
        name: as it is written.
        kind: what may stand there, in words.
        meaning: in a sentence or two.
        default: as it is written; empty if there is none.
        required: whether a profile must have it, once it has the table.
        choices: each word that may stand there -> what it means; empty if others may.
    """

    table: str
    name: str
    kind: str
    meaning: str
    default: str
    required: bool
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def dotted(self) -> str:
        """`claims.versions`."""
        return f"{self.table}.{self.name}" if self.table else self.name


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """One table of a profile: its name, what it is for, and its keys in order."""

    name: str
    meaning: str
    keys: tuple[ProfileKey, ...]


@cache
def profile_tables() -> tuple[ProfileTable, ...]:
    """All tables, the head of the file first; last that of one act."""
    tables: list[tuple[str, type[msgspec.Struct]]] = [*TABLES.items(), (_OF_ACT, Command)]
    return tuple(
        ProfileTable(name, meaning_of(held), tuple(_keys(name, held))) for name, held in tables
    )


def profile_keys() -> dict[str, ProfileKey]:
    """Dotted name -> key."""
    return {key.dotted: key for table in profile_tables() for key in table.keys}


def toml_value(value: object) -> str:
    """A text, number, truth value, or list of these, as TOML has it.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        # Every escape of JSON is one of TOML, but for surrogates; DEL must be escaped there.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if value == {}:
        return "{}"
    raise TypeError(f"a profile has no {type(value).__name__}")


def _keys(table: str, held: type[msgspec.Struct]) -> Iterable[ProfileKey]:
    described = attributes_of(held)
    if held is Acts:
        described |= {kind.replace("-", "_"): text for kind, text in members_of(ActKind).items()}
    info = inspect.type_info(held)
    for field in info.fields if isinstance(info, inspect.StructType) else ():
        meaning = described[field.name]
        choices: tuple[tuple[str, str], ...] = ()
        if isinstance(field.type, inspect.EnumType):
            choices = tuple(members_of(field.type.cls).items())
        yield ProfileKey(
            table,
            field.encode_name,
            _words(field.type),
            meaning[0].upper() + meaning[1:],
            _default(field),
            field.required,
            choices,
        )


def _default(field: inspect.Field) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return toml_value(field.default_factory())
    if field.default is msgspec.NODEFAULT or field.default is None:
        return ""
    value = field.default
    return toml_value(value.value if isinstance(value, _CHOICES) else value)


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.VarTupleType(item_type=item):
            return f"list, each {_words(item)}"
        case inspect.DictType(value_type=value):
            return f"table of names, each {_words(value)}"
        case inspect.UnionType(types=types):
            held = [one for one in types if not isinstance(one, inspect.NoneType)]
            if any(isinstance(one, inspect.StructType) and one.cls is Command for one in held):
                return f"command, as text or list of words, or a table as [{_OF_ACT}]"
            return " or ".join(map(_words, held))
        case _:
            return _simple_words(kind)


def _simple_words(kind: inspect.Type) -> str:
    match kind:
        case inspect.IntType(ge=low, le=high):
            return f"whole number, {low} to {high}" if high else f"whole number, {low} or more"
        case inspect.FloatType(gt=above):
            return "number above 0" if above == 0 else "number, 0 or more"
        case inspect.LiteralType(values=values):
            return "one of " + ", ".join(sorted(map(toml_value, values)))
        case inspect.EnumType(cls=choices):
            return "one of " + ", ".join(toml_value(member.value) for member in choices)
        case _:
            return _PLAIN[type(kind)]
