"""What judges a requirement, and what of the endpoint keeps it: found by name in the sources.

A judge names a requirement by its id, a string; so do the endpoint's tables.  A rule that Version
Two inherits is named by the id that it has in Version One: `origins`.  What no rule names is judged
by the cases themselves, with the functions of `conformance.verify` that they call.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import load_inheritance
from conformance.proof.places import ROOT, Place, lines_of, of_case, overridden, relative
from targets.mutants.base import mutants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from conformance.suite.case import Case

__all__ = ["called_by", "endpoint_code", "mentions", "origins", "rules", "stand_for"]

_ORACLE: Final = ("conformance/oracle",)
_JUDGES: Final = tuple(
    f"conformance/{room}"
    for room in ("verify", "tester", "backward", "options", "groups", "explore")
)
"""Where a rule is that takes more than the oracle sees: waiting, memory, several connections."""

_TESTERS: Final = ("conformance/backward", "conformance/options", "conformance/groups")
"""Whose methods are checks as well, where a case passes them what is broken."""

_ENDPOINT: Final = ("rpcrdma/endpoint",)


def rules(identity: str) -> tuple[Place, ...]:
    """The oracle's functions, or else those of the other judges, that name a requirement."""
    return tuple(_constants(identity, _ORACLE)) or tuple(_constants(identity, _JUDGES))


def origins(identity: str) -> tuple[str, ...]:
    """The statements of Version One that go on as this one of Version Two, and are judged as it."""
    return tuple(rule for rule, two in load_inheritance().items() if two == identity)


def stand_for(identity: str, cases: Iterable[Case]) -> tuple[str, ...]:
    """The rules for every message that mean this requirement in the situation of a case."""
    found = (rule for case in cases for rule, meant in case.means if identity in meant)
    return tuple(dict.fromkeys(found))


def called_by(case: str) -> tuple[Place, ...]:
    """The checks that a case calls, by itself or by the functions of its file.

    They are those of `conformance.verify`, and the methods of testers that the case tells what is
    broken where they find fault.

    Args:
        case: its id.

    Raises:
        LookupError: no scenario has this id.
    """
    place = of_case(case)
    tree = ast.parse((ROOT / place.file).read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    calls = list(_calls(functions, place.name))
    named = {ast.unparse(call.func) for call in calls}
    checks = (_verifier(name) for name in sorted(named))
    methods = sorted(place for call in calls for place in _judging_methods(call))
    return tuple(dict.fromkeys((*filter(None, checks), *methods)))


def endpoint_code(identity: str) -> tuple[Place, ...]:
    """Where the endpoint names a requirement, and the methods that mutants of it override."""
    breaking = {overridden(mutant) for mutant in mutants() if mutant.breaks == identity}
    return (*_constants(identity, _ENDPOINT), *sorted(breaking))


def mentions(reading: str) -> tuple[Place, ...]:
    """Lines of the judges and of the endpoint that name an interpretation."""
    word = re.compile(rf"\b{re.escape(reading)}\b")
    return tuple(
        Place(file, number)
        for file in _files((*_ORACLE, *_JUDGES, *_ENDPOINT))
        for number, line in enumerate(lines_of(ROOT / file), 1)
        if word.search(line)
    )


def _verifier(called: str) -> Place | None:
    """Where a function is that a scenario calls as `verify.calls.done`, if it is one of those."""
    files: tuple[str, ...]
    match called.split("."):
        case ["verify", module, name]:
            files = (f"conformance/verify/{module}.py",)
        case ["verify", name]:
            files = tuple(_files(("conformance/verify",)))  # the package lists those of all files
        case ["verify_options", name]:
            files = ("conformance/options/verify.py", "conformance/options/due.py")
        case ["answers" | "faults" as module, name]:
            files = (f"conformance/groups/{module}.py",)
        case _:
            return None
    return next(
        Place(file, number, name)
        for file in files
        for number, line in enumerate(lines_of(ROOT / file), 1)
        if line.startswith((f"def {name}(", f"class {name}"))
    )


def _calls(functions: Mapping[str, ast.FunctionDef], name: str) -> Iterator[ast.Call]:
    """Every call in a function and, once each, in those of its file that it calls."""
    left, seen = [name], {name}
    while left:
        for node in ast.walk(functions[left.pop()]):
            if isinstance(node, ast.Call):
                yield node
                if isinstance(node.func, ast.Name) and node.func.id in functions.keys() - seen:
                    left.append(node.func.id)
                    seen.add(node.func.id)


def _judging_methods(call: ast.Call) -> Iterator[Place]:
    """The methods of testers that a call may mean, if it tells them what is broken."""
    if not isinstance(call.func, ast.Attribute):
        return
    is_named = "breaks" in {word.arg for word in call.keywords}
    for index, place in _told_what_is_broken().get(call.func.attr, ()):
        if is_named or (index is not None and index < len(call.args)):
            yield place


@cache
def _told_what_is_broken() -> Mapping[str, tuple[tuple[int | None, Place], ...]]:
    """The methods of testers with a parameter `breaks`, by name.

    Each is found with the index of that parameter, which is None where it must be named.
    """
    found: dict[str, tuple[tuple[int | None, Place], ...]] = {}
    for file in _files(_TESTERS):
        for node, owner in _owned(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and "." in owner:
                named = [word.arg for word in node.args.kwonlyargs]
                others = [word.arg for word in node.args.args[1:]]  # without `self`
                if "breaks" in (*named, *others):
                    index = others.index("breaks") if "breaks" in others else None
                    place = Place(file, node.lineno, owner)
                    found[node.name] = (*found.get(node.name, ()), (index, place))
    return found


def _constants(identity: str, rooms: tuple[str, ...]) -> Iterator[Place]:
    """Where an id is a string; for a module's constant that contains it, who uses that."""
    for file in _files(rooms):
        text = (ROOT / file).read_text(encoding="utf-8")
        if f'"{identity}"' in text:
            places = {Place(file, *found) for found in _uses(ast.parse(text), identity)}
            yield from sorted(places)


def _uses(tree: ast.Module, identity: str) -> Iterator[tuple[int, str]]:
    """Line of each occurrence, and the function, class or constant that it is in."""
    constants: set[str] = set()
    for statement in tree.body:
        for node, owner in _owned(statement):
            if isinstance(node, ast.Constant) and node.value == identity:
                target = _target(statement)
                constants |= {target} - {""}
                yield node.lineno, owner or target
    for statement in tree.body:
        for node, owner in _owned(statement):
            if isinstance(node, ast.Name) and node.id in constants and owner:
                yield node.lineno, owner


def _target(statement: ast.stmt) -> str:
    """The name that a statement gives to a value; empty if it is no assignment."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ""


def _owned(node: ast.AST, owner: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Every node below one, with the function or class that it is in."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        owner = f"{owner}.{node.name}".lstrip(".")
    yield node, owner
    for inner in ast.iter_child_nodes(node):
        yield from _owned(inner, owner)


def _files(rooms: tuple[str, ...]) -> Iterator[str]:
    for room in rooms:
        yield from sorted(relative(path) for path in (ROOT / room).rglob("*.py"))
