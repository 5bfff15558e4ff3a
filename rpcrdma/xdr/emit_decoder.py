"""Resolved types to straight-line decoders.

The code that is made for a type reads runs of fixed-size items with one unpack; the discriminator
that follows a list entry belongs to the entry's run, and counted arrays of fixed-size elements are
unpacked in bulk.  The shortest form of a message (every list empty, every optional absent, first
arm of a union) is read by a single unpack, whose leading items serve the longer forms as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rpcrdma.xdr import model
from rpcrdma.xdr.straight import (
    ODD,
    Declarations,
    Lines,
    NotStraightError,
    is_flat,
    letter_of,
    size_of,
)


@dataclass
class _Run:
    """Items that one unpack will read: format letters, local names, checks to make after it."""

    letters: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)


@dataclass
class _Minimal:
    """The shortest form of a type: what to read, what must be zero, what must equal."""

    run: _Run = field(default_factory=_Run)
    zeroes: list[str] = field(default_factory=list)
    equals: list[str] = field(default_factory=list)


def emit_decoder(schema: model.Schema, name: str, declarations: Declarations) -> list[str]:
    """The body of a decoder of `buffer` at `offset`, without its slow path.

    The code returns (value, end) or falls off its end.  A type that contains itself or would
    take too many lines gets none.
    """
    emitter = _Decoder(schema, declarations)
    try:
        return emitter.function(schema.types[name])
    except NotStraightError:
        return []


class _Decoder:
    def __init__(self, schema: model.Schema, declarations: Declarations) -> None:
        self._schema = schema
        self._declarations = declarations
        self._code = Lines()
        self._run = _Run()
        # Position of the run: a local name plus octets known when the code is made.
        self._base, self._delta = "offset", 0
        # Items behind the position that were unpacked ahead of their turn: (letter, name).
        self._ahead: list[tuple[str, str]] = []

    def function(self, item: model.Type) -> list[str]:
        self._code.enter("try:")
        prelude = isinstance(item, model.Structure) and model.has_slack(self._schema, item)
        if prelude:
            self._prelude(item)
        mark = len(self._code.lines)
        value = self._read(item)
        self._flush()
        self._code.add(f"return {value}, {self._position()}")
        if any("limit" in line for line in self._code.lines[mark:]):
            self._code.lines.insert(mark, "    limit = len(buffer)")
        self._code.leave()
        self._code.enter(f"except {ODD}:")
        self._code.add("pass  # the interpreter decides and explains")
        return self._code.lines

    # Position and runs

    def _position(self) -> str:
        return f"{self._base} + {self._delta}" if self._delta else self._base

    def _settle(self) -> None:
        """Put the position into the local name `p`, as loops and joined branches need it."""
        if self._base != "p" or self._delta:
            self._code.add(f"p = {self._position()}")
        self._base, self._delta = "p", 0

    def _take(self, letter: str, hint: str, name: str | None = None) -> str:
        """The next item, as a local name; `name` forces one that exists."""
        if self._ahead and name is None and not self._run.letters:
            if self._ahead[0][0] == letter:
                self._delta += size_of(letter)
                return self._ahead.pop(0)[1]
            self._ahead = []
        made = name or self._code.fresh(hint)
        self._run.letters.append(letter)
        self._run.names.append(made)
        return made

    def _flush(self) -> None:
        run, self._run = self._run, _Run()
        if run.letters:
            letters = "".join(run.letters)
            unpack = self._declarations.format(letters, "unpack_from")
            names = ", ".join(run.names) + ("," if len(run.names) == 1 else "")
            self._code.add(f"{names} = {unpack}(buffer, {self._position()})")
            self._delta += size_of(letters)
        for check in run.checks:
            self._refuse_if(check)

    def _refuse_if(self, condition: str) -> None:
        self._code.enter(f"if {condition}:")
        self._code.add("raise ValueError")
        self._code.leave()

    # The shortest form

    def _prelude(self, item: model.Type) -> None:
        """Read the shortest form at once, return if it is that, else keep what was read."""
        minimal = _Minimal()
        value, _ = self._minimal(item, minimal)
        self._run = minimal.run
        self._flush()
        conditions = minimal.equals
        if minimal.zeroes:
            conditions = [f"not ({' or '.join(minimal.zeroes)})", *conditions]
        self._code.enter(f"if {' and '.join(conditions)}:")
        self._code.add(f"return {value}, {self._position()}")
        self._code.leave()
        self._delta = 0
        self._ahead = list(zip(minimal.run.letters, minimal.run.names, strict=True))

    def _minimal(self, item: model.Type, minimal: _Minimal) -> tuple[str, bool]:
        """The expression of the shortest value, and whether it is a constant."""
        match item:
            case model.Reference(name=name, recursive=False):
                return self._minimal(self._schema.types[name], minimal)
            case model.Structure(name=name, fields=fields):
                return self._minimal_object(name, fields, minimal)
            case model.Union(arms=(first, *_)) if not first.tagged:
                tag = self._minimal_word(
                    letter_of(self._schema.target(item.discriminant.type)), minimal
                )
                case = first.cases[0]
                if case:
                    minimal.equals.append(f"{tag} == {case}")
                else:
                    minimal.zeroes.append(tag)
                return self._minimal_object(first.name, first.fields, minimal)
            case model.LinkedList(nonempty=False) | model.VariableArray():
                minimal.zeroes.append(self._minimal_word("I", minimal))
                return "()", True
            case model.Optional():
                minimal.zeroes.append(self._minimal_word("I", minimal))
                return "None", True
            case model.VariableOpaque() | model.Text():
                minimal.zeroes.append(self._minimal_word("I", minimal))
                return 'b""' if isinstance(item, model.VariableOpaque) else '""', True
            case _ if is_flat(self._schema, item):
                self._run = minimal.run
                return self._read(item), False
            case _:
                raise NotStraightError

    def _minimal_word(self, letter: str, minimal: _Minimal) -> str:
        name = self._code.fresh("word")
        minimal.run.letters.append(letter)
        minimal.run.names.append(name)
        return name

    def _minimal_object(
        self, name: str, fields: tuple[model.Field, ...], minimal: _Minimal
    ) -> tuple[str, bool]:
        parts = [self._minimal(part.type, minimal) for part in fields]
        made = f"{name}({', '.join(value for value, _ in parts)})"
        if all(constant for _, constant in parts):
            return self._declarations.constant(made), True
        return made, False

    # Types

    def _read(self, item: model.Type) -> str:  # noqa: C901 - one line for each construct
        """Emit what reads the type; returns an expression that is good after the next flush."""
        match item:
            case model.Reference(recursive=True):
                raise NotStraightError
            case model.Reference(name=name):
                return self._read(self._schema.types[name])
            case model.Structure(name=name, fields=fields):
                return f"{name}({', '.join([self._read(part.type) for part in fields])})"
            case model.Boolean():
                return f"{self._declarations.booleans()}[{self._take('I', 'flag')}]"
            case model.Enumeration(name=name):
                return f"{self._declarations.members(item)}[{self._take('i', 'number')}]"
            case model.Integer() | model.Floating():
                return self._take(letter_of(item), "number")
            case model.FixedOpaque(length=length):
                return self._fixed_opaque(length)
            case model.FixedArray(element=element, length=length):
                return self._fixed_array(element, length)
            case model.VariableArray(element=element, maximum=maximum):
                return self._array(element, maximum)
            case model.VariableOpaque(maximum=maximum):
                return self._opaque(maximum, "")
            case model.Text(maximum=maximum):
                return self._opaque(maximum, f'.decode("{self._schema.charset}")')
            case model.Optional(element=element):
                return self._optional(element)
            case model.LinkedList():
                return self._list(item)
            case model.Union():
                return self._union(item)

    def _fixed_opaque(self, length: int) -> str:
        if not length:
            return 'b""'
        octets = self._take(f"{length}s", "octets")
        if padding := -length & 3:
            rest = self._take(f"{padding}s", "padding")
            self._run.checks.append(f"{rest} != ZEROES[{padding}]")
        return octets

    def _fixed_array(self, element: model.Type, length: int) -> str:
        if is_flat(self._schema, model.FixedArray(element, length)):
            return f"({', '.join([self._read(element) for _ in range(length)])},)"
        self._start_block()
        if is_flat(self._schema, element):
            return self._bulk(element, str(length))
        return self._loop(element, f"range({length})")

    def _start_block(self) -> None:
        """Loops begin at a settled position, with nothing unpacked ahead."""
        self._flush()
        self._ahead = []
        self._settle()

    def _array(self, element: model.Type, maximum: int) -> str:
        count = self._take("I", "count")
        self._start_block()
        if maximum < model.UNLIMITED:
            self._refuse_if(f"{count} > {maximum}")
        if is_flat(self._schema, element):
            return self._bulk(element, count)
        minimum = self._schema.minimum_size(element)
        self._refuse_if(f"{count} * {minimum} > limit - p")
        return self._loop(element, f"range({count})")

    def _bulk(self, element: model.Type, count: str) -> str:
        """Elements of one format, by iter_unpack over exactly their octets."""
        outer, self._run = self._run, _Run()
        made = self._read(element)
        names, letters = self._run.names, "".join(self._run.letters)
        self._run = outer
        end, values = self._code.fresh("end"), self._code.fresh("values")
        self._code.add(f"{end} = p + {count} * {size_of(letters)}")
        self._refuse_if(f"{end} > limit")
        unpacked = f"{self._declarations.format(letters, 'iter_unpack')}(buffer[p:{end}])"
        if made.endswith(f"({', '.join(names)})") and made.count("(") == 1:
            self._code.add(f"{values} = tuple(starmap({made.partition('(')[0]}, {unpacked}))")
        else:
            target = ", ".join(names) + ","
            self._code.add(f"{values} = tuple([{made} for ({target}) in {unpacked}])")
        self._base, self._delta = end, 0
        return values

    def _loop(self, element: model.Type, over: str) -> str:
        items = self._code.fresh("items")
        self._code.add(f"{items} = []")
        self._code.enter(f"for _ in {over}:")
        made = self._read(element)
        self._flush()
        self._settle()
        self._code.add(f"{items}.append({made})")
        self._code.leave()
        return f"tuple({items})"

    def _opaque(self, maximum: int, convert: str) -> str:
        length = self._take("I", "length")
        self._start_block()
        if maximum < model.UNLIMITED:
            self._refuse_if(f"{length} > {maximum}")
        end, padded = self._code.fresh("end"), self._code.fresh("padded")
        self._code.add(f"{end} = p + {length}")
        self._code.add(f"{padded} = {end} + (-{length} & 3)")
        self._refuse_if(f"{padded} > limit or buffer[{end}:{padded}] != ZEROES[{padded} - {end}]")
        octets = self._code.fresh("octets")
        self._code.add(f"{octets} = bytes(buffer[p:{end}]){convert}")
        self._base, self._delta = padded, 0
        return octets

    def _optional(self, element: model.Type) -> str:
        flag, value = self._take("I", "flag"), self._code.variable("value")
        self._start_block()
        self._code.enter(f"if {flag} == 1:")
        made = self._read(element)
        self._flush()
        self._code.add(f"{value} = {made}")
        self._settle()
        self._code.leave()
        self._code.enter(f"elif {flag}:")
        self._code.add("raise ValueError")
        self._code.leave()
        self._code.enter("else:")
        self._code.add(f"{value} = None")
        self._code.leave()
        return value

    def _list(self, item: model.LinkedList) -> str:
        items = self._code.fresh("items")
        if item.nonempty:
            first = self._read(item.element)
            flag = self._take("I", "flag")
            self._start_block()
            self._code.add(f"{items} = [{first}]")
            self._entries(item.element, flag, items)
            return f"tuple({items})"
        flag, values = self._take("I", "flag"), self._code.variable("values")
        self._start_block()
        self._code.enter(f"if {flag}:")
        self._code.add(f"{items} = []")
        self._entries(item.element, flag, items)
        self._code.add(f"{values} = tuple({items})")
        self._code.leave()
        self._code.enter("else:")
        self._code.add(f"{values} = ()")
        self._code.leave()
        return values

    def _entries(self, element: model.Type, flag: str, items: str) -> None:
        """The entries behind a discriminator; each is read together with the next one."""
        self._code.enter(f"while {flag} == 1:")
        made = self._read(element)
        self._take("I", "flag", flag)
        self._flush()
        self._settle()
        self._code.add(f"{items}.append({made})")
        self._code.leave()
        self._refuse_if(flag)

    def _union(self, item: model.Union) -> str:
        inner = self._schema.target(item.discriminant.type)
        tag, value = self._take(letter_of(inner), "tag"), self._code.variable("arm")
        self._flush()
        start = (self._base, self._delta, self._ahead)
        word = "if"
        for arm in item.arms:
            self._base, self._delta, self._ahead = start[0], start[1], list(start[2])
            test = " or ".join(f"{tag} == {case}" for case in arm.cases)
            self._code.enter(f"{word} {test}:")
            self._arm(arm, inner, tag, value)
            word = "elif"
        self._base, self._delta, self._ahead = start[0], start[1], list(start[2])
        self._code.enter("else:")
        if item.default is None:
            self._code.add("raise ValueError")
            self._code.leave()
        else:
            self._arm(item.default, inner, tag, value)
        self._base, self._delta, self._ahead = "p", 0, []
        return value

    def _arm(self, arm: model.Arm, inner: model.Type, tag: str, value: str) -> None:
        """One branch: the arm's object, and the position behind it in `p`."""
        parts = [self._read(part.type) for part in arm.fields]
        self._flush()
        if arm.tagged:
            match inner:
                case model.Enumeration():
                    parts.insert(0, f"{self._declarations.members(inner)}[{tag}]")
                case model.Boolean():
                    parts.insert(0, f"{self._declarations.booleans()}[{tag}]")
                case _:
                    parts.insert(0, tag)
        self._code.add(f"{value} = {arm.name}({', '.join(parts)})")
        self._ahead = []
        self._settle()
        self._code.leave()
