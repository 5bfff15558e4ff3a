"""What the docstring of a record says of each attribute, for schemas and references made from it.

An enumeration has the meaning of each member in a text below it.
A docstring of this project has a section `Attributes:` with `name: what it means` for each; two
that belong together may share a line, two spaces apart.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enum import Enum

__all__ = ["attributes_of", "meaning_of", "members_of"]


def meaning_of(described: type) -> str:
    """What a class is: its docstring up to the list of attributes, in one line."""
    return _line(inspect.cleandoc(described.__doc__ or "").partition("\nAttributes:\n")[0])


def attributes_of(described: type) -> dict[str, str]:
    """Attribute -> what it means, in one line, in the order of the docstring.

    Raises:
        ValueError: one is described twice.
    """
    _, _, listed = inspect.cleandoc(described.__doc__ or "").partition("\nAttributes:\n")
    entries = re.split(r"(?:^ {4}|(?<=\S) {2})([a-z_]+): ", listed, flags=re.MULTILINE)
    names, meanings = entries[1::2], entries[2::2]
    if len(set(names)) < len(names):
        raise ValueError(f"{described.__name__} describes an attribute twice")
    return {name: _line(meaning) for name, meaning in zip(names, meanings, strict=True)}


def members_of(described: type[Enum]) -> dict[str, str]:
    """Value of a member -> what it means, by the text below it, in one line."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(described))).body
    found: dict[str, str] = {}
    name = ""
    for statement in body.body if isinstance(body, ast.ClassDef) else ():
        match statement:
            case ast.Assign(targets=[ast.Name(id=member)]):
                name = member
            case ast.Expr(value=ast.Constant(value=str() as text)) if name:
                found[described[name].value] = _line(text)
    return found


def _line(text: str) -> str:
    return " ".join(text.split())
