"""The reference of a profile's keys, made of the types that read it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import inspect

from documentation.attributes import attributes_of, members_of, sentence_of
from targets.acts import Acts, Command
from targets.base import ActKind
from targets.profile import Claims, Extra, Lab, Profile

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["profile_page", "type_in_words"]

_HEAD: Final = """\
# Keys of a profile

Made of the code that reads profiles. A key that is not listed is an error, and so is a value of
another type: the message names file, key and remedy.
"""

_TABLES: Final = (
    ("Top of the file", Profile),
    ("[claims]", Claims),
    ("[extra]", Extra),
    ("[lab]", Lab),
    ("[acts]", Acts),
    ("A command in [acts]", Command),
)


def profile_page() -> str:
    """A table of keys for each table of a profile."""
    parts = [_HEAD]
    for title, kind in _TABLES:
        said = attributes_of(kind)
        if kind is Acts:
            said |= {act.replace("-", "_"): words for act, words in members_of(ActKind).items()}
        lines = [f"## {title}", "", sentence_of(kind), ""]
        lines += ["| key | value | default | meaning |", "|---|---|---|---|"]
        for field in msgspec.structs.fields(kind):
            about = inspect.type_info(field.type)
            key, words = field.encode_name, type_in_words(about)
            lines.append(
                f"| `{key}` | {words} | {_default(field)} | {_cell(said.get(field.name, ''))} |"
            )
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def type_in_words(about: inspect.Type) -> str:
    """What may stand for a value, for people."""
    for kind, words in _WORDS.items():
        if isinstance(about, kind):
            return words(about)
    if isinstance(about, inspect.UnionType):
        each = [one for one in about.types if not isinstance(one, inspect.NoneType)]
        return " or ".join(map(type_in_words, each))
    return "any"


def _number(about: inspect.IntType | inspect.FloatType, what: str) -> str:
    low = f" from {about.ge}" if about.ge is not None else ""
    low = low or (f" above {about.gt}" if about.gt is not None else "")
    high = f" up to {about.le}" if about.le is not None else ""
    return what + low + high


def _choice(about: inspect.LiteralType) -> str:
    return " or ".join(f"`{value}`" if value else "empty" for value in about.values)


_WORDS: Final[dict[type, Callable[..., str]]] = {
    inspect.BoolType: lambda _about: "true or false",
    inspect.IntType: lambda about: _number(about, "whole number"),
    inspect.FloatType: lambda about: _number(about, "number"),
    inspect.StrType: lambda _about: "text",
    inspect.LiteralType: _choice,
    inspect.EnumType: lambda about: " or ".join(f"`{one.value}`" for one in about.cls),
    inspect.VarTupleType: lambda about: f"list of {type_in_words(about.item_type)}",
    inspect.DictType: lambda about: f"table of {type_in_words(about.value_type)}",
    inspect.StructType: lambda _about: "table, below",
}
"""Kind of a type -> what it is called."""


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "none: required"
    value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    if isinstance(value, Enum):
        return f"`{value.value}`"
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value}`" if value or value == 0 else "empty"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")
