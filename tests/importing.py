"""What the files of the project import, found without importing them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PACKAGES = ("rpcrdma", "reports", "targets", "conformance", "fuzz", "benchmarks", "documentation")

FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
WRITTEN = [path for path in FILES if not path.name.startswith("_generated_")]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(package: str, name: str) -> bool:
    path = ROOT.joinpath(*package.split("."), name)
    return path.is_dir() or path.with_suffix(".py").exists()


def named(node: ast.AST) -> set[str]:
    """The modules that an import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.module:
        # `from package import module` names the module only together with its alias.
        return {
            f"{node.module}.{alias.name}" if is_module(node.module, alias.name) else node.module
            for alias in node.names
        }
    return set()


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a block: no import is within an expression."""
    return (inner for inner in ast.iter_child_nodes(node) if isinstance(inner, STATEMENTS))


@cache
def tree(path: Path) -> ast.AST:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path, *, types: bool = True) -> frozenset[str]:
    """Every module that is imported, in whichever block; without `types`, those of run time."""
    found: set[str] = set()
    waiting = [tree(path)]
    while waiting:
        node = waiting.pop()
        found |= named(node)
        if types or not is_for_types(node):
            waiting += statements(node)
    return frozenset(found)


def ours(names: frozenset[str]) -> set[str]:
    return {name for name in names if name.split(".")[0] in PACKAGES}
