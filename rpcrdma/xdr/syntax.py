"""The syntax tree of an XDR specification: one frozen node for each production.

    rfc4506 section 6.3   Syntax Information
    rfc5531 section 12.2  The RPC Language Specification

Nodes say what was written and where; what the names mean is found by `rpcrdma.xdr.resolve`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Location:
    """Where something stands in the text; both count from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class Primitive(Enum):
    """The types that the language itself has."""

    INT = "int"
    UNSIGNED_INT = "unsigned int"
    HYPER = "hyper"
    UNSIGNED_HYPER = "unsigned hyper"
    FLOAT = "float"
    DOUBLE = "double"
    QUADRUPLE = "quadruple"
    BOOL = "bool"
    OPAQUE = "opaque"
    STRING = "string"


class Form(Enum):
    """How a declaration applies its type."""

    PLAIN = "type name"
    FIXED = "type name[size]"
    VARIABLE = "type name<maximum>"
    OPTIONAL = "type *name"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class ConstantName:
    """A constant or an enumeration member, referred to by name."""

    name: str
    location: Location


Value = int | ConstantName


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type, referred to by name."""

    name: str
    location: Location


@dataclass(frozen=True, slots=True)
class EnumMember:
    """One `NAME = value` of an enumeration."""

    name: str
    value: Value
    location: Location


@dataclass(frozen=True, slots=True)
class EnumBody:
    """The members of an enumeration, in the order of the text."""

    members: tuple[EnumMember, ...]


@dataclass(frozen=True, slots=True)
class StructBody:
    """The fields of a structure, in the order of the text."""

    fields: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class UnionCase:
    """One arm of a union with all the values that lead to it; no values: the default arm."""

    values: tuple[Value, ...]
    declaration: Declaration
    location: Location


@dataclass(frozen=True, slots=True)
class UnionBody:
    """A discriminated union; `default` is None when the text has no default arm."""

    discriminant: Declaration
    cases: tuple[UnionCase, ...]
    default: UnionCase | None


Specifier = Primitive | TypeName | EnumBody | StructBody | UnionBody


@dataclass(frozen=True, slots=True)
class Declaration:
    """A name with its type; a void declaration has neither.

    Attributes:
        name: empty for void.
        specifier: None for void.
        form: plain, array, optional or void.
        size: of a fixed form, or the maximum of a variable one (None: no maximum stated).
        location: of the name.
    """

    name: str
    specifier: Specifier | None
    form: Form
    size: Value | None
    location: Location


@dataclass(frozen=True, slots=True)
class Constant:
    """`const NAME = value;`."""

    name: str
    value: int
    location: Location


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """`typedef declaration;`: the declared name becomes a type."""

    declaration: Declaration

    @property
    def name(self) -> str:
        """The name that is defined."""
        return self.declaration.name

    @property
    def location(self) -> Location:
        """Where the name stands."""
        return self.declaration.location


@dataclass(frozen=True, slots=True)
class BodyDefinition:
    """A named enumeration, structure or union."""

    name: str
    body: EnumBody | StructBody | UnionBody
    location: Location


@dataclass(frozen=True, slots=True)
class ProcedureDefinition:
    """One remote procedure; None stands for void, as result and as the only argument."""

    name: str
    number: int
    result: Specifier | None
    arguments: tuple[Specifier | None, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a program."""

    name: str
    number: int
    procedures: tuple[ProcedureDefinition, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class ProgramDefinition:
    """An RPC program (rfc5531 12.2)."""

    name: str
    number: int
    versions: tuple[Version, ...]
    location: Location


Definition = Constant | TypeDefinition | BodyDefinition | ProgramDefinition


@dataclass(frozen=True, slots=True)
class Specification:
    """A whole XDR text."""

    definitions: tuple[Definition, ...]
