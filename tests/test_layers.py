"""The layers of the project: imports point downward only, and no file grows beyond reading.

A room is a folder, or a single file where one stands beside folders.  `ARROWS` has one entry for
each arrow between rooms, whether it is followed at run time or for types alone, and none that
nobody follows.  The drawing in CONTRIBUTING.md shows the same, but for arrows to rooms that others
of its arrows lead to.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.importing import FILES, ROOT, WRITTEN, imports, module_of, ours

MOST_LINES = 400

DEVICE = {"targets.base", "targets.profile", "targets.acts"}
"""Files that name one another's types: one room in the drawing."""

ARROWS: dict[str, set[str]] = {
    room: set(imports.split())
    for room, imports in {
        "rpcrdma": "",
        "rpcrdma.errors": "",
        "rpcrdma.xdr": "rpcrdma.errors",
        "rpcrdma.wire": "rpcrdma.errors rpcrdma.xdr",
        "rpcrdma.ulp": "rpcrdma.errors rpcrdma.xdr rpcrdma.wire",
        "rpcrdma.fabric": "rpcrdma.errors",
        "rpcrdma.roce": (
            "rpcrdma.errors rpcrdma.fabric rpcrdma.roce.packet rpcrdma.roce.transport "
            "rpcrdma.roce.cm rpcrdma.roce.link"
        ),
        "rpcrdma.roce.packet": "rpcrdma.errors",
        "rpcrdma.roce.transport": "rpcrdma.errors rpcrdma.fabric rpcrdma.roce.packet",
        "rpcrdma.roce.cm": "rpcrdma.errors rpcrdma.roce.packet",
        "rpcrdma.roce.link": "rpcrdma.errors rpcrdma.fabric rpcrdma.roce.packet",
        "rpcrdma.endpoint.core": "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric",
        "rpcrdma.endpoint.properties": "rpcrdma.errors rpcrdma.wire rpcrdma.endpoint.core",
        "rpcrdma.endpoint.requester": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.endpoint.core "
            "rpcrdma.endpoint.properties"
        ),
        "rpcrdma.endpoint.responder": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.fabric "
            "rpcrdma.endpoint.core rpcrdma.endpoint.properties"
        ),
        "rpcrdma.endpoint.backward": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.endpoint.core "
            "rpcrdma.endpoint.properties rpcrdma.endpoint.requester rpcrdma.endpoint.responder"
        ),
        "rpcrdma.endpoint.negotiation": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.endpoint.core rpcrdma.endpoint.properties "
            "rpcrdma.endpoint.requester rpcrdma.endpoint.backward"
        ),
        "rpcrdma.endpoint.ends": (
            "rpcrdma.errors rpcrdma.ulp rpcrdma.fabric rpcrdma.endpoint.core "
            "rpcrdma.endpoint.requester rpcrdma.endpoint.backward"
        ),
        "rpcrdma.endpoint": (
            "rpcrdma.endpoint.core rpcrdma.endpoint.requester rpcrdma.endpoint.responder "
            "rpcrdma.endpoint.backward rpcrdma.endpoint.ends"
        ),
        "reports": "",
        "reports.record": "",
        "reports.stream": "reports.record",
        "reports.baseline": "reports.record",
        "reports.baseline_file": "reports.record reports.baseline",
        "reports.summary": "reports.record reports.baseline",
        "reports.capture": "rpcrdma.errors rpcrdma.fabric rpcrdma.roce.packet",
        "reports.render": "reports.record reports.baseline reports.summary",
        "reports.compare": (
            "reports.record reports.baseline reports.baseline_file reports.summary reports.render"
        ),
        "targets": "",
        "targets.base": "rpcrdma.fabric targets.profile",
        "targets.profile": "rpcrdma.wire targets.base targets.acts",
        "targets.acts": "targets.base",
        "targets.device_address": "rpcrdma.errors",
        "targets.python_path": "",
        "targets.fabrics": (
            "rpcrdma.errors rpcrdma.fabric rpcrdma.roce rpcrdma.roce.link targets.profile "
            "targets.device_address targets.python_path"
        ),
        "targets.in_process": "rpcrdma.fabric rpcrdma.roce targets.base",
        "targets.ping": "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric",
        "targets.tested_versions": "",
        "targets.lab": (
            "rpcrdma.ulp targets.profile targets.device_address targets.fabrics "
            "targets.python_path targets.tested_versions"
        ),
        "targets.standing": (
            "rpcrdma.ulp targets.base targets.profile targets.acts targets.python_path targets.lab"
        ),
        "targets.kernel_log": "targets.lab",
        "targets.network": (
            "rpcrdma.fabric targets.base targets.profile targets.fabrics targets.lab"
        ),
        "targets.reference": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.roce "
            "rpcrdma.roce.transport rpcrdma.endpoint.core rpcrdma.endpoint.properties "
            "rpcrdma.endpoint.requester rpcrdma.endpoint.responder rpcrdma.endpoint.backward "
            "rpcrdma.endpoint.negotiation rpcrdma.endpoint.ends targets.base targets.profile "
            "targets.fabrics targets.in_process"
        ),
        "targets.nfs": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.endpoint.responder "
            "rpcrdma.endpoint.ends targets.base targets.reference"
        ),
        "targets.upper_tester": (
            "rpcrdma.ulp rpcrdma.fabric targets.base targets.profile targets.acts "
            "targets.fabrics targets.kernel_log targets.nfs"
        ),
        "targets.shared": "targets.base targets.profile",
        "targets.guest_share": (
            "rpcrdma.fabric rpcrdma.roce rpcrdma.roce.link targets.profile targets.lab "
            "targets.standing targets.network targets.shared"
        ),
        "targets.guest_device": (
            "rpcrdma.errors rpcrdma.ulp rpcrdma.fabric rpcrdma.roce targets.base targets.ping "
            "targets.profile targets.lab targets.standing targets.network targets.nfs "
            "targets.upper_tester targets.guest_share"
        ),
        "targets.placed": "targets.base targets.lab targets.standing targets.guest_device",
        "targets.mutants": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.roce "
            "rpcrdma.roce.packet rpcrdma.roce.transport rpcrdma.endpoint.core "
            "rpcrdma.endpoint.properties rpcrdma.endpoint.requester rpcrdma.endpoint.responder "
            "rpcrdma.endpoint.backward rpcrdma.endpoint.negotiation targets.base targets.profile "
            "targets.reference"
        ),
        "targets.variants": (
            "rpcrdma.wire rpcrdma.ulp rpcrdma.endpoint.core rpcrdma.endpoint.properties "
            "rpcrdma.endpoint.requester rpcrdma.endpoint.responder rpcrdma.endpoint.backward "
            "targets.base targets.profile targets.reference"
        ),
        "targets.registry": (
            "targets.base targets.profile targets.network targets.upper_tester targets.mutants "
            "targets.variants"
        ),
        "conformance": "",
        "conformance.bad_input": "",
        "conformance.strategies": "rpcrdma.xdr rpcrdma.wire",
        "conformance.catalogue": "reports.record conformance.bad_input",
        "conformance.oracle": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp reports.record conformance.catalogue"
        ),
        "conformance.oracle.responder": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp reports.record conformance.catalogue "
            "conformance.oracle"
        ),
        "conformance.oracle.requester": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp reports.record conformance.oracle "
            "conformance.oracle.responder"
        ),
        "conformance.tester": (
            "rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.roce.packet rpcrdma.roce.link "
            "reports.record targets.base targets.profile conformance.oracle "
            "conformance.oracle.responder"
        ),
        "conformance.tester.workload": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp targets.base targets.profile targets.nfs "
            "conformance.tester"
        ),
        "conformance.tester.client": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.fabric targets.base "
            "targets.profile conformance.oracle conformance.oracle.responder conformance.tester "
            "conformance.tester.workload"
        ),
        "conformance.tester.server": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric targets.base targets.profile "
            "conformance.oracle conformance.oracle.requester conformance.tester"
        ),
        "conformance.verify": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric reports.record targets.base "
            "conformance.catalogue conformance.oracle conformance.oracle.responder "
            "conformance.oracle.requester conformance.tester conformance.tester.client "
            "conformance.tester.server"
        ),
        "conformance.backward": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp targets.base targets.profile "
            "conformance.catalogue conformance.oracle conformance.tester "
            "conformance.tester.client conformance.tester.server conformance.verify"
        ),
        "conformance.options": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp targets.base targets.profile "
            "conformance.catalogue conformance.oracle conformance.tester "
            "conformance.tester.client conformance.tester.server conformance.verify"
        ),
        "conformance.scenarios": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric targets.base "
            "conformance.catalogue conformance.oracle conformance.oracle.responder "
            "conformance.tester conformance.tester.workload conformance.tester.client "
            "conformance.tester.server conformance.verify conformance.backward "
            "conformance.options"
        ),
        "conformance.suite": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.fabric reports.record reports.stream "
            "reports.capture reports.render targets.base targets.profile targets.lab "
            "targets.shared targets.registry conformance.catalogue conformance.tester "
            "conformance.tester.workload conformance.tester.client conformance.tester.server "
            "conformance.options conformance.scenarios"
        ),
        "conformance.explore": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.fabric "
            "rpcrdma.endpoint.core rpcrdma.endpoint.properties rpcrdma.endpoint.requester "
            "rpcrdma.endpoint.backward rpcrdma.endpoint.negotiation rpcrdma.endpoint.ends "
            "reports.record targets.base targets.profile targets.reference conformance.bad_input "
            "conformance.catalogue conformance.oracle conformance.oracle.responder "
            "conformance.oracle.requester conformance.tester conformance.tester.workload "
            "conformance.tester.client conformance.tester.server conformance.backward"
        ),
        "conformance.proof": (
            "reports.record targets.base targets.mutants targets.registry conformance.catalogue "
            "conformance.oracle conformance.oracle.responder conformance.tester "
            "conformance.tester.server conformance.suite"
        ),
        "conformance.cli": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.fabric reports.record "
            "reports.stream reports.baseline reports.baseline_file reports.summary "
            "reports.render reports.compare targets.base targets.profile targets.fabrics "
            "targets.ping targets.lab targets.standing targets.reference targets.placed "
            "targets.mutants targets.variants targets.registry conformance.bad_input "
            "conformance.catalogue conformance.tester conformance.tester.client "
            "conformance.suite conformance.explore conformance.proof"
        ),
        "fuzz": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.roce "
            "rpcrdma.roce.packet rpcrdma.roce.transport rpcrdma.roce.cm rpcrdma.roce.link "
            "rpcrdma.endpoint.core rpcrdma.endpoint.responder reports.record reports.stream "
            "targets.base targets.profile targets.fabrics targets.tested_versions targets.lab "
            "targets.reference targets.placed targets.registry conformance.bad_input "
            "conformance.oracle "
            "conformance.oracle.responder conformance.tester conformance.tester.client "
            "conformance.suite conformance.explore"
        ),
        "benchmarks": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.endpoint.core "
            "rpcrdma.endpoint.ends targets.base targets.fabrics targets.in_process targets.lab "
            "targets.reference"
        ),
    }.items()
}
"""Room -> the rooms that it imports from."""

DRAWING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

SEALED = {
    "conformance.oracle": ("rpcrdma.endpoint", "rpcrdma.fabric", "targets", "pytest"),
    "conformance.tester": ("rpcrdma.endpoint", "conformance.verify", "pytest"),
    "rpcrdma": ("reports", "targets", "conformance", "fuzz", "pytest"),
}
"""What must never come into a room, however its arrows are drawn, and why it is said twice: an
oracle that asks a device, or a library that knows of tests, would still look right in a drawing."""


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def room_of(module: str) -> str:
    """The most particular room that a module belongs to."""
    return max((room for room in ARROWS if within(module, room)), key=len)


def forbidden(module: str, imported: set[str]) -> set[str]:
    room = room_of(module)
    return {name for name in imported if room_of(name) not in ARROWS[room] | {room}}


def smuggled(module: str, imported: set[str]) -> set[str]:
    kept_out = [name for room, names in SEALED.items() if within(module, room) for name in names]
    return {name for name in imported if any(within(name, entry) for entry in kept_out)}


def test_imports_follow_the_arrows() -> None:
    """A module imports only from its own room and along the arrows of that."""
    wrong = {
        module: found
        for path in FILES
        for module in [module_of(path)]
        if (found := forbidden(module, ours(imports(path))) | smuggled(module, set(imports(path))))
    }
    assert not wrong


def followed() -> dict[str, set[str]]:
    """Room -> the rooms that its files do import from."""
    found: dict[str, set[str]] = {room_of(module_of(path)): set() for path in FILES}
    for path in FILES:
        room = room_of(module_of(path))
        found[room] |= {room_of(name) for name in ours(imports(path))} - {room}
    return found


def test_every_arrow_is_followed() -> None:
    """A room that nothing is in, or an arrow that nobody follows, is a wish and no rule."""
    assert followed() == ARROWS


def shown(room: str) -> str:
    """The name of a room in the drawing."""
    return ("targets.base" if room in DEVICE else room).replace(".", "/")


def condensed() -> dict[str, set[str]]:
    """The arrows between the rooms of the drawing."""
    arrows: dict[str, set[str]] = defaultdict(set)
    for room, imported in ARROWS.items():
        arrows[shown(room)] |= {shown(name) for name in imported} - {shown(room)}
    return dict(arrows)


def essential() -> set[tuple[str, str]]:
    """The arrows to rooms that no other arrow leads to."""
    arrows = condensed()

    @cache
    def reach(room: str) -> frozenset[str]:
        return frozenset(arrows[room]).union(*map(reach, arrows[room]))

    return {
        (room, name)
        for room, names in arrows.items()
        for name in names
        if not any(name in reach(other) for other in names)
    }


def drawn() -> set[tuple[str, str]]:
    """The arrows of the drawing: lines of `room -> room, room`."""
    block = DRAWING.split("```")[1]
    lines = [line.split(" -> ") for line in block.strip().splitlines()]
    return {(room.strip(), name) for room, names in lines for name in names.split(", ")}


def test_the_drawing_shows_these_arrows() -> None:
    assert drawn() == essential()


def test_arrows_make_no_circle_over_more_than_one_folder() -> None:
    """The files of a device name one another's types; nothing else may."""
    assert circle(condensed()) == []


def test_modules_make_no_circle_at_run_time() -> None:
    modules = {
        module_of(path): ours(imports(path, types=False)) - {module_of(path)} for path in WRITTEN
    }
    assert circle(modules) == []


def circle(arrows: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_files_are_short_enough_to_read() -> None:
    """No file that a person writes is longer than the limit."""
    lengths = {module_of(path): len(path.read_text().splitlines()) for path in WRITTEN}
    assert {module: lines for module, lines in lengths.items() if lines > MOST_LINES} == {}


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
