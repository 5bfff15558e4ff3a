"""Syntax tree to resolved types: names, constants, sizes, lists; what is missing or doubled.

rfc4506 section 6.4 (Syntax Notes) and rfc5531 section 12.3.

A structure whose last field is a pointer to the structure itself is a list; everything else that
contains itself is a tree, which the interpreter follows to a bounded depth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.xdr import model, syntax
from rpcrdma.xdr.bounds import check_elements, has_end
from rpcrdma.xdr.names import NameTable
from rpcrdma.xdr.parse import XdrError
from rpcrdma.xdr.syntax import Form, Location, Primitive

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PRIMITIVES: Final[Mapping[Primitive, model.Type]] = {
    Primitive.INT: model.Integer(32, signed=True),
    Primitive.UNSIGNED_INT: model.Integer(32, signed=False),
    Primitive.HYPER: model.Integer(64, signed=True),
    Primitive.UNSIGNED_HYPER: model.Integer(64, signed=False),
    Primitive.FLOAT: model.Floating(32),
    Primitive.DOUBLE: model.Floating(64),
    Primitive.BOOL: model.Boolean(),
}


def resolve(specification: syntax.Specification, names: NameTable | None = None) -> model.Schema:
    """Find out what the names of a specification mean.

    Args:
        specification: the parsed text.
        names: what XDR names are called in Python; without it they are only put in Python's case.

    Raises:
        XdrError: a name is missing or defined twice, a value does not fit, a type has no end.
    """
    return _Resolver(specification, names or NameTable()).run()


class _Resolver:
    def __init__(self, specification: syntax.Specification, names: NameTable) -> None:
        self._names = names
        self._definitions: dict[str, syntax.TypeDefinition | syntax.BodyDefinition] = {}
        self._constants: dict[str, int] = {"TRUE": 1, "FALSE": 0}
        self._declared: dict[str, Location] = {}
        self._enum_members: set[str] = set()
        self._procedures: dict[str, tuple[tuple[str, int], ...]] = {}
        self._types: dict[str, model.Enumeration | model.Structure | model.Union] = {}
        self._sources: dict[str, str] = {}
        self._shared: dict[str, str] = {}
        self._open: list[str] = []  # definitions being resolved, outermost first
        self._recursive: set[str] = set()
        self._done: dict[str, model.Type] = {}
        self._specification = specification

    def run(self) -> model.Schema:
        for definition in self._specification.definitions:
            self._declare(definition)
        for name in self._definitions:
            self._named(syntax.TypeName(name, self._declared[name]))
        self._names.check_all_used()
        constants = {
            name: value
            for name, value in self._constants.items()
            if name not in self._enum_members and name not in {"TRUE", "FALSE"}
        }
        schema = model.Schema(
            self._types,
            self._sources,
            constants,
            self._procedures,
            self._names.charset,
            self._shared,
        )
        for name in self._recursive:
            if not has_end(schema, schema.types[name], frozenset({name})):
                raise XdrError(self._declared.get(self._sources[name]), f"{name} has no end")
        check_elements(schema)
        return schema

    # Names

    def _declare(self, definition: syntax.Definition) -> None:
        self._claim(definition.name, definition.location)
        match definition:
            case syntax.Constant(name=name, value=value):
                self._constants[name] = value
            case syntax.ProgramDefinition():
                self._declare_program(definition)
            case syntax.TypeDefinition(declaration=declaration):
                self._definitions[definition.name] = definition
                self._declare_members(declaration.specifier)
            case syntax.BodyDefinition(body=body):
                self._definitions[definition.name] = definition
                self._declare_members(body)

    def _claim(self, name: str, location: Location) -> None:
        if name in {"TRUE", "FALSE"}:
            raise XdrError(location, f"{name} is defined by the language")
        if name in self._declared:
            raise XdrError(location, f"{name} is defined twice, first at {self._declared[name]}")
        self._declared[name] = location

    def _declare_members(self, specifier: syntax.Specifier | None) -> None:
        """Enumeration members are constants of the whole text, however deep they stand."""
        match specifier:
            case syntax.EnumBody(members=members):
                for member in members:
                    self._claim(member.name, member.location)
                    self._enum_members.add(member.name)
                    value = self._value(member.value, member.location)
                    if not -(2**31) <= value < 2**31:
                        raise XdrError(member.location, f"{value} is not a signed 32-bit integer")
                    self._constants[member.name] = value
            case syntax.StructBody(fields=fields):
                for part in fields:
                    self._declare_members(part.specifier)
            case syntax.UnionBody(discriminant=discriminant, cases=cases, default=default):
                self._declare_members(discriminant.specifier)
                for case in (*cases, *([default] if default else [])):
                    self._declare_members(case.declaration.specifier)
            case _:
                pass

    def _declare_program(self, program: syntax.ProgramDefinition) -> None:
        self._constants[program.name] = program.number
        _refuse_doubles("version", program.versions)
        for version in program.versions:
            _refuse_doubles("procedure", version.procedures)
            self._claim(version.name, version.location)
            self._constants[version.name] = version.number
            self._procedures[version.name] = tuple(
                (procedure.name, procedure.number) for procedure in version.procedures
            )

    def _value(self, value: syntax.Value, location: Location) -> int:
        if isinstance(value, int):
            return value
        if value.name not in self._constants:
            raise XdrError(value.location, f"the constant {value.name} is not defined")
        return self._constants[value.name]

    def _size(self, declaration: syntax.Declaration) -> int:
        if declaration.size is None:
            return model.UNLIMITED
        size = self._value(declaration.size, declaration.location)
        if not 0 <= size <= model.UNLIMITED:
            raise XdrError(declaration.location, f"the size {size} is not unsigned, of 32 bits")
        return size

    # Types

    def _named(self, name: syntax.TypeName) -> model.Type:
        """The type of a name; resolves its definition the first time."""
        definition = self._definitions.get(name.name)
        if definition is None:
            raise XdrError(name.location, f"the type {name.name} is not defined")
        if name.name in self._done:
            return self._done[name.name]
        if name.name in self._open:
            return self._inner(name, definition)
        self._open.append(name.name)
        if isinstance(definition, syntax.TypeDefinition):
            resolved = self._declared_type(definition.declaration, name.name)
        else:
            resolved = self._body(definition.body, name.name, definition.location)
        self._open.pop()
        self._done[name.name] = resolved
        return resolved

    def _inner(
        self, name: syntax.TypeName, definition: syntax.TypeDefinition | syntax.BodyDefinition
    ) -> model.Type:
        """A reference, from inside a definition, to the definition itself."""
        if isinstance(definition, syntax.TypeDefinition):
            raise XdrError(name.location, f"the typedef {name.name} contains itself")
        python_name = self._python_name(name.name)
        self._recursive.add(python_name)
        itself = model.Reference(python_name, recursive=True)
        fields = definition.body.fields if isinstance(definition.body, syntax.StructBody) else ()
        if fields and self._points_to(fields[-1], name.name):
            return model.LinkedList(itself, nonempty=True)
        return itself

    def _python_name(self, path: str) -> str:
        return self._names.type_name(path)

    def _declared_type(self, declaration: syntax.Declaration, path: str) -> model.Type:
        if declaration.specifier is None:
            raise XdrError(declaration.location, "void has no type")
        opaque = self._octets(declaration)
        if opaque is not None:
            return opaque
        element = self._specified(declaration.specifier, path, declaration.location)
        match declaration.form:
            case Form.FIXED:
                return model.FixedArray(element, self._size(declaration))
            case Form.VARIABLE:
                return model.VariableArray(element, self._size(declaration))
            case Form.OPTIONAL if isinstance(element, model.LinkedList) and element.nonempty:
                return model.LinkedList(element.element, nonempty=False)
            case Form.OPTIONAL:
                return model.Optional(element)
            case _:
                return element

    def _octets(self, declaration: syntax.Declaration) -> model.Type | None:
        match declaration.specifier, declaration.form:
            case Primitive.OPAQUE, Form.FIXED:
                return model.FixedOpaque(self._size(declaration))
            case Primitive.OPAQUE, _:
                return model.VariableOpaque(self._size(declaration))
            case Primitive.STRING, _:
                return model.Text(self._size(declaration))
            case _:
                return None

    def _specified(self, specifier: syntax.Specifier, path: str, location: Location) -> model.Type:
        if specifier is Primitive.QUADRUPLE:
            # Documented limit: Python has no floating-point type of 128 bits to hold the value.
            raise XdrError(location, "quadruple is not supported: Python has no such number")
        if isinstance(specifier, Primitive):
            return _PRIMITIVES[specifier]
        if isinstance(specifier, syntax.TypeName):
            return self._named(specifier)
        return self._body(specifier, path, location)

    def _body(
        self,
        body: syntax.EnumBody | syntax.StructBody | syntax.UnionBody,
        path: str,
        location: Location,
    ) -> model.Type:
        match body:
            case syntax.EnumBody(members=members):
                numbers = tuple((item.name, self._constants[item.name]) for item in members)
                return self._register(model.Enumeration(self._python_name(path), numbers), path)
            case syntax.StructBody(fields=fields):
                return self._structure(fields, path)
            case syntax.UnionBody():
                return self._union(body, path, location)

    def _register(
        self, item: model.Enumeration | model.Structure | model.Union, path: str
    ) -> model.Reference:
        if item.name in self._types:
            raise XdrError(None, f"two types are called {item.name} in Python; name one of them")
        self._types[item.name] = item
        self._sources[item.name] = path
        if owner := self._names.owner_of(path):
            self._shared[item.name] = owner
        return model.Reference(item.name)

    def _structure(self, fields: tuple[syntax.Declaration, ...], path: str) -> model.Type:
        _refuse_doubles("field", fields)
        if any(item.form is Form.VOID for item in fields):
            raise XdrError(fields[0].location, "a structure has no void field")
        if self._points_to(fields[-1], path):
            return self._list(fields[:-1], path)
        return self._register(
            model.Structure(self._python_name(path), self._fields(fields, path)), path
        )

    def _points_to(self, last: syntax.Declaration, path: str) -> bool:
        """Whether the field is `path *next`, directly or through a typedef of that pointer."""
        if not isinstance(last.specifier, syntax.TypeName):
            return False
        if last.form is Form.OPTIONAL:
            return last.specifier.name == path
        definition = self._definitions.get(last.specifier.name)
        return (
            last.form is Form.PLAIN
            and isinstance(definition, syntax.TypeDefinition)
            and definition.declaration.form is Form.OPTIONAL
            and self._points_to(definition.declaration, path)
        )

    def _list(self, fields: tuple[syntax.Declaration, ...], path: str) -> model.LinkedList:
        name = self._python_name(path)
        resolved = self._fields(fields, path)
        if len(resolved) == 1 and name not in self._recursive:
            return model.LinkedList(resolved[0].type, nonempty=True)
        element = self._register(model.Structure(name, resolved), path)
        return model.LinkedList(element, nonempty=True)

    def _fields(self, fields: Iterable[syntax.Declaration], path: str) -> tuple[model.Field, ...]:
        return tuple(
            model.Field(
                self._names.field_name(f"{path}.{item.name}"),
                self._declared_type(item, f"{path}.{item.name}"),
            )
            for item in fields
        )

    def _union(self, body: syntax.UnionBody, path: str, location: Location) -> model.Type:
        declaration = body.discriminant
        inner = self._declared_type(declaration, f"{path}.{declaration.name}")
        allowed = self._legal_cases(inner, declaration)
        seen: set[int] = set()
        for case in body.cases:
            for value in case.values:
                number = self._value(value, case.location)
                if number in seen:
                    raise XdrError(case.location, f"the case {number} appears twice")
                if number not in allowed:
                    raise XdrError(case.location, f"{number} is no value of the discriminant")
                seen.add(number)
        arms = tuple(self._arm(case, path, body) for case in body.cases)
        default = self._arm(body.default, path, body) if body.default else None
        field = model.Field(self._names.field_name(f"{path}.{declaration.name}"), inner)
        made = model.Union(self._python_name(path), field, arms, default)
        classes = [arm.name for arm in (*arms, *([default] if default else []))]
        if len(set(classes)) != len(classes):
            raise XdrError(location, f"two arms of {made.name} have the same Python class")
        return self._register(made, path)

    def _legal_cases(
        self, inner: model.Type, declaration: syntax.Declaration
    ) -> range | frozenset[int]:
        match self._types[inner.name] if isinstance(inner, model.Reference) else inner:
            case model.Enumeration(members=members):
                return frozenset(number for _, number in members)
            case model.Boolean():
                return frozenset({0, 1})
            case model.Integer(bits=32, signed=signed):
                return range(-(2**31), 2**31) if signed else range(2**32)
            case _:
                raise XdrError(declaration.location, "a discriminant is an integer of 32 bits")

    def _arm(self, case: syntax.UnionCase, path: str, body: syntax.UnionBody) -> model.Arm:
        label = case.values[0] if case.values else "default"
        text = label.name if isinstance(label, syntax.ConstantName) else str(label)
        key = f"{path}.{text}"
        cases = tuple(self._value(value, case.location) for value in case.values)
        tagged = len(cases) != 1
        declaration = case.declaration
        if declaration.form is Form.VOID:
            return model.Arm(self._names.arm_name(key), cases, tagged, ())
        inner = self._declared_type(declaration, f"{path}.{declaration.name}")
        structure = self._types.get(inner.name) if isinstance(inner, model.Reference) else None
        if isinstance(structure, model.Structure) and not tagged and self._only_once(case, body):
            return model.Arm(structure.name, cases, tagged, structure.fields)
        if self._names.is_flat(key):
            if not isinstance(structure, model.Structure):
                raise XdrError(case.location, f"{key} holds no structure that could be flat")
            return model.Arm(self._names.arm_name(key), cases, tagged, structure.fields)
        field = model.Field(self._names.field_name(f"{key}.{declaration.name}"), inner)
        return model.Arm(self._names.arm_name(key), cases, tagged, (field,))

    def _only_once(self, case: syntax.UnionCase, body: syntax.UnionBody) -> bool:
        """Whether no other arm declares the same type, so that the class tells the arm."""
        every = (*body.cases, *([body.default] if body.default else []))
        wanted = _type_of(case)
        return sum(_type_of(item) == wanted for item in every) == 1


def _type_of(case: syntax.UnionCase) -> object:
    specifier = case.declaration.specifier
    return specifier.name if isinstance(specifier, syntax.TypeName) else specifier


def _refuse_doubles(
    kind: str,
    items: Iterable[syntax.Declaration]
    | Iterable[syntax.Version]
    | Iterable[syntax.ProcedureDefinition],
) -> None:
    names: set[str] = set()
    numbers: set[int] = set()
    for item in items:
        if item.name in names:
            raise XdrError(item.location, f"the {kind} {item.name} appears twice")
        names.add(item.name)
        if not isinstance(item, syntax.Declaration):
            if item.number in numbers or item.number < 0:
                raise XdrError(item.location, f"the {kind} number {item.number} is not possible")
            numbers.add(item.number)
