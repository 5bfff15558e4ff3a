"""The faults of a module: where each is, what it changes, and the tree that has it.

What is for people, for type checkers or for the linter stays as it is: annotations, docstrings,
decorators, imports, `__all__`, patterns, f-strings, what is raised beside the kind of fault,
`__repr__` and `__str__`, and `strict`, which asserts and does nothing.
"""

from __future__ import annotations

import ast
import hashlib
import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.proof.detect.operators import OPERATORS, Function, NodePlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["ENDPOINT", "MadeFault", "Module", "draw", "faults_in", "find_modules", "mutated"]

ENDPOINT: Final = "rpcrdma.endpoint"
"""The package in which faults are made."""

_FOR_PEOPLE: Final = ("__repr__", "__str__", "__format__")
_MOST: Final = 70
"""Characters of a piece of source in a description."""


@dataclass(frozen=True, slots=True)
class Module:
    """A file in which faults are made.

    Attributes:
        name: with dots.  path: of the file.  source: its text.
    """

    name: str
    path: Path
    source: str


@dataclass(frozen=True, slots=True)
class MadeFault:
    """One change of the source.

    Attributes:
        id: `module:line:column:operator:n`; line from 1, column from 0, `n` counts those of the
            same operator at the same place, from 0.
        module: with dots.
        function: in which it is, with its classes; empty: in none.
        operator: see `OPERATORS`.
        what: what becomes of what, on one line.
        lines: one of these is executed if the fault is reached.
        at_import: it is reached when the module is imported, and may show in any case.
        fingerprint: of the function as it stands, and of the fault in it: the same wherever the
            function moves to, another once it is changed.
    """

    id: str
    module: str
    function: str
    operator: str
    what: str
    lines: tuple[int, ...]
    at_import: bool
    fingerprint: str


@dataclass(frozen=True, slots=True)
class _Site:
    """A node that may be replaced, and where it hangs."""

    place: NodePlace
    parent: ast.AST
    field: str
    index: int | None
    statement: ast.stmt | ast.match_case
    outside: ast.stmt
    """What a fingerprint is of: the statement, as of a method, in the module or in its class."""
    path: tuple[str, ...]

    def put(self, node: ast.AST) -> None:
        """Replace the node in its tree."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def find_modules(under: str = ENDPOINT) -> tuple[Module, ...]:
    """The modules of a package, or the one module of that name, sorted.

    Raises:
        ValueError: there is none.
    """
    spec = find_spec(under.partition(".")[0])
    if spec is None or spec.origin is None:
        raise ValueError(f"no package `{under}`")
    root = Path(spec.origin).parent.parent
    top = root.joinpath(*under.split("."))
    paths = [top.with_suffix(".py")] if top.with_suffix(".py").is_file() else top.rglob("*.py")
    found = [
        Module(
            ".".join(path.relative_to(root).with_suffix("").parts), path, path.read_text("utf-8")
        )
        for path in sorted(paths)
        if path.name != "__init__.py"
    ]
    if not found:
        raise ValueError(f"no module `{under}`")
    return tuple(found)


def faults_in(module: Module) -> tuple[MadeFault, ...]:
    """Every fault of a module; of those that make the same change the first."""
    tree = ast.parse(module.source)
    found: list[MadeFault] = []
    seen: set[tuple[int, str]] = set()
    scopes: Counter[tuple[int, str]] = Counter()
    texts: dict[int, str] = {}
    for site, operator, identity, node in _changes(tree, module.name):
        old, before = site.place.node, _head(site.statement)
        site.put(node)
        changed = node if old is site.statement else site.statement
        change, after = (id(site.statement), ast.dump(changed)), _head(changed)
        site.put(old)
        if change in seen:
            continue
        seen.add(change)
        scope = id(site.outside)
        scopes[scope, operator] += 1
        text = texts.setdefault(scope, ast.unparse(site.outside))
        words = (module.name, *site.path, operator, str(scopes[scope, operator]), text)
        found.append(
            MadeFault(
                identity,
                module.name,
                ".".join(site.path),
                operator,
                _described(old, node, before, after),
                _lines(site),
                site.place.function is None and not isinstance(old, ast.arguments),
                hashlib.sha256("\0".join(words).encode()).hexdigest()[:12],
            )
        )
    return tuple(found)


def mutated(module: Module, identity: str) -> ast.Module:
    """The tree of a module that has a fault.

    Raises:
        ValueError: it has no such fault.
    """
    tree = ast.parse(module.source)
    for site, _, found, node in _changes(tree, module.name):
        if found == identity:
            site.put(ast.copy_location(node, site.place.node))
            return ast.fix_missing_locations(tree)
    raise ValueError(f"no fault `{identity}`")


def draw(faults: Iterable[MadeFault], seed: int, size: int | None = None) -> tuple[MadeFault, ...]:
    """Draw a sample: of each module in proportion; a larger one begins with the smaller one.

    Args:
        faults: all.
        seed: of the order.
        size: how many; None: all.
    """
    by_module: dict[str, list[MadeFault]] = defaultdict(list)
    for fault in faults:
        by_module[fault.module].append(fault)
    ranked: list[tuple[float, MadeFault]] = []
    for name, own in sorted(by_module.items()):
        # No secrets: the same seed must give the same sample.
        chance = random.Random(f"{seed}:{name}")  # noqa: S311
        chance.shuffle(own)
        # Each module begins somewhere else, so that small ones do not all come late.
        start = chance.random()
        ranked += (((rank + start) / len(own), fault) for rank, fault in enumerate(own))
    ranked.sort(key=lambda one: (one[0], one[1].id))
    return tuple(fault for _, fault in ranked[:size])


def _changes(tree: ast.Module, module: str) -> Iterator[tuple[_Site, str, str, ast.AST]]:
    """Every change with its operator and id; the tree is as it was whenever one is handed out."""
    numbers: Counter[tuple[int, int, str]] = Counter()
    for site in list(_Walk().sites(tree)):
        for name, operator in OPERATORS.items():
            for node in operator(site.place):
                line, column = _position(site)
                number = numbers[line, column, name]
                numbers[line, column, name] += 1
                yield site, name, f"{module}:{line}:{column}:{name}:{number}", node


class _Walk:
    """Goes through a tree in the order of its text."""

    def sites(self, tree: ast.Module) -> Iterator[_Site]:
        """What may be replaced."""
        for index, statement in enumerate(tree.body):
            yield from self._visit(
                _Site(NodePlace(statement), tree, "body", index, statement, statement, ())
            )

    def _visit(self, site: _Site) -> Iterator[_Site]:
        node, function = site.place.node, site.place.function
        if _is_left_alone(node):
            return
        yield site
        path, outside = site.path, site.outside
        if isinstance(node, Function | ast.ClassDef):
            path = (*path, node.name)
        for field, value in ast.iter_fields(node):
            if _is_other_peoples(node, field):
                continue
            for index, child in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(child, ast.AST):
                    continue
                inner = node if isinstance(node, Function) and field == "body" else function
                scope = outside
                if isinstance(node, ast.ClassDef) and isinstance(child, ast.stmt) and not inner:
                    scope = child
                statement = child if isinstance(child, ast.stmt | ast.match_case) else None
                yield from self._visit(
                    _Site(
                        NodePlace(child, inner),
                        node,
                        field,
                        index if isinstance(value, list) else None,
                        statement or site.statement,
                        scope,
                        path,
                    )
                )


def _is_left_alone(node: ast.AST) -> bool:
    """Whether nothing in a node is to be changed."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.pattern():
            return True
        case ast.FunctionDef(name=name) if name in _FOR_PEOPLE:
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
        case ast.keyword(arg="strict"):
            return True
        case _:
            return False


def _is_other_peoples(node: ast.AST, field: str) -> bool:
    """Whether a field is nothing that runs, or nothing that matters when it does."""
    return field in (
        "annotation",
        "returns",
        "decorator_list",
        "bases",
        "keywords",
        "ctx",
    ) and not (field == "keywords" and isinstance(node, ast.Call))


def _position(site: _Site) -> tuple[int, int]:
    """Line and column; some nodes have those of what is in them."""
    node = site.place.node
    first: ast.AST | None = node
    if isinstance(node, ast.comprehension):
        first = node.target
    elif isinstance(node, ast.match_case):
        first = node.pattern
    elif isinstance(node, ast.arguments):
        first = site.parent
    if isinstance(first, ast.expr | ast.stmt | ast.pattern):
        return first.lineno, first.col_offset
    return site.outside.lineno, site.outside.col_offset


def _lines(site: _Site) -> tuple[int, ...]:
    """The lines of which one is executed when the fault is reached."""
    node, statement = site.place.node, site.statement
    if isinstance(node, ast.arguments) and isinstance(site.parent, Function):
        whole = site.parent.body
        return tuple(range(whole[0].lineno, (whole[-1].end_lineno or 0) + 1))
    if isinstance(statement, ast.match_case):
        return tuple(range(statement.pattern.lineno, statement.body[0].lineno))
    body = getattr(statement, "body", None) or getattr(statement, "cases", None) or ()
    end = statement.end_lineno or statement.lineno
    if body:
        first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
        end = max(first.lineno - 1, statement.lineno)
    return tuple(range(statement.lineno, end + 1))


def _described(old: ast.AST, new: ast.AST, before: str, after: str) -> str:
    """What becomes of what: of the whole statement where that is short enough to show it."""
    if isinstance(new, ast.Pass):
        return f"`{_brief(old)}` is removed"
    if before == after or isinstance(old, ast.arguments):
        before, after = _brief(old), _brief(new)
    return f"`{before}` becomes `{after}`"


def _head(node: ast.AST) -> str:
    """The first line of a statement, without what it governs."""
    if isinstance(node, ast.comprehension):
        return _cut(ast.unparse(node).strip())
    if isinstance(node, ast.match_case):
        guard = "" if node.guard is None else f" if {ast.unparse(node.guard)}"
        return _cut(f"case {ast.unparse(node.pattern)}{guard}")
    return _brief(node).partition("\n")[0]


def _brief(node: ast.AST) -> str:
    """The first line of anything."""
    return _cut(ast.unparse(node).strip().partition("\n")[0])


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."
