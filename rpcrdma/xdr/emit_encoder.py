"""Resolved types to straight-line encoders.

Neighbouring fixed-size items are packed by one precompiled format, together with the constants
around them: the discriminator before a list entry, the zero that ends a list, the discriminant of
an arm.  The format itself refuses what is out of range.
"""

from __future__ import annotations

from rpcrdma.xdr import model
from rpcrdma.xdr.emit_bulk import Bulk
from rpcrdma.xdr.names import snake_case
from rpcrdma.xdr.straight import (
    ODD,
    ODD_IN_CALLS,
    CodeLines,
    Declarations,
    NotStraightError,
    is_called,
    letter_of,
)


def emit_encoder(schema: model.Schema, name: str, declarations: Declarations) -> list[str]:
    """The body of an encoder of `value`, without its slow path; empty if none can be made.

    The code returns the octets or falls off its end.
    """
    for calls in (False, True):
        try:
            return _Encoder(schema, declarations, calls=calls).function(schema.types[name])
        except NotStraightError:
            continue
    return []


class _Encoder:
    def __init__(self, schema: model.Schema, declarations: Declarations, *, calls: bool) -> None:
        self._schema = schema
        self._calls = calls
        self._declarations = declarations
        self._bulk = Bulk(schema, declarations)
        self._code = CodeLines()
        self._run: list[tuple[str, str]] = []  # (letter, expression) for the next pack

    def function(self, item: model.Type) -> list[str]:
        self._code.enter("try:")
        if isinstance(item, model.Structure) and model.has_slack(self._schema, item):
            self._prelude(item)
        mark = len(self._code.lines)
        self._write(item, "value")
        if len(self._code.lines) == mark and self._run:
            self._code.add(f"return {self._packed()}")
        else:
            self._flush()
            self._code.lines[mark:mark] = ["    parts: list[bytes] = []", "    add = parts.append"]
            self._code.add('return b"".join(parts)')
        self._code.leave()
        self._code.enter(f"except {ODD_IN_CALLS if self._calls else ODD}:")
        self._code.add("pass  # the interpreter decides and explains")
        return self._code.lines

    def _packed(self) -> str:
        letters = "".join(letter for letter, _ in self._run)
        pack = self._declarations.format(letters, "pack")
        made = f"{pack}({', '.join(expression for _, expression in self._run)})"
        self._run = []
        return made

    def _flush(self) -> None:
        if self._run:
            self._code.add(f"add({self._packed()})")

    def _refuse_if(self, condition: str) -> None:
        self._code.enter(f"if {condition}:")
        self._code.add("raise ValueError")
        self._code.leave()

    def _bind(self, expression: str, hint: str) -> str:
        """A local name for an expression that is used more than once."""
        if expression.isidentifier():
            return expression
        name = self._code.fresh(hint)
        self._code.add(f"{name}: Any = {expression}")
        return name

    # The shortest form

    def _prelude(self, item: model.Structure) -> None:
        """One pack for a message whose variable parts all have their shortest form."""
        run: list[tuple[str, str]] = []
        conditions: list[str] = []
        for part in item.fields:
            expression = f"value.{part.name}"
            inner = self._schema.target(part.type)
            if isinstance(inner, model.Integer):
                run.append((letter_of(inner), expression))
                continue
            shortest = self._shortest(inner)
            if shortest is None:
                return
            constant, words = shortest
            conditions.append(f"{expression} == {constant}")
            run.extend(words)
        if conditions:
            self._code.enter(f"if {' and '.join(conditions)}:")
            self._run = run
            self._code.add(f"return {self._packed()}")
            self._code.leave()

    def _shortest(self, item: model.Type) -> tuple[str, list[tuple[str, str]]] | None:
        """The constant that is a type's shortest value and the words of it, if there is one."""
        zero = [("I", "0")]
        match item:
            case model.Reference(name=name, recursive=False):
                return self._shortest(self._schema.types[name])
            case model.LinkedList(nonempty=False) | model.VariableArray():
                return "()", zero
            case model.Optional():
                return "None", zero
            case model.Union(arms=(first, *_)) if not first.tagged:
                parts = [self._shortest(part.type) for part in first.fields]
                known = [part for part in parts if part is not None]
                if len(known) < len(parts):
                    return None
                made = f"{first.name}({', '.join(constant for constant, _ in known)})"
                tag = (letter_of(self._schema.target(item.discriminant.type)), str(first.cases[0]))
                words = [word for _, inner in known for word in inner]
                return self._declarations.constant(made), [tag, *words]
            case _:
                return None

    # Types

    def _write(self, item: model.Type, expression: str) -> None:  # noqa: C901 - ditto, flat
        match item:
            case model.Reference(recursive=True):
                raise NotStraightError
            case model.Reference(name=name) if self._calls and is_called(self._schema, name):
                self._call(name, expression)
            case model.Reference(name=name):
                self._write(self._schema.types[name], expression)
            case model.Structure(fields=fields):
                self._fields(fields, expression)
            case model.Boolean():
                self._run.append(("I", f"{self._declarations.booleans()}[{expression}]"))
            case model.Enumeration():
                self._run.append(("i", f"{self._declarations.members(item)}[{expression}]"))
            case model.Integer() | model.Floating():
                self._run.append((letter_of(item), expression))
            case model.FixedOpaque(length=length):
                self._fixed_opaque(length, expression)
            case model.VariableOpaque(maximum=maximum):
                octets = self._bind(expression, "octets")
                self._opaque(octets, maximum, f"type({octets}) is not bytes or ")
            case model.Text(maximum=maximum):
                octets = self._bind(f'{expression}.encode("{self._schema.charset}")', "octets")
                self._opaque(octets, maximum, "")
            case model.FixedArray(element=element, length=length):
                values = self._bind(expression, "values")
                self._refuse_if(f"type({values}) is not tuple or len({values}) != {length}")
                self._loop(element, values, ())
            case model.VariableArray(element=element, maximum=maximum):
                self._array(element, maximum, expression)
            case model.Optional(element=element):
                self._optional(element, expression)
            case model.LinkedList():
                self._list(item, expression)
            case model.Union():
                self._union(item, expression)

    def _call(self, name: str, expression: str) -> None:
        """Have another encoder make what comes next."""
        self._flush()
        self._code.add(f"add(encode_{snake_case(name)}({expression}))")

    def _fields(self, fields: tuple[model.Field, ...], expression: str) -> None:
        name = self._bind(expression, "item") if len(fields) > 1 else expression
        for part in fields:
            self._write(part.type, f"{name}.{part.name}")

    def _fixed_opaque(self, length: int, expression: str) -> None:
        octets = self._bind(expression, "octets")
        self._refuse_if(f"type({octets}) is not bytes or len({octets}) != {length}")
        if length:
            # The format fills up with zeroes by itself; the check above keeps it from cutting.
            self._run.append((f"{length + (-length & 3)}s", octets))

    def _opaque(self, octets: str, maximum: int, check: str) -> None:
        length = self._code.fresh("length")
        self._code.add(f"{length} = len({octets})")
        self._refuse_if(f"{check}{length} > {maximum}")
        self._run.append(("I", length))
        self._flush()
        self._code.add(f"add({octets})")
        self._code.enter(f"if {length} & 3:")
        self._code.add(f"add(ZEROES[-{length} & 3])")
        self._code.leave()

    def _array(self, element: model.Type, maximum: int, expression: str) -> None:
        values = self._bind(expression, "values")
        self._refuse_if(f"type({values}) is not tuple")
        count = self._code.fresh("count")
        self._code.add(f"{count} = len({values})")
        if maximum < model.UNLIMITED:  # the format refuses what 32 bits cannot count
            self._refuse_if(f"{count} > {maximum}")
        self._run.append(("I", count))
        self._loop(element, values, ())

    def _loop(self, element: model.Type, values: str, before: tuple[tuple[str, str], ...]) -> None:
        """What was to be packed, then each element with constant words before it."""
        head = "".join(letter for letter, _ in self._run)
        words = tuple(word for _, word in before)
        helper = None
        if all(letter in "IiQq" for letter, _ in self._run):
            helper = self._bulk.put_array(element, head, words)
        if helper:
            start, self._run = self._run, []
            self._code.enter(f"if {values}:")
            parts = ", ".join(["parts", values, *(word for _, word in start)])
            self._code.add(f"{helper}({parts})")
            self._code.leave()
            if start:
                self._run = start
                self._code.enter("else:")
                self._flush()
                self._code.leave()
            return
        self._flush()
        item = self._code.fresh("item")
        self._code.enter(f"for {item} in {values}:")
        self._run = list(before)
        self._write(element, item)
        self._flush()
        self._code.leave()

    def _list(self, item: model.LinkedList, expression: str) -> None:
        values = self._bind(expression, "values")
        self._refuse_if(f"type({values}) is not tuple")
        if item.nonempty:
            self._write(item.element, f"{values}[0]")
            values = self._bind(f"{values}[1:]", "values")
            self._refuse_if(f"type({values}) is not tuple")
        self._loop(item.element, values, (("I", "1"),))
        self._run = [("I", "0")]

    def _optional(self, element: model.Type, expression: str) -> None:
        value = self._bind(expression, "value")
        start = self._run
        self._code.enter(f"if {value} is None:")
        self._run = [*start, ("I", "0")]
        self._flush()
        self._code.leave()
        self._code.enter("else:")
        self._run = [*start, ("I", "1")]
        self._write(element, value)
        self._flush()
        self._code.leave()

    def _union(self, item: model.Union, expression: str) -> None:
        arm_value, kind = self._code.fresh("arm"), self._code.fresh("kind")
        # Any: the type checker does not follow the comparison of a type that was kept.
        self._code.add(f"{arm_value}: Any = {expression}")
        self._code.add(f"{kind} = type({arm_value})")
        inner = self._schema.target(item.discriminant.type)
        every = item.arms if item.default is None else (*item.arms, item.default)
        start, word = self._run, "if"
        for arm in every:
            self._code.enter(f"{word} {kind} is {arm.name}:")
            self._run = [*start, self._tag(item, arm, inner, arm_value)]
            if self._calls and not arm.tagged and is_called(self._schema, arm.name):
                self._call(arm.name, arm_value)
            else:
                for part in arm.fields:
                    self._write(part.type, f"{arm_value}.{part.name}")
            self._flush()
            self._code.leave()
            word = "elif"
        self._code.enter("else:")
        self._code.add("raise ValueError")
        self._code.leave()

    def _tag(
        self, item: model.Union, arm: model.Arm, inner: model.Type, value: str
    ) -> tuple[str, str]:
        """The word of the discriminant."""
        if not arm.tagged:
            return letter_of(inner), str(arm.cases[0])
        tag = f"{value}.{item.discriminant.name}"
        others = [case for other in item.arms for case in other.cases]
        if arm.cases:
            self._refuse_if(f"{tag} not in {arm.cases}")
        else:
            self._refuse_if(f"{tag} in {tuple(others)}")
        if isinstance(inner, model.Enumeration):
            tag = f"{self._declarations.members(inner)}[{tag}]"
        elif isinstance(inner, model.Boolean):
            tag = f"{self._declarations.booleans()}[{tag}]"
        return letter_of(inner), tag
