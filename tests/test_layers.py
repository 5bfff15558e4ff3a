"""The layers of the project: imports point downward only, and no file grows beyond reading.

The arrows between rooms are those of `tests.arrows`, and none that nobody follows.  The drawing in
CONTRIBUTING.md shows the same, but for arrows to rooms that others of its arrows lead to.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.arrows import ARROWS
from tests.importing import FILES, ROOT, WRITTEN, imports, module_of, ours

MOST_LINES = 400

DEVICE = {"targets.base", "targets.profile", "targets.acts"}
"""Files that name one another's types: one room in the drawing."""

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
        ("reports.record", "reports.pages.run_pages", True),
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
