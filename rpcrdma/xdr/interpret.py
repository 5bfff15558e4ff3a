"""Decoding and encoding straight from the resolved tree: slow, obvious, exact about faults.

It is the oracle that generated codecs are compared with, and their slow path: generated code
handles what is well formed, refuses most of what is not by the same errors (`emit_refusals`), and
comes here for anything else.

Recursion follows the nesting of types, never the length of a list; self-containing types stop at
`runtime.MAXIMUM_DEPTH`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rpcrdma.errors import Reason
from rpcrdma.xdr.model import (
    Arm,
    Boolean,
    Enumeration,
    Field,
    FixedArray,
    FixedOpaque,
    Floating,
    Integer,
    LinkedList,
    Optional,
    Reference,
    Schema,
    Structure,
    Text,
    Type,
    Union,
    VariableArray,
    VariableOpaque,
    arms_of,
)
from rpcrdma.xdr.runtime import MAXIMUM_DEPTH, Buffer, ItemFault, Reader, Writer, wrong_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Values have the types of the schema, which only the generated annotations can spell.
Value = Any
Decode = Callable[[Reader], Value]


class Interpreter:
    """Codec of every named type of a schema.

    Args:
        schema: the resolved types.
        classes: the Python class of each structure, arm and enumeration by its name.
    """

    def __init__(self, schema: Schema, classes: Mapping[str, Callable[..., Value]]) -> None:
        self._schema = schema
        self._classes = classes
        self._arms: dict[str, dict[int, Arm]] = {}
        self._named: dict[str, Decode] = {}
        self._compilers: dict[type, Callable[[Any], Decode]] = {
            Integer: _compile_integer,
            Floating: _compile_floating,
            Boolean: lambda _: Reader.flag,
            Enumeration: self._compile_enumeration,
            FixedOpaque: lambda item: lambda reader: reader.opaque(item.length),
            VariableOpaque: _compile_variable_opaque,
            Text: self._compile_text,
            FixedArray: self._compile_fixed_array,
            VariableArray: self._compile_variable_array,
            Optional: self._compile_optional,
            LinkedList: self._compile_list,
            Reference: self._compile_reference,
            Structure: self._compile_structure,
            Union: self._compile_union,
        }
        self._encoders: dict[type, Callable[[Any, Value, Writer], None]] = {
            Integer: lambda item, value, writer: writer.integer(
                value, item.bits, signed=item.signed
            ),
            Floating: lambda item, value, writer: writer.floating(value, item.bits),
            Boolean: self._encode_boolean,
            Enumeration: self._encode_enumeration,
            FixedOpaque: self._encode_fixed_opaque,
            VariableOpaque: self._encode_variable_opaque,
            Text: self._encode_text,
            FixedArray: self._encode_fixed_array,
            VariableArray: self._encode_variable_array,
            Optional: self._encode_optional,
            LinkedList: self._encode_list,
            Reference: self._encode_reference,
            Structure: self._encode_structure,
            Union: self._encode_union,
        }

    def decode(self, name: str, buffer: Buffer, offset: int = 0) -> tuple[Value, int]:
        """Decode the named type; returns the value and the offset after it.

        Raises:
            DecodeError: the octets are not that type.
        """
        reader = Reader(buffer, offset)
        try:
            value = self._named_decoder(name)(reader)
        except ItemFault as fault:
            raise fault.as_decode_error() from None
        return value, reader.position

    def encode(self, name: str, value: Value) -> bytes:
        """Encode a value as the named type.

        Raises:
            EncodeError: the type cannot express the value.
        """
        writer = Writer()
        try:
            self._encode(self._schema.types[name], value, writer)
        except ItemFault as fault:
            raise fault.as_encode_error() from None
        return b"".join(writer.parts)

    def _encode(self, item: Type, value: Value, writer: Writer) -> None:
        self._encoders[type(item)](item, value, writer)

    # Decoding: each node of the tree becomes a function once, when its type is first asked for

    def _named_decoder(self, name: str) -> Decode:
        decode = self._named.get(name)
        if decode is None:
            decode = self._named[name] = self._compile(self._schema.types[name])
        return decode

    def _compile(self, item: Type) -> Decode:
        return self._compilers[type(item)](item)

    def _compile_enumeration(self, item: Enumeration) -> Decode:
        made = self._classes[item.name]
        members = {number: made(number) for _, number in item.members}

        def decode(reader: Reader) -> Value:
            number = reader.signed_word()
            if number not in members:
                raise ItemFault(reader.position - 4, Reason.BAD_ENUM, f"{number}")
            return members[number]

        return decode

    def _compile_text(self, item: Text) -> Decode:
        charset = self._schema.charset
        return lambda reader: reader.text(reader.count(item.maximum, 1), charset)

    def _compile_fixed_array(self, item: FixedArray) -> Decode:
        needed = item.length * self._schema.minimum_size(item.element)
        elements = self._compile_elements(item.element)

        def decode(reader: Reader) -> Value:
            if needed > reader.remaining():
                raise reader.short(needed)
            return elements(reader, item.length)

        return decode

    def _compile_variable_array(self, item: VariableArray) -> Decode:
        minimum_size = self._schema.minimum_size(item.element)
        elements = self._compile_elements(item.element)
        return lambda reader: elements(reader, reader.count(item.maximum, minimum_size))

    def _compile_elements(self, item: Type) -> Callable[[Reader, int], tuple[Value, ...]]:
        element = self._compile(item)

        def decode(reader: Reader, count: int) -> tuple[Value, ...]:
            values: list[Value] = []
            try:
                for _ in range(count):
                    values.append(element(reader))  # noqa: PERF401 - index of a fault
            except ItemFault as fault:
                fault.steps.append(f"[{len(values)}]")
                raise
            return tuple(values)

        return decode

    def _compile_optional(self, item: Optional) -> Decode:
        element = self._compile(item.element)
        return lambda reader: element(reader) if reader.flag() else None

    def _compile_list(self, item: LinkedList) -> Decode:
        element = self._compile(item.element)

        def decode(reader: Reader) -> tuple[Value, ...]:
            values: list[Value] = []
            try:
                if item.nonempty:
                    values.append(element(reader))
                while reader.flag():
                    values.append(element(reader))
            except ItemFault as fault:
                fault.steps.append(f"[{len(values)}]")
                raise
            return tuple(values)

        return decode

    def _compile_reference(self, item: Reference) -> Decode:
        if not item.recursive:
            return self._named_decoder(item.name)

        def decode(reader: Reader) -> Value:
            if reader.depth == MAXIMUM_DEPTH:
                detail = f"nested deeper than {MAXIMUM_DEPTH}"
                raise ItemFault(reader.position, Reason.TOO_LONG, detail)
            reader.depth += 1
            value = self._named_decoder(item.name)(reader)
            reader.depth -= 1
            return value

        return decode

    def _compile_structure(self, item: Structure) -> Decode:
        made = self._classes[item.name]
        fields = self._compile_fields(item.fields)
        return lambda reader: made(*fields(reader))

    def _compile_fields(self, fields: Sequence[Field]) -> Callable[[Reader], list[Value]]:
        decoders = [self._compile(field.type) for field in fields]

        def decode(reader: Reader) -> list[Value]:
            values: list[Value] = []
            try:
                for field in decoders:
                    values.append(field(reader))  # noqa: PERF401 - ditto
            except ItemFault as fault:
                fault.steps.append(f".{fields[len(values)].name}")
                raise
            return values

        return decode

    def _compile_union(self, item: Union) -> Decode:
        discriminant, default = self._compile(item.discriminant.type), None
        arms = {}
        for arm in arms_of(item):
            compiled = (self._classes[arm.name], arm.tagged, self._compile_fields(arm.fields))
            arms.update(dict.fromkeys(arm.cases, compiled))
            if not arm.cases:
                default = compiled

        def decode(reader: Reader) -> Value:
            position = reader.position
            try:
                value = discriminant(reader)
                arm = arms.get(value, default)
                if arm is None:
                    detail = f"{int(value)}"
                    raise ItemFault(  # noqa: TRY301 - the handler below adds the path
                        position, Reason.BAD_DISCRIMINANT, detail
                    )
            except ItemFault as fault:
                fault.steps.append(f".{item.discriminant.name}")
                raise
            made, tagged, fields = arm
            return made(value, *fields(reader)) if tagged else made(*fields(reader))

        return decode

    def _arm(self, item: Union, value: int) -> Arm | None:
        arms = self._arms.get(item.name)
        if arms is None:
            arms = {case: arm for arm in item.arms for case in arm.cases}
            self._arms[item.name] = arms
        return arms.get(value, item.default)

    # Encoding

    def _encode_boolean(self, _: Boolean, value: Value, writer: Writer) -> None:
        if not isinstance(value, int) or value not in (0, 1):
            raise wrong_type(value, "a boolean")
        writer.word(int(value))

    def _encode_enumeration(self, item: Enumeration, value: Value, writer: Writer) -> None:
        if not isinstance(value, int) or all(value != number for _, number in item.members):
            raise wrong_type(value, f"a member of {item.name}")
        writer.integer(int(value), 32, signed=True)

    def _encode_fixed_opaque(self, item: FixedOpaque, value: Value, writer: Writer) -> None:
        if not isinstance(value, bytes) or len(value) != item.length:
            raise wrong_type(value, f"bytes of length {item.length}")
        writer.opaque(value)

    def _encode_variable_opaque(self, item: VariableOpaque, value: Value, writer: Writer) -> None:
        if not isinstance(value, bytes):
            raise wrong_type(value, "bytes")
        writer.count(len(value), item.maximum)
        writer.opaque(value)

    def _encode_text(self, item: Text, value: Value, writer: Writer) -> None:
        if not isinstance(value, str):
            raise wrong_type(value, "a string")
        try:
            octets = value.encode(self._schema.charset)
        except UnicodeEncodeError:
            raise wrong_type(value, f"{self._schema.charset} text") from None
        writer.count(len(octets), item.maximum)
        writer.opaque(octets)

    def _encode_fixed_array(self, item: FixedArray, value: Value, writer: Writer) -> None:
        if not isinstance(value, (tuple, list)) or len(value) != item.length:
            raise wrong_type(value, f"a tuple of length {item.length}")
        self._encode_elements(item.element, value, writer)

    def _encode_variable_array(self, item: VariableArray, value: Value, writer: Writer) -> None:
        if not isinstance(value, (tuple, list)):
            raise wrong_type(value, "a tuple")
        writer.count(len(value), item.maximum)
        self._encode_elements(item.element, value, writer)

    def _encode_elements(self, element: Type, values: Sequence[Value], writer: Writer) -> None:
        for index, value in enumerate(values):
            self._encode_element(element, value, index, writer)

    def _encode_element(self, element: Type, value: Value, index: int, writer: Writer) -> None:
        try:
            self._encode(element, value, writer)
        except ItemFault as fault:
            fault.steps.append(f"[{index}]")
            raise

    def _encode_optional(self, item: Optional, value: Value, writer: Writer) -> None:
        writer.word(int(value is not None))
        if value is not None:
            self._encode(item.element, value, writer)

    def _encode_list(self, item: LinkedList, value: Value, writer: Writer) -> None:
        if not isinstance(value, (tuple, list)):
            raise wrong_type(value, "a tuple")
        if item.nonempty and not value:
            raise ItemFault(0, None, "the list must not be empty")
        for index, element in enumerate(value):
            # A list that cannot be empty has no discriminator before its first element.
            if index or not item.nonempty:
                writer.word(1)
            self._encode_element(item.element, element, index, writer)
        writer.word(0)

    def _encode_reference(self, item: Reference, value: Value, writer: Writer) -> None:
        if item.recursive:
            if writer.depth == MAXIMUM_DEPTH:
                raise ItemFault(0, None, f"nested deeper than {MAXIMUM_DEPTH}")
            writer.depth += 1
        self._encode(self._schema.types[item.name], value, writer)
        if item.recursive:
            writer.depth -= 1

    def _encode_structure(self, item: Structure, value: Value, writer: Writer) -> None:
        if type(value) is not self._classes[item.name]:
            raise wrong_type(value, item.name)
        self._encode_fields(item.fields, value, writer)

    def _encode_fields(self, fields: Sequence[Field], value: Value, writer: Writer) -> None:
        for field in fields:
            try:
                self._encode(field.type, getattr(value, field.name), writer)
            except ItemFault as fault:
                fault.steps.append(f".{field.name}")
                raise

    def _encode_union(self, item: Union, value: Value, writer: Writer) -> None:
        made = type(value)
        arms = item.arms if item.default is None else (*item.arms, item.default)
        arm = next((arm for arm in arms if self._classes[arm.name] is made), None)
        if arm is None:
            raise wrong_type(value, f"an arm of {item.name}")
        tag = getattr(value, item.discriminant.name) if arm.tagged else arm.cases[0]
        try:
            self._encode(item.discriminant.type, tag, writer)
            if self._arm(item, tag) is not arm:
                raise wrong_type(tag, f"a value that leads to {arm.name}")
        except ItemFault as fault:
            fault.steps.append(f".{item.discriminant.name}")
            raise
        self._encode_fields(arm.fields, value, writer)


def _compile_integer(item: Integer) -> Decode:
    # Nearly every integer of the protocols is this one; a refusal has to be quick as well.
    if item.bits == 32 and not item.signed:
        return Reader.word
    return lambda reader: reader.integer(item.bits, signed=item.signed)


def _compile_floating(item: Floating) -> Decode:
    return lambda reader: reader.floating(item.bits)


def _compile_variable_opaque(item: VariableOpaque) -> Decode:
    return lambda reader: reader.opaque(reader.count(item.maximum, 1))
