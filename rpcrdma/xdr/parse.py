"""XDR text to syntax tree, by lark; every error has its line and column.

rfc4506 section 6 (The XDR Language Specification) and rfc5531 section 12.2.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, cast

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from rpcrdma.xdr import syntax
from rpcrdma.xdr.syntax import Declaration, Form, Location, Primitive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lark.tree import Meta

# Specifications use the type names of rpc/types.h and of rfc1813 without defining them; those
# that mean it define them with typedef, so none is built in here.


class XdrError(Exception):
    """An XDR text that the language does not allow; the message begins with the place."""

    def __init__(self, location: Location | None, detail: str) -> None:
        super().__init__(location, detail)
        self.location = location
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.location}: {self.detail}" if self.location else self.detail


def _place(meta: Meta) -> Location:
    return Location(meta.line, meta.column)


def _at(token: Token) -> Location:
    # Tokens of a parsed text always have a place; lark types it as optional.
    return Location(token.line or 1, token.column or 1)


@v_args(inline=True)
class _TreeBuilder(Transformer[Token, syntax.Specification]):
    """Turns each production into its node, from the leaves up."""

    def start(self, *definitions: syntax.Definition) -> syntax.Specification:
        return syntax.Specification(definitions)

    def constant(self, token: Token) -> int:
        base = {"DECIMAL": 10, "HEXADECIMAL": 16, "OCTAL": 8}[token.type]
        return int(token, base)

    def value(self, constant: int) -> int:
        return constant

    def constant_name(self, token: Token) -> syntax.ConstantName:
        return syntax.ConstantName(str(token), _at(token))

    def int32(self) -> Primitive:
        return Primitive.INT

    def uint32(self) -> Primitive:
        return Primitive.UNSIGNED_INT

    def int64(self) -> Primitive:
        return Primitive.HYPER

    def uint64(self) -> Primitive:
        return Primitive.UNSIGNED_HYPER

    def float32(self) -> Primitive:
        return Primitive.FLOAT

    def float64(self) -> Primitive:
        return Primitive.DOUBLE

    def float128(self) -> Primitive:
        return Primitive.QUADRUPLE

    def boolean(self) -> Primitive:
        return Primitive.BOOL

    def inline(
        self, body: syntax.EnumBody | syntax.StructBody | syntax.UnionBody
    ) -> syntax.Specifier:
        return body

    def named(self, token: Token) -> syntax.TypeName:
        return syntax.TypeName(str(token), _at(token))

    def plain(self, specifier: syntax.Specifier, name: Token) -> Declaration:
        return Declaration(str(name), specifier, Form.PLAIN, None, _at(name))

    def fixed(
        self, specifier: syntax.Specifier | Token, name: Token, size: syntax.Value
    ) -> Declaration:
        return Declaration(str(name), _specifier(specifier), Form.FIXED, size, _at(name))

    def variable(
        self, specifier: syntax.Specifier | Token, name: Token, size: syntax.Value | None
    ) -> Declaration:
        return Declaration(str(name), _specifier(specifier), Form.VARIABLE, size, _at(name))

    def optional(self, specifier: syntax.Specifier, name: Token) -> Declaration:
        return Declaration(str(name), specifier, Form.OPTIONAL, None, _at(name))

    @v_args(meta=True, inline=True)
    def void(self, meta: Meta) -> Declaration:
        return Declaration("", None, Form.VOID, None, _place(meta))

    def enum_member(self, name: Token, value: syntax.Value) -> syntax.EnumMember:
        return syntax.EnumMember(str(name), value, _at(name))

    def enum_body(self, *members: syntax.EnumMember) -> syntax.EnumBody:
        return syntax.EnumBody(members)

    def struct_body(self, *fields: Declaration) -> syntax.StructBody:
        return syntax.StructBody(fields)

    @v_args(meta=True, inline=True)
    def case_arm(self, meta: Meta, *parts: syntax.Value | Declaration) -> syntax.UnionCase:
        values = cast("tuple[syntax.Value, ...]", parts[:-1])
        return syntax.UnionCase(values, cast("Declaration", parts[-1]), _place(meta))

    @v_args(meta=True, inline=True)
    def default_arm(self, meta: Meta, declaration: Declaration) -> syntax.UnionCase:
        return syntax.UnionCase((), declaration, _place(meta))

    def union_body(self, discriminant: Declaration, *arms: syntax.UnionCase) -> syntax.UnionBody:
        default = None if arms[-1].values else arms[-1]
        return syntax.UnionBody(discriminant, arms if default is None else arms[:-1], default)

    def constant_definition(self, name: Token, value: int) -> syntax.Constant:
        return syntax.Constant(str(name), value, _at(name))

    def type_definition(self, declaration: Declaration) -> syntax.TypeDefinition:
        return syntax.TypeDefinition(declaration)

    def enum_definition(self, name: Token, body: syntax.EnumBody) -> syntax.BodyDefinition:
        return syntax.BodyDefinition(str(name), body, _at(name))

    def struct_definition(self, name: Token, body: syntax.StructBody) -> syntax.BodyDefinition:
        return syntax.BodyDefinition(str(name), body, _at(name))

    def union_definition(self, name: Token, body: syntax.UnionBody) -> syntax.BodyDefinition:
        return syntax.BodyDefinition(str(name), body, _at(name))

    def no_value(self) -> None:
        return None

    def procedure_type(self, specifier: syntax.Specifier) -> syntax.Specifier:
        return specifier

    def procedure_definition(
        self, result: syntax.Specifier | None, name: Token, *rest: syntax.Specifier | int | None
    ) -> syntax.ProcedureDefinition:
        arguments = cast("tuple[syntax.Specifier | None, ...]", rest[:-1])
        return syntax.ProcedureDefinition(
            str(name), cast("int", rest[-1]), result, arguments, _at(name)
        )

    def version_definition(
        self, name: Token, *rest: syntax.ProcedureDefinition | int
    ) -> syntax.Version:
        procedures = cast("tuple[syntax.ProcedureDefinition, ...]", rest[:-1])
        return syntax.Version(str(name), cast("int", rest[-1]), procedures, _at(name))

    def program_definition(
        self, name: Token, *rest: syntax.Version | int
    ) -> syntax.ProgramDefinition:
        versions = cast("tuple[syntax.Version, ...]", rest[:-1])
        return syntax.ProgramDefinition(str(name), cast("int", rest[-1]), versions, _at(name))


def _specifier(specifier: syntax.Specifier | Token) -> syntax.Specifier:
    """Opaque and string arrive as tokens, because they are types only inside a declaration."""
    return Primitive(str(specifier)) if isinstance(specifier, Token) else specifier


@cache
def _parser() -> Lark:
    grammar = resources.files("rpcrdma.xdr").joinpath("grammar.lark").read_text("utf-8")
    # The basic lexer keeps keywords reserved; the contextual one would take `string` for a name.
    return Lark(
        grammar, parser="lalr", lexer="basic", propagate_positions=True, maybe_placeholders=True
    )


def parse(text: str) -> syntax.Specification:
    """Parse an XDR text.

    Raises:
        XdrError: the text is not XDR; says where, what was found and what could stand there.
    """
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise _explain(error) from None
    return _TreeBuilder().transform(tree)


def _explain(error: UnexpectedInput) -> XdrError:
    location = Location(max(error.line, 1), max(error.column, 1))
    if isinstance(error, UnexpectedCharacters):
        return XdrError(location, f"no token begins with {error.char!r}")
    if isinstance(error, UnexpectedToken):
        expected = _names_of(sorted(error.accepts or error.expected))
        if error.token.type == "$END":
            return XdrError(None, f"the text ends too early; {expected} was expected")
        return XdrError(location, f"{str(error.token)!r} is unexpected; {expected} was expected")
    return XdrError(location, "not XDR")


def _names_of(terminals: Sequence[str]) -> str:
    """The terminals as they are written in a specification."""
    spelt = {str(item.name): item.pattern.value for item in _parser().terminals}
    words = {"IDENTIFIER": "a name", "DECIMAL": "a number"}
    # Three spellings of a number are one thing to a reader.
    shown = [item for item in terminals if item not in {"HEXADECIMAL", "OCTAL"}]
    return " or ".join(
        "the end" if item == "$END" else words.get(item) or repr(spelt[item]) for item in shown
    )
