"""The resolved types of a specification: names looked up, sizes known, lists recognised.

This is what the interpreter, the emitters and the tree view work on.  Types that have a name of
their own stand in `Schema.types`, and other types point to them by `Reference`; typedefs are gone.

A union has no object of its own: its value is the object of the arm.  An arm whose declaration is
a plain structure *is* that structure; any other arm has a class with at most one field, and with
the discriminant before it where several values lead to the arm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

UNLIMITED = 2**32 - 1
"""rfc4506 4.10: a count without a stated maximum is bounded by its own 32 bits."""


@dataclass(frozen=True, slots=True)
class Integer:
    """int, unsigned int, hyper or unsigned hyper."""

    bits: int
    signed: bool


@dataclass(frozen=True, slots=True)
class Floating:
    """float or double."""

    bits: int


@dataclass(frozen=True, slots=True)
class Boolean:
    """bool: 0 or 1."""


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enumeration; members as (name, value)."""

    name: str
    members: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class FixedOpaque:
    """opaque name[length]."""

    length: int


@dataclass(frozen=True, slots=True)
class VariableOpaque:
    """opaque name<maximum>."""

    maximum: int


@dataclass(frozen=True, slots=True)
class Text:
    """string name<maximum>; the maximum counts octets."""

    maximum: int


@dataclass(frozen=True, slots=True)
class FixedArray:
    """type name[length]."""

    element: Type
    length: int


@dataclass(frozen=True, slots=True)
class VariableArray:
    """type name<maximum>."""

    element: Type
    maximum: int


@dataclass(frozen=True, slots=True)
class Optional:
    """type *name, where the type does not refer to itself as a list."""

    element: Type


@dataclass(frozen=True, slots=True)
class LinkedList:
    """A structure whose last field points to the next one; seen as a tuple of elements.

    Attributes:
        element: the structure without its pointer, or its only other field.
        nonempty: the structure itself is declared and not a pointer to it: at least one element.
    """

    element: Type
    nonempty: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """The named type `Schema.types[name]`; recursive when that type leads back to itself."""

    name: str
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A named item of a structure or arm."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure; `name` is the Python class."""

    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a union.

    Attributes:
        name: the Python class.
        cases: the values that lead here; empty for the default arm.
        tagged: the object carries the discriminant, since the class does not tell it.
        fields: of the object, after the discriminant.
    """

    name: str
    cases: tuple[int, ...]
    tagged: bool
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """A discriminated union; `default` takes the values that no arm names."""

    name: str
    discriminant: Field
    arms: tuple[Arm, ...]
    default: Arm | None


Type = (
    Integer
    | Floating
    | Boolean
    | Enumeration
    | FixedOpaque
    | VariableOpaque
    | Text
    | FixedArray
    | VariableArray
    | Optional
    | LinkedList
    | Reference
    | Structure
    | Union
)


@dataclass(frozen=True, slots=True)
class Schema:
    """All named types of one specification, in an order in which each stands after its parts.

    Attributes:
        types: enumerations, structures and unions by Python name.
        sources: the XDR name behind each Python name.
        constants: of the text, programs and versions included.
        procedures: for each program version, its procedures and their numbers.
        charset: of the strings; rfc4506 4.11 says ASCII.
        shared: the specification whose class of the same name a type uses, by Python name.
    """

    types: Mapping[str, Enumeration | Structure | Union]
    sources: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, int] = field(default_factory=dict)
    procedures: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    charset: str = "ascii"
    shared: Mapping[str, str] = field(default_factory=dict)

    def target(self, item: Type) -> Type:
        """The type itself, where `item` may be a reference to it."""
        return self.types[item.name] if isinstance(item, Reference) else item

    def minimum_size(self, item: Type) -> int:
        """Octets of the shortest encoding of a type."""
        match item:
            case Integer(bits=bits) | Floating(bits=bits):
                return bits // 8
            case FixedOpaque(length=length):
                return length + (-length & 3)
            case FixedArray(element=element, length=length):
                return length * self.minimum_size(element) if length else 0
            case LinkedList(element=element, nonempty=True):
                return 4 + self.minimum_size(element)
            case Reference(recursive=True):
                return 4  # a type that contains itself has at least the word that ends it
            case Reference(name=name):
                return self.minimum_size(self.types[name])
            case Structure(fields=fields):
                return self._minimum_of(fields)
            case Union(arms=arms, discriminant=discriminant):
                every = arms if item.default is None else (*arms, item.default)
                shortest = min(self._minimum_of(arm.fields) for arm in every)
                return self.minimum_size(discriminant.type) + shortest
            case _:  # a word: boolean, enumeration, count or optional-data discriminator
                return 4

    def _minimum_of(self, fields: tuple[Field, ...]) -> int:
        return sum(self.minimum_size(item.type) for item in fields)


def has_slack(schema: Schema, item: Type) -> bool:
    """Whether encodings of the type differ in length."""
    match item:
        case Integer() | Floating() | Boolean() | Enumeration() | FixedOpaque():
            return False
        case FixedArray(element=element):
            return has_slack(schema, element)
        case Reference(name=name, recursive=recursive):
            return recursive or has_slack(schema, schema.types[name])
        case Structure(fields=fields):
            return any(has_slack(schema, part.type) for part in fields)
        case _:
            return True


def arms_of(union: Union) -> tuple[Arm, ...]:
    """All arms, the default one last."""
    return union.arms if union.default is None else (*union.arms, union.default)


def fields_of(item: Enumeration | Structure | Union) -> tuple[Field, ...]:
    """All fields of a named type, those of every arm included."""
    match item:
        case Structure(fields=fields):
            return fields
        case Union():
            return tuple(part for arm in arms_of(item) for part in arm.fields)
        case _:
            return ()
