"""The shortest form of a type, as one unpack: most messages are that.

Every list is empty, every optional absent, every count zero, every union at its first arm.  What
has been unpacked serves the longer forms as well, as far as they begin alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.xdr import model
from rpcrdma.xdr.emit_bulk import Bulk, flat_items, flat_letter
from rpcrdma.xdr.emit_refusals import allowed
from rpcrdma.xdr.straight import CodeLines, Declarations, NotStraightError, is_flat, letter_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class Shortest:
    """Collects what to unpack and what has to hold of it.

    Attributes:
        items: (letter, local name) of each part of the shortest form.
    """

    def __init__(self, schema: model.Schema, declarations: Declarations, code: CodeLines) -> None:
        self.items: list[tuple[str, str]] = []
        self._schema = schema
        self._declarations = declarations
        self._bulk = Bulk(schema, declarations)
        self._code = code
        self._zeroes: list[str] = []
        self._equals: list[str] = []

    def condition(self) -> str:
        """The test for a message of this form."""
        zero = [f"not ({' or '.join(self._zeroes)})"] if self._zeroes else []
        return " and ".join([*zero, *self._equals])

    def read(self, item: model.Type) -> tuple[str, bool]:
        """The expression of the shortest value, and whether it is a constant.

        Raises:
            NotStraightError: the type has no shortest form that one unpack can read.
        """
        match item:
            case model.Reference(name=name, recursive=False):
                return self.read(self._schema.types[name])
            case model.Union(arms=(first, *_)) if not first.tagged:
                tag = self._word(letter_of(self._schema.target(item.discriminant.type)))
                case = first.cases[0]
                if case:
                    self._equals.append(f"{tag} == {case}")
                else:
                    self._zeroes.append(tag)
                return self._object(first.name, first.fields)
            case model.LinkedList(nonempty=False) | model.VariableArray():
                return self._absent("()")
            case model.Optional():
                return self._absent("None")
            case model.VariableOpaque():
                return self._absent('b""')
            case model.Text():
                return self._absent('""')
            case _ if is_flat(self._schema, item):
                return self._bulk.made(item, self._words(item).__next__), False
            case model.Structure(name=name, fields=fields):
                return self._object(name, fields)
            case _:
                raise NotStraightError

    def _words(self, item: model.Type) -> Iterator[str]:
        for single in flat_items(self._schema, item):
            word = self._word(flat_letter(single))
            if isinstance(single, model.Boolean | model.Enumeration):
                self._equals.append(allowed(self._declarations, single, word))
            yield word

    def _word(self, letter: str) -> str:
        name = self._code.fresh("word")
        self.items.append((letter, name))
        return name

    def _absent(self, value: str) -> tuple[str, bool]:
        self._zeroes.append(self._word("I"))
        return value, True

    def _object(self, name: str, fields: tuple[model.Field, ...]) -> tuple[str, bool]:
        parts = [self.read(part.type) for part in fields]
        made = f"{name}({', '.join(value for value, _ in parts)})"
        if all(constant for _, constant in parts):
            return self._declarations.constant(made), True
        return made, False
