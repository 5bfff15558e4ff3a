"""Puts objects back into the state in which they were, however they are nested.

To build the two ends of a connection takes longer than most messages do.  So they are built once,
and put back before each sequence: every object that can be reached from them gets its contents
back, in place, so that whoever holds it sees the old state.  What was made since is forgotten.
"""

from __future__ import annotations

import contextlib
import gc
import re
import struct
import sys
import types
from collections import deque
from enum import Enum
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CannotKeepError", "Kept", "Snapshot"]

_LEAVES: Final = (
    *(type, types.ModuleType, types.CodeType, types.BuiltinFunctionType),
    *(types.WrapperDescriptorType, types.MethodWrapperType, types.MethodDescriptorType),
    *(types.MemberDescriptorType, types.GetSetDescriptorType, types.ClassMethodDescriptorType),
    *(Enum, str, bytes, int, float, range, type(None), type(NotImplemented), type(...)),
    *(struct.Struct, re.Pattern, type(lru_cache(len))),
)
"""They never change, or show it to nobody, and what they lead to belongs to the whole program."""

_HOLDERS: Final = (tuple, frozenset, types.MethodType, types.MappingProxyType, partial)
"""They never change; what they lead to may."""

_Restore: TypeAlias = "Callable[[], object]"
_Fill: TypeAlias = "Callable[[Any], object]"

Thing = TypeVar("Thing")


class CannotKeepError(TypeError):
    """An object is reached of which nobody can say how it changes."""


class Snapshot:
    """The state of an object, and of all that it leads to, when it was taken."""

    def __init__(self, root: object) -> None:
        """Take it.

        Raises:
            CannotKeepError: it leads to an iterator, to a source of chance, or to another object
                that keeps its state where nobody can read it.
        """
        # By kinds, so that little is called for each: there are hundreds, before every sequence.
        self._emptied: list[_Restore] = []
        self._filled: list[tuple[_Restore, _Fill, object]] = []
        self._attributes: list[tuple[dict[str, object], dict[str, object]]] = []
        self._slots: list[tuple[Callable[[Any, Any], object], object, object]] = []
        self._others: list[_Restore] = []
        seen: dict[int, object] = {}  # each is held, so that no other one gets its id
        waiting = [root]
        while waiting:
            found = waiting.pop()
            if id(found) not in seen and not isinstance(found, _LEAVES):
                seen[id(found)] = found
                waiting += self._keep(found)

    def restore(self) -> None:
        """Bring the state back."""
        for empty in self._emptied:
            empty()
        for clear, fill, contents in self._filled:
            clear()
            fill(contents)
        for found, kept in self._attributes:
            found.update(kept)
            if len(found) != len(kept):  # it has got others since; their order means nothing
                found.clear()
                found.update(kept)
        for put, thing, value in self._slots:
            put(thing, value)
        for restore in self._others:
            restore()

    def _keep(self, found: object) -> list[object]:
        """See that an object gets its contents back; what it leads to."""
        match found:
            case types.FunctionType():  # but not to its module
                return [found.__closure__, found.__defaults__, found.__kwdefaults__]
            case types.CellType():
                self._slots.append((_put_into_cell, found, found.cell_contents))
            case dict() | set():
                self._keep_contents(found, found.update)
            case deque():
                self._keep_contents(found, found.extend)
            case list() if not found:
                self._emptied.append(found.clear)
            case list() | bytearray():
                self._others.append(partial(found.__setitem__, slice(None), found[:]))
            case _ if not isinstance(found, _HOLDERS):
                return self._keep_attributes(found)
            case _:
                pass
        return gc.get_referents(found)

    def _keep_contents(self, found: dict[Any, Any] | set[Any] | deque[Any], fill: _Fill) -> None:
        """See that a container gets its contents back, in their order."""
        if found:
            self._filled.append((found.clear, fill, found.copy()))
        else:
            self._emptied.append(found.clear)

    def _keep_attributes(self, found: object) -> list[object]:
        kind = type(found)
        for base in kind.__mro__[:-1]:
            if base not in Struct.__mro__ and not _is_written_in_python(base):
                raise CannotKeepError(f"{base.__module__}.{base.__qualname__}")
        values = dict(vars(found)) if hasattr(found, "__dict__") else {}
        if hasattr(found, "__dict__"):
            self._attributes.append((vars(found), values))
        slots = [
            (member, getattr(found, name))
            for base in kind.__mro__
            for name, member in vars(base).items()
            if isinstance(member, types.MemberDescriptorType) and hasattr(found, name)
        ]
        if not _is_frozen(kind):
            self._slots += [(member.__set__, found, value) for member, value in slots]
        return [*values.values(), *(value for _, value in slots)]


_put_into_cell: Final = vars(types.CellType)["cell_contents"].__set__


def _is_written_in_python(kind: type) -> bool:
    """Whether all that its objects keep stands in attributes."""
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return str(path).endswith(".py")


def _is_frozen(kind: type) -> bool:
    if issubclass(kind, Struct):
        return bool(kind.__struct_config__.frozen)
    parameters = getattr(kind, "__dataclass_params__", None)
    return bool(parameters and parameters.frozen)


class Kept(Generic[Thing]):
    """What is made once and used again, each time as new."""

    def __init__(self, make: Callable[[], Thing]) -> None:
        self._make = make
        self._thing: Thing | None = None
        self._snapshot: Snapshot | None = None

    def fresh(self) -> Thing:
        """It, as it was made; another one if nobody can put it back."""
        if self._thing is not None and self._snapshot is not None:
            self._snapshot.restore()
            return self._thing
        made = self._make()
        if self._thing is None:
            self._thing = made
            with contextlib.suppress(CannotKeepError):
                self._snapshot = Snapshot(made)
        return made
