"""The layers of the project: imports point downward only, and no file grows beyond reading.

A room is a folder, or a single file where one stands beside folders.  `ARROWS` has one entry for
each arrow between rooms, whether it is followed at run time or for types alone; the drawing in
CONTRIBUTING.md shows the same.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("rpcrdma", "reports", "targets", "conformance", "fuzz", "benchmarks")
MOST_LINES = 400

WIRE = {"rpcrdma.errors", "rpcrdma.xdr", "rpcrdma.wire"}
MESSAGES = WIRE | {"rpcrdma.ulp"}
CARRIED = MESSAGES | {"rpcrdma.fabric"}

CORE = CARRIED | {"rpcrdma.endpoint.core"}
ROLES = CORE | {
    "rpcrdma.endpoint.properties",
    "rpcrdma.endpoint.requester",
    "rpcrdma.endpoint.responder",
}
ENDPOINT = ROLES | {
    "rpcrdma.endpoint.backward",
    "rpcrdma.endpoint.negotiation",
    "rpcrdma.endpoint.ends",
}

DEVICE = {"targets.base", "targets.profile", "targets.acts"}

ORACLES = {
    "conformance.catalogue",
    "conformance.oracle",
    "conformance.oracle.responder",
    "conformance.oracle.requester",
}
TESTER = ORACLES | {
    "conformance.tester",
    "conformance.tester.workload",
    "conformance.tester.client",
    "conformance.tester.server",
}
FEATURES = TESTER | {"conformance.verify", "conformance.backward", "conformance.options"}
RECORDS = {"reports.record", "reports.stream", "reports.render", "reports.capture"}

ARROWS: dict[str, set[str]] = {
    "rpcrdma": set(),
    "rpcrdma.errors": set(),
    "rpcrdma.xdr": {"rpcrdma.errors"},
    "rpcrdma.wire": {"rpcrdma.errors", "rpcrdma.xdr"},
    "rpcrdma.ulp": WIRE,
    "rpcrdma.fabric": {"rpcrdma.errors"},
    "rpcrdma.endpoint.core": CARRIED,
    "rpcrdma.endpoint.properties": CORE,
    "rpcrdma.endpoint.requester": CORE | {"rpcrdma.endpoint.properties"},
    "rpcrdma.endpoint.responder": CORE | {"rpcrdma.endpoint.properties"},
    "rpcrdma.endpoint.backward": ROLES,
    "rpcrdma.endpoint.negotiation": ROLES | {"rpcrdma.endpoint.backward"},
    "rpcrdma.endpoint.ends": ROLES | {"rpcrdma.endpoint.backward"},
    "rpcrdma.endpoint": ENDPOINT,
    "reports": set(),
    "reports.record": set(),
    "reports.stream": {"reports.record"},
    "reports.baseline": {"reports.record"},
    "reports.baseline_file": {"reports.record", "reports.baseline"},
    "reports.summary": {"reports.record", "reports.baseline"},
    "reports.capture": {"rpcrdma.fabric"},
    "reports.render": {"reports.record", "reports.baseline", "reports.summary"},
    "reports.compare": {
        "reports.record",
        "reports.baseline",
        "reports.baseline_file",
        "reports.summary",
        "reports.render",
    },
    "targets": set(),
    "targets.base": {"rpcrdma.fabric", "targets.profile"},
    "targets.profile": {"rpcrdma.wire", "targets.base", "targets.acts"},
    "targets.acts": {"targets.base"},
    "targets.device_address": {"rpcrdma.errors"},
    "targets.tested_versions": set(),
    "targets.lab": {"rpcrdma.ulp", "targets.profile", "targets.tested_versions"},
    "targets.kernel_log": {"targets.lab"},
    "targets.network": {"rpcrdma.fabric", "targets.lab", "targets.base", "targets.profile"},
    "targets.reference": ENDPOINT | {"targets.base", "targets.profile", "targets.device_address"},
    "targets.nfs": ENDPOINT | {"targets.base", "targets.reference"},
    "targets.upper_tester": CARRIED | DEVICE | {"targets.nfs", "targets.kernel_log"},
    "targets.mutants": ENDPOINT | {"targets.base", "targets.profile", "targets.reference"},
    "targets.variants": ENDPOINT | {"targets.base", "targets.profile", "targets.reference"},
    "targets.registry": {
        "targets.base",
        "targets.profile",
        "targets.network",
        "targets.upper_tester",
        "targets.mutants",
        "targets.variants",
    },
    "conformance": set(),
    "conformance.bad_input": set(),
    "conformance.strategies": WIRE,
    "conformance.catalogue": {"conformance.bad_input", "reports.record"},
    "conformance.oracle": MESSAGES | {"conformance.catalogue", "reports.record"},
    "conformance.oracle.responder": MESSAGES
    | {"conformance.catalogue", "conformance.oracle", "reports.record"},
    "conformance.oracle.requester": MESSAGES
    | {
        "conformance.catalogue",
        "conformance.oracle",
        "conformance.oracle.responder",
        "reports.record",
    },
    "conformance.tester": CARRIED | ORACLES | {"targets.profile"},
    "conformance.tester.workload": CARRIED
    | ORACLES
    | {"conformance.tester", "targets.base", "targets.profile", "targets.nfs"},
    "conformance.tester.client": CARRIED
    | ORACLES
    | {"conformance.tester", "conformance.tester.workload", "targets.base", "targets.profile"},
    "conformance.tester.server": CARRIED
    | ORACLES
    | {"conformance.tester", "reports.record", "targets.base", "targets.profile"},
    "conformance.verify": CARRIED | TESTER | {"reports.record", "targets.base"},
    "conformance.backward": CARRIED
    | TESTER
    | {"conformance.verify", "targets.base", "targets.profile"},
    "conformance.options": CARRIED
    | TESTER
    | {"conformance.verify", "targets.base", "targets.profile"},
    "conformance.scenarios": CARRIED | FEATURES | {"targets.base"},
    "conformance.suite": CARRIED
    | FEATURES
    | RECORDS
    | {"conformance.scenarios", "targets.registry", "targets.lab"}
    | DEVICE,
    "conformance.explore": ENDPOINT
    | FEATURES
    | {"conformance.bad_input", "reports.record", "targets.reference", "targets.base"}
    | {"targets.profile"},
    "conformance.proof": {
        "conformance.catalogue",
        "conformance.oracle",
        "conformance.oracle.responder",
        "conformance.suite",
        "conformance.tester",
        "reports.record",
        "targets.base",
        "targets.mutants",
        "targets.registry",
    },
    "conformance.cli": WIRE
    | FEATURES
    | RECORDS
    | {"conformance.bad_input", "conformance.suite", "conformance.explore", "conformance.proof"}
    | {"reports.baseline", "reports.baseline_file", "reports.summary", "reports.compare"}
    | {"targets.base", "targets.profile", "targets.registry", "targets.lab"}
    | {"targets.mutants", "targets.variants"},
    "fuzz": ENDPOINT
    | FEATURES
    | {"conformance.bad_input", "conformance.explore", "conformance.suite"}
    | {"reports.record", "reports.stream"}
    | {"targets.lab", "targets.profile", "targets.reference", "targets.registry"}
    | {"targets.tested_versions"},
    "benchmarks": ENDPOINT | {"targets.lab", "targets.reference"},
}
"""Room -> the rooms that it may import from."""

SEALED = {
    "conformance.oracle": ("rpcrdma.endpoint", "rpcrdma.fabric", "targets", "pytest"),
    "conformance.tester": ("rpcrdma.endpoint", "conformance.verify", "pytest"),
    "rpcrdma": ("reports", "targets", "conformance", "fuzz", "pytest"),
}
"""What must never come into a room, however its arrows are drawn, and why it is said twice: an
oracle that asks a device, or a library that knows of tests, would still look right in a drawing."""

FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
WRITTEN = [path for path in FILES if not path.name.startswith("_generated_")]


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def room_of(module: str) -> str:
    """The most particular room that a module belongs to."""
    return max((room for room in ARROWS if within(module, room)), key=len)


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def folder_of(module: str) -> str:
    return module if (ROOT / module.replace(".", "/")).is_dir() else module.rpartition(".")[0]


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


@cache
def imports(path: Path, *, types: bool = True) -> frozenset[str]:
    """Every module that is imported, in whichever block; without `types`, those of run time."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        found |= named(node)
        waiting += [
            inner for inner in ast.iter_child_nodes(node) if types or not is_for_types(node)
        ]
    return frozenset(found)


def ours(names: frozenset[str]) -> set[str]:
    return {name for name in names if name.split(".")[0] in PACKAGES}


def forbidden(module: str, imported: set[str]) -> set[str]:
    room = room_of(module)
    return {name for name in imported if room_of(name) not in ARROWS[room] | {room}}


def smuggled(module: str, imported: set[str]) -> set[str]:
    kept_out = [name for room, names in SEALED.items() if within(module, room) for name in names]
    return {name for name in imported if any(within(name, entry) for entry in kept_out)}


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_imports_follow_the_arrows(path: Path) -> None:
    """A module imports only from its own room and along the arrows of that."""
    module = module_of(path)
    assert forbidden(module, ours(imports(path))) == set()
    assert smuggled(module, set(imports(path))) == set()


def test_every_arrow_is_followed_from_its_layer() -> None:
    """A room that nothing is in, or that nobody may come from, is a wish and no rule."""
    rooms = {room_of(module_of(path)) for path in FILES}
    assert set(ARROWS) - rooms == set()
    assert {entry for allowed in ARROWS.values() for entry in allowed} - rooms == set()


def test_arrows_make_no_circle_over_more_than_one_folder() -> None:
    """`targets.base` and the files beside it name one another's types; nothing else may."""
    drawn: dict[str, set[str]] = defaultdict(set)
    for path in FILES:
        module = module_of(path)
        for name in ours(imports(path)):
            one, other = (room_of(name) for name in (module, name))
            if one != other and not {one, other} <= {"targets.base", *DEVICE}:
                drawn[one].add(other)
    assert circle(drawn) == []


def test_modules_make_no_circle_at_run_time() -> None:
    drawn = {
        module_of(path): ours(imports(path, types=False)) - {module_of(path)} for path in WRITTEN
    }
    assert circle(drawn) == []


def circle(drawn: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(drawn).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


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
        ("rpcrdma.endpoint.requester.requester", "rpcrdma.endpoint.responder.call_rules", True),
        ("rpcrdma.fabric.verbs", "rpcrdma.errors", False),
        ("rpcrdma.fabric.verbs", "reports.record", True),
        ("targets.reference.server", "conformance.tester.client.peer", True),
        ("targets.reference.server", "targets.mutants.base", True),
        ("conformance.tester.client.peer", "targets.base", False),
        ("conformance.tester.client.peer", "conformance.verify.answers", True),
        ("conformance.oracle.responder.calls", "conformance.oracle.outcome", False),
        ("conformance.oracle.responder.calls", "targets.base", True),
        ("conformance.scenarios.v2.responder.test_1", "conformance.suite.plugin", True),
        ("reports.record", "reports.render.html", True),
    ],
)
def test_the_rule_tells_right_from_wrong(module: str, imported: str, refused: bool) -> None:
    """The check itself refuses what it should, and only that."""
    assert (forbidden(module, {imported}) == {imported}) is refused


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("conformance.oracle.responder.calls", "rpcrdma.endpoint.core.faults"),
        ("conformance.oracle.device", "pytest"),
        ("conformance.tester.sent", "rpcrdma.endpoint.core.events"),
        ("rpcrdma.ulp.rpc", "targets.base"),
    ],
)
def test_a_sealed_room_lets_nothing_in(module: str, imported: str) -> None:
    assert smuggled(module, {imported}) == {imported}


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"a"}, "c": set()}) != []
