"""Everything that an object holds, as one walk finds it: what has changed, how long its tables are.

A table that somebody adds tomorrow is found without being named here.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["differences", "portrait", "tables"]

_OURS: Final = ("rpcrdma.", "fuzz.")
"""Packages whose objects are looked into; those of others are the language's business."""

_PLAIN: Final = (int, float, str, bytes, bytearray, type(None), Enum)
_MANY: Final = (list, tuple, deque, set, frozenset)
_TABLES: Final = (dict, list, deque, set)


def portrait(root: object, skipped: tuple[type, ...] = ()) -> dict[str, object]:
    """Where -> the plain value there, of everything but what objects of `skipped` types hold."""
    return {
        where: bytes(value) if isinstance(value, bytearray) else value
        for where, value in _walk(root, skipped)
        if isinstance(value, _PLAIN)
    }


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Where two portraits of the same object differ, in words."""
    if before == after:
        return []
    return [
        f"{where}: {before.get(where, 'nothing')!r} became {after.get(where, 'nothing')!r}"
        for where in sorted(before.keys() | after.keys())
        if before.get(where, ...) != after.get(where, ...)
    ]


def tables(root: object, skipped: tuple[type, ...] = ()) -> Iterator[tuple[str, int]]:
    """Class and attribute of every container, and how much is in it."""
    for where, value in _walk(root, skipped):
        if isinstance(value, _TABLES):
            yield where.rpartition("/")[2], len(value)


def _walk(root: object, skipped: tuple[type, ...]) -> Iterator[tuple[str, object]]:
    """Each thing, with the way to it; what is held twice, by one way."""
    seen: set[int] = set()
    todo: list[tuple[str, object]] = [("", root)]
    while todo:
        where, value = todo.pop()  # nothing made here is looked into: its identity would not last
        yield where, value
        if isinstance(value, (*_PLAIN, *skipped)) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            todo += [(f"{where}[{index}]", part) for index, part in enumerate(value.values())]
            todo += [(f"{where}[{index}]key", part) for index, part in enumerate(value)]
        elif isinstance(value, _MANY):
            todo += [(f"{where}[{index}]", part) for index, part in enumerate(value)]
        else:
            name = type(value).__name__
            todo += [(f"{where}/{name}.{key}", part) for key, part in _attributes(value)]


def _attributes(value: object) -> list[tuple[str, object]]:
    """Those of an object that is looked into; nothing of another one."""
    kind = type(value)
    if not kind.__module__.startswith(_OURS) or isinstance(value, type):
        return []
    found = [(name, getattr(value, name)) for name in _slots(kind) if hasattr(value, name)]
    found += getattr(value, "__dict__", {}).items()
    return found


def _slots(kind: type) -> tuple[str, ...]:
    """The names in the slots of a class and of those that it is made of."""
    known = _SLOTS.get(kind)
    if known is None:
        found: list[str] = []
        for base in kind.__mro__:
            slots = vars(base).get("__slots__", ())
            found += (slots,) if isinstance(slots, str) else slots
        known = _SLOTS[kind] = tuple(name for name in found if not name.startswith("__"))
    return known


_SLOTS: Final[dict[type, tuple[str, ...]]] = {}
"""What was found before."""
