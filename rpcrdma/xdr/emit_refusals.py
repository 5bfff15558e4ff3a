"""What a straight-line decoder raises where it meets a value that the type does not allow.

A flag, an enumeration or a discriminant with a wrong value ends nearly every damaged message.  At
such a place the decoder knows all that an error tells, so it raises the error itself.  It must be
the error of the first wrong item: where an earlier item is only looked at later, and wherever else
something is odd, the interpreter is asked.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import Reason
from rpcrdma.xdr import model
from rpcrdma.xdr.straight import ASK_INTERPRETER, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.xdr.runs import Runs
    from rpcrdma.xdr.straight import CodeLines, Declarations

__all__ = ["Refusals", "allowed"]

_WORD: Final = size_of("I")


class Refusals:
    """Follows the emitter through a type, and emits the checks of single words.

    Attributes:
        unchecked: whether an item that was read will be looked at only when its value is made; who
            emits that puts back what was here before the item.
    """

    def __init__(
        self, code: CodeLines, runs: Runs, declarations: Declarations, *, own: bool
    ) -> None:
        """Begin at the type itself.

        Args:
            code: where to emit.
            runs: tells where a word stands.
            declarations: of the tables of enumerations.
            own: whether the decoder makes errors itself; one that is called for a part of a message
                by another of the same kind knows a part of the path.
        """
        self._code = code
        self._runs = runs
        self._declarations = declarations
        self._own = own
        self._steps: list[str] = []
        self.unchecked = False

    @contextmanager
    def at(self, step: str) -> Iterator[None]:
        """Go down to a field (`.name`) or an element (`[index]`), for a time.

        An index that is known at run time stands in braces, as in an f-string.
        """
        self._steps.append(step)
        yield
        self._steps.pop()

    def last_word(self) -> str:
        """Where the word before the position stands, as an expression."""
        return self._runs.position(-_WORD)

    def refuse(self, reason: str, word: str, place: str) -> None:
        """Emit the error of a word.

        Args:
            reason: an expression of it.
            word: the name of the word.
            place: an expression of the offset at which the word stands.
        """
        if self.unchecked or not self._own:
            self._code.add(ASK_INTERPRETER)
            return
        path = "".join(self._steps).removeprefix(".")
        spelt = f'{"f" if "{" in path else ""}"{path}"'
        self._code.add(f'raise DecodeError({place}, {spelt}, {reason}, f"{{{word}}}")')

    def refuse_flag(self, flag: str, place: str) -> None:
        """Emit the error of a flag that is neither 0 nor 1."""
        self.refuse(f"Reason.{Reason.BAD_BOOLEAN.name}", flag, place)

    def check(self, item: model.Boolean | model.Enumeration, word: str) -> None:
        """See that a word which was just taken is a value of its type, now if it is unpacked."""
        if self._runs.run.letters:
            self.unchecked = True
            return
        if not self._own or self.unchecked:
            return
        self._code.enter(f"if not {allowed(self._declarations, item, word)}:")
        self.refuse(f"Reason.{_wrong(item)}", word, self.last_word())
        self._code.leave()

    def refuse_discriminant(self, item: model.Union, inner: model.Type, tag: str) -> None:
        """Emit the error of a discriminant that leads to no arm."""
        cases = {case for arm in item.arms for case in arm.cases}
        reason = f"Reason.{Reason.BAD_DISCRIMINANT.name}"
        place = self.last_word()
        with self.at(f".{item.discriminant.name}"):
            match inner:
                case model.Enumeration(members=members):
                    armless = {number for _, number in members} - cases
                case model.Boolean():
                    armless = {0, 1} - cases
                case _:
                    self.refuse(reason, tag, place)
                    return
            wrong = f"Reason.{_wrong(inner)}"
            if armless:
                wrong = f"{reason} if {allowed(self._declarations, inner, tag)} else {wrong}"
            self.refuse(wrong, tag, place)


def allowed(declarations: Declarations, item: model.Boolean | model.Enumeration, word: str) -> str:
    """The test, as an expression, of whether a word is a value of its type."""
    if isinstance(item, model.Boolean):
        return f"({word} < 2)"
    return f"({word} in {declarations.members(item)})"


def _wrong(item: model.Boolean | model.Enumeration) -> str:
    return (Reason.BAD_BOOLEAN if isinstance(item, model.Boolean) else Reason.BAD_ENUM).name
