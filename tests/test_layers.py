"""The layers of the project: imports point downward only, and no file grows beyond reading."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("rpcrdma", "reports", "targets", "conformance", "fuzz", "benchmarks")
MOST_LINES = 400

ALLOWED: dict[str, set[str]] = {
    "rpcrdma.errors": set(),
    "rpcrdma.xdr": set(),
    "rpcrdma.wire": {"rpcrdma.xdr"},
    "rpcrdma.fabric": set(),
    "rpcrdma.endpoint": {"rpcrdma.wire", "rpcrdma.xdr", "rpcrdma.fabric", "rpcrdma.ulp.bindings"},
    "rpcrdma.ulp": {"rpcrdma.wire", "rpcrdma.xdr"},
    "rpcrdma": set(),
    "reports": {"rpcrdma"},
    "targets": {"rpcrdma", "reports"},
    "conformance": {"rpcrdma", "reports", "targets"},
    "fuzz": {"rpcrdma", "reports", "targets", "conformance"},
    "benchmarks": {"rpcrdma", "reports", "targets", "conformance", "fuzz"},
}
"""Layer -> what it may import, besides itself and `rpcrdma.errors`."""

FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
WRITTEN = [path for path in FILES if not path.name.startswith("_generated_")]


def within(name: str, layer: str) -> bool:
    return name == layer or name.startswith(f"{layer}.")


def layer_of(module: str) -> str:
    """The most particular layer that a module belongs to."""
    return max((layer for layer in ALLOWED if within(module, layer)), key=len)


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.AST) -> set[str]:
    """Every module of ours that is imported, in whichever block."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            # `from package import module` names the module only together with its alias.
            found |= {
                f"{node.module}.{alias.name}" if is_module(node.module, alias.name) else node.module
                for alias in node.names
            }
    return {name for name in found if name.split(".")[0] in PACKAGES}


def is_module(package: str, name: str) -> bool:
    path = ROOT.joinpath(*package.split("."), name)
    return path.is_dir() or path.with_suffix(".py").exists()


def forbidden(module: str, imported: set[str]) -> set[str]:
    layer = layer_of(module)
    allowed = ALLOWED[layer] | {layer, "rpcrdma.errors"}
    return {name for name in imported if not any(within(name, entry) for entry in allowed)}


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_imports_point_downward(path: Path) -> None:
    """A module imports only from its own layer and from those below it."""
    assert forbidden(module_of(path), imports(ast.parse(path.read_text()))) == set()


@pytest.mark.parametrize("path", WRITTEN, ids=module_of)
def test_file_is_short_enough_to_read(path: Path) -> None:
    """No file that a person writes is longer than the limit."""
    assert len(path.read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize(
    ("module", "imported", "refused"),
    [
        ("rpcrdma.wire.header", "rpcrdma.xdr.runtime", False),
        ("rpcrdma.xdr.runtime", "rpcrdma.wire.header", True),
        ("rpcrdma.endpoint.requester.requester", "rpcrdma.ulp.bindings", False),
        ("rpcrdma.endpoint.requester.requester", "rpcrdma.ulp.nfs4", True),
        ("rpcrdma.fabric.verbs", "rpcrdma.errors", False),
        ("rpcrdma.fabric.verbs", "reports.record", True),
        ("targets.reference.server", "conformance.tester.client.peer", True),
        ("conformance.tester.client.peer", "targets.base", False),
    ],
)
def test_the_rule_tells_right_from_wrong(module: str, imported: str, refused: bool) -> None:
    """The check itself refuses what it should, and only that."""
    assert (forbidden(module, {imported}) == {imported}) is refused
