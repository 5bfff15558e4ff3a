"""Resolved types to straight-line decoders.

The code that is made for a type reads runs of fixed-size items with one unpack; the discriminator
that follows a list entry belongs to the entry's run, and so does every word after it that the
type guarantees (`lookahead`).  Elements of one fixed format are read in bulk (`emit_bulk`).  The
shortest form of a message (every list empty, every optional absent, first arm of a union) is read
by a single unpack, whose leading items serve the longer forms as well.
"""

from __future__ import annotations

from rpcrdma.xdr import model
from rpcrdma.xdr.emit_bulk import LARGEST_TABLE, Bulk, flat_letters
from rpcrdma.xdr.emit_refusals import Refusals
from rpcrdma.xdr.emit_shortest import Shortest
from rpcrdma.xdr.lookahead import shared_letters, sure_letters
from rpcrdma.xdr.names import snake_case
from rpcrdma.xdr.runs import Runs, UnpackRun
from rpcrdma.xdr.straight import (
    ODD,
    ODD_IN_CALLS,
    CodeLines,
    Declarations,
    NotStraightError,
    is_called,
    is_flat,
    letter_of,
    size_of,
)


def emit_decoder(schema: model.Schema, name: str, declarations: Declarations) -> list[str]:
    """The body of a decoder of `buffer` at `offset`, without its slow path.

    The code returns (value, end) or falls off its end.  A type that contains itself gets none.
    """
    for calls in (False, True):
        try:
            return _Decoder(schema, declarations, calls=calls).function(schema.types[name])
        except NotStraightError:
            continue
    return []


class _Decoder:
    def __init__(self, schema: model.Schema, declarations: Declarations, *, calls: bool) -> None:
        self._schema = schema
        self._calls = calls
        self._declarations = declarations
        self._bulk = Bulk(schema, declarations)
        self._code = CodeLines()
        self._runs = Runs(self._code, declarations)
        self._refusals = Refusals(self._code, self._runs, declarations, own=not calls)

    def function(self, item: model.Type) -> list[str]:
        self._code.enter("try:")
        slack = isinstance(item, model.Structure) and model.has_slack(self._schema, item)
        if slack and not self._calls:
            self._prelude(item)
        mark = len(self._code.lines)
        value = self._read(item, ())
        self._runs.flush()
        self._code.add(f"return {value}, {self._runs.position()}")
        if any("limit" in line for line in self._code.lines[mark:]):
            self._code.lines.insert(mark, "    limit = len(buffer)")
        self._code.leave()
        self._code.enter(f"except {ODD_IN_CALLS if self._calls else ODD}:")
        self._code.add("pass  # the interpreter decides and explains")
        return self._code.lines

    def _prelude(self, item: model.Type) -> None:
        """Read the shortest form at once, return if it is that, else keep what was read."""
        shortest = Shortest(self._schema, self._declarations, self._code)
        value, _ = shortest.read(item)
        self._runs.run = UnpackRun(
            [letter for letter, _ in shortest.items], [n for _, n in shortest.items]
        )
        self._runs.flush()
        self._code.enter(f"if {shortest.condition()}:")
        self._code.add(f"return {value}, {self._runs.position()}")
        self._code.leave()
        self._runs.delta = 0
        self._runs.ahead = shortest.items

    def _read(  # noqa: C901 - one line for each construct
        self, item: model.Type, after: tuple[str, ...]
    ) -> str:
        """Emit what reads the type; returns an expression that is good after the next flush.

        Args:
            item: the type.
            after: letters of the items that are certain to follow.
        """
        match item:
            case model.Reference(recursive=True):
                raise NotStraightError
            case model.Reference(name=name) if self._calls and is_called(self._schema, name):
                return self._call(name, self._code.variable("value"))
            case model.Reference(name=name):
                return self._read(self._schema.types[name], after)
            case model.Structure(name=name, fields=fields):
                return f"{name}({', '.join(self._fields(fields, after))})"
            case model.Boolean():
                return f"{self._declarations.booleans()}[{self._checked(item)}]"
            case model.Enumeration():
                return f"{self._declarations.members(item)}[{self._checked(item)}]"
            case model.Integer() | model.Floating():
                return self._runs.take(letter_of(item), "number")
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
                return self._optional(element, after)
            case model.LinkedList():
                return self._list(item, after)
            case model.Union():
                return self._union(item, after)

    def _checked(self, item: model.Boolean | model.Enumeration) -> str:
        word = self._runs.take(letter_of(item), "word")
        self._refusals.check(item, word)
        return word

    def _call(self, name: str, value: str) -> str:
        self._start_block()
        self._code.add(f"{value}, p = decode_{snake_case(name)}(buffer, p)")
        self._runs.base, self._runs.delta = "p", 0
        return value

    def _fields(self, fields: tuple[model.Field, ...], after: tuple[str, ...]) -> list[str]:
        types = [part.type for part in fields]
        made: list[str] = []
        for index, part in enumerate(fields):
            with self._refusals.at(f".{part.name}"):
                letters = sure_letters(self._schema, types[index + 1 :], after)
                made.append(self._read(part.type, letters))
        return made

    def _fixed_opaque(self, length: int) -> str:
        if not length:
            return 'b""'
        octets = self._runs.take(f"{length}s", "octets")
        if padding := -length & 3:
            rest = self._runs.take(f"{padding}s", "padding")
            self._runs.run.checks.append(f"{rest} != ZEROES[{padding}]")
        return octets

    def _fixed_array(self, element: model.Type, length: int) -> str:
        if is_flat(self._schema, model.FixedArray(element, length)):
            made: list[str] = []
            for index in range(length):
                with self._refusals.at(f"[{index}]"):
                    made.append(self._read(element, ()))
            return f"({', '.join(made)},)"
        self._start_block()
        if is_flat(self._schema, element):
            return self._run_of(element, str(length))
        return self._loop(element, f"range({length})")

    def _start_block(self) -> None:
        """What is of unknown length begins at a settled position, with nothing unpacked ahead."""
        self._runs.flush()
        self._runs.ahead = []
        self._runs.settle()

    def _array(self, element: model.Type, maximum: int) -> str:
        count = self._runs.take("I", "count")
        self._start_block()
        if maximum < model.UNLIMITED:
            self._runs.refuse_if(f"{count} > {maximum}")
        if is_flat(self._schema, element):
            return self._run_of(element, count)
        minimum = self._schema.minimum_size(element)
        self._runs.refuse_if(f"{count} * {minimum} > limit - p")
        return self._loop(element, f"range({count})")

    def _run_of(self, element: model.Type, count: str) -> str:
        """Elements of one format."""
        values = self._code.fresh("values")
        size = size_of(flat_letters(self._schema, element))
        self._code.add(f"{values} = {self._bulk.take_array(element)}(buffer, p, {count})")
        self._code.add(f"p = p + {count} * {size}")
        return values

    def _loop(self, element: model.Type, over: str) -> str:
        items = self._code.fresh("items")
        self._code.add(f"{items}: list[Any] = []")
        self._code.enter(f"for _ in {over}:")
        unchecked = self._refusals.unchecked
        made = self._element(element, items, ())
        self._start_block()
        self._code.add(f"{items}.append({made})")
        self._refusals.unchecked = unchecked
        self._code.leave()
        return f"tuple({items})"

    def _element(self, element: model.Type, items: str, after: tuple[str, ...]) -> str:
        """The next element of those that the name `items` holds."""
        with self._refusals.at(f"[{{len({items})}}]"):
            return self._read(element, after)

    def _opaque(self, maximum: int, convert: str) -> str:
        length = self._runs.take("I", "length")
        self._start_block()
        if maximum < model.UNLIMITED:
            self._runs.refuse_if(f"{length} > {maximum}")
        end, padded = self._code.fresh("end"), self._code.fresh("padded")
        self._code.add(f"{end} = p + {length}")
        self._code.add(f"{padded} = {end} + (-{length} & 3)")
        self._runs.refuse_if(
            f"{padded} > limit or buffer[{end}:{padded}] != ZEROES[{padded} - {end}]"
        )
        octets = self._code.fresh("octets")
        self._code.add(f"{octets} = bytes(buffer[p:{end}]){convert}")
        self._runs.base, self._runs.delta = padded, 0
        return octets

    def _join(self, variables: list[tuple[str, str]]) -> None:
        """End a branch: position and what is ahead are where the other branch has them."""
        self._runs.look(tuple(letter for letter, _ in variables))
        self._runs.settle()
        for (_, variable), (_, name) in zip(variables, self._runs.ahead, strict=True):
            if variable != name:
                self._code.add(f"{variable} = {name}")
        self._runs.ahead = list(variables)

    def _optional(self, element: model.Type, after: tuple[str, ...]) -> str:
        flag, value = self._runs.take("I", "flag"), self._code.variable("value")
        self._runs.look(shared_letters(sure_letters(self._schema, [element], after), after))
        self._runs.settle()
        variables = list(self._runs.ahead)
        place, unchecked = self._refusals.last_word(), self._refusals.unchecked
        self._code.enter(f"if {flag} == 1:")
        made = self._read(element, after)
        self._runs.look(tuple(letter for letter, _ in variables))
        self._code.add(f"{value} = {made}")
        self._refusals.unchecked = unchecked
        self._join(variables)
        self._code.leave()
        self._code.enter(f"elif {flag}:")
        self._refusals.refuse_flag(flag, place)
        self._code.leave()
        self._code.enter("else:")
        self._code.add(f"{value} = None")
        self._code.leave()
        return value

    def _list(self, item: model.LinkedList, after: tuple[str, ...]) -> str:
        items = self._code.fresh("items")
        look = shared_letters(sure_letters(self._schema, [item.element], ("I",)), after)
        if item.nonempty:
            unchecked = self._refusals.unchecked
            with self._refusals.at("[0]"):
                first = self._read(item.element, ("I", *look))
            flag = self._runs.take("I", "flag")
            self._runs.look(look)
            self._runs.settle()
            self._code.add(f"{items} = [{first}]")
            self._refusals.unchecked = unchecked
            self._entries(item.element, flag, items)
            return f"tuple({items})"
        flag, values = self._runs.take("I", "flag"), self._code.variable("values")
        self._runs.look(look)
        self._runs.settle()
        self._code.enter(f"if {flag}:")
        self._code.add(f"{items}: list[Any] = []")
        self._blocks(item.element, flag, items)
        self._entries(item.element, flag, items)
        self._code.add(f"{values} = tuple({items})")
        self._code.leave()
        self._code.enter("else:")
        self._code.add(f"{values} = ()")
        self._code.leave()
        return values

    def _blocks(self, element: model.Type, flag: str, items: str) -> None:
        """A list whose entries have one format may be long: whole blocks of it at once."""
        if not is_flat(self._schema, element):
            return
        block = (
            size_of(flat_letters(self._schema, element)) + 4
        ) * LARGEST_TABLE + self._runs.delta
        if block <= 0:
            return
        # The last octet of the block's last discriminator says whether the attempt is worth it.
        enough = f"p + {block} <= limit and buffer[p + {block - 1}] == 1"
        self._code.enter(f"if {flag} == 1 and {enough}:")
        helper = self._bulk.take_list(element)
        self._code.add(f"p = {helper}(buffer, {self._runs.position()}, {items})")
        variables, self._runs.ahead, self._runs.delta = self._runs.ahead, [], 0
        self._join(variables)
        self._code.leave()

    def _entries(self, element: model.Type, flag: str, items: str) -> None:
        """The entries after a discriminator; each is read together with the next one."""
        variables = list(self._runs.ahead)
        look = tuple(letter for letter, _ in variables)
        unchecked = self._refusals.unchecked
        self._code.enter(f"while {flag} == 1:")
        made = self._element(element, items, ("I", *look))
        after = self._runs.take("I", "flag", flag)
        self._runs.look(look)
        self._code.add(f"{items}.append({made})")
        self._refusals.unchecked = unchecked
        if after != flag:
            self._code.add(f"{flag} = {after}")
        self._join(variables)
        self._code.leave()
        self._code.enter(f"if {flag}:")
        with self._refusals.at(f"[{{len({items})}}]"):
            self._refusals.refuse_flag(flag, self._refusals.last_word())
        self._code.leave()

    def _union(self, item: model.Union, after: tuple[str, ...]) -> str:
        inner = self._schema.target(item.discriminant.type)
        tag, value = self._runs.take(letter_of(inner), "tag"), self._code.variable("arm")
        if self._runs.run.letters:
            arms = model.arms_of(item)
            types = [[part.type for part in arm.fields] for arm in arms]
            self._runs.look(
                shared_letters(*(sure_letters(self._schema, part, after) for part in types))
            )
        start = (self._runs.base, self._runs.delta, self._runs.ahead)
        word = "if"
        for arm in item.arms:
            self._runs.base, self._runs.delta, self._runs.ahead = start[0], start[1], list(start[2])
            test = " or ".join(f"{tag} == {case}" for case in arm.cases)
            self._code.enter(f"{word} {test}:")
            self._arm(arm, inner, tag, value)
            word = "elif"
        self._runs.base, self._runs.delta, self._runs.ahead = start[0], start[1], list(start[2])
        self._code.enter("else:")
        if item.default is None:
            self._refusals.refuse_discriminant(item, inner, tag)
            self._code.leave()
        else:
            self._arm(item.default, inner, tag, value)
        self._runs.base, self._runs.delta, self._runs.ahead = "p", 0, []
        return value

    def _arm(self, arm: model.Arm, inner: model.Type, tag: str, value: str) -> None:
        """One branch: the arm's object, and the position after it in `p`."""
        if self._calls and not arm.tagged and is_called(self._schema, arm.name):
            self._call(arm.name, value)
            self._code.leave()
            return
        unchecked = self._refusals.unchecked
        # Whether a value that no arm names is a member at all shows when the object is made.
        self._refusals.unchecked |= not arm.cases and not isinstance(inner, model.Integer)
        parts = self._fields(arm.fields, ())
        self._runs.flush()
        if arm.tagged:
            if isinstance(inner, model.Enumeration):
                tag = f"{self._declarations.members(inner)}[{tag}]"
            elif isinstance(inner, model.Boolean):
                tag = f"{self._declarations.booleans()}[{tag}]"
            parts.insert(0, tag)
        self._code.add(f"{value} = {arm.name}({', '.join(parts)})")
        self._refusals.unchecked = unchecked
        self._runs.ahead = []
        self._runs.settle()
        self._code.leave()
