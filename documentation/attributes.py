"""What a class's docstring says of each of its attributes."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enum import Enum

__all__ = ["attributes_of", "members_of", "sentence_of"]


def attributes_of(kind: type) -> dict[str, str]:
    """Name -> words, from the section `Attributes:`; several may share a line."""
    text = inspect.getdoc(kind) or ""
    _, _, section = text.partition("Attributes:\n")
    names = set(kind.__annotations__)
    found: dict[str, str] = {}
    name = ""
    for part in _split(section.strip(), names):
        if part in names and part not in found:
            name = part
            found[name] = ""
        elif name:
            found[name] = " ".join((found[name] + " " + part).split())
    return found


def sentence_of(kind: type) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())


def members_of(kind: type[Enum]) -> dict[str, str]:
    """Value -> words, of an enumeration whose members each have a text below them."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)  # noqa: S101  # an enumeration is a class
    found: dict[str, str] = {}
    for member, below in zip(tree.body, tree.body[1:], strict=False):
        match member, below:
            case (
                ast.Assign(targets=[ast.Name()], value=ast.Constant(value=str(value))),
                ast.Expr(value=ast.Constant(value=str(words))),
            ):
                found[value] = " ".join(words.split())
            case _:
                pass
    return found


def _split(section: str, names: set[str]) -> list[str]:
    """Names and what follows each, in turn; what several share has its words elsewhere."""
    pattern = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    shared = rf"^ *(?:{pattern})(?:,\s+(?:{pattern}))+: .*?(?=^ *(?:{pattern}): |\Z)"
    section = re.sub(shared, "", section, flags=re.MULTILINE | re.DOTALL)
    return re.split(rf"(?:^|(?<=\.  )|(?<=\n) *)\b({pattern}): ", section)
