"""Edits of an input's tree: each changes one thing, and keeps the rest as a decoder wants it.

An edit returns the new octets, or None where the tree has nothing that it could be done to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.structure.grow import SEGMENT, grow, grow_arm, padded
from fuzz.structure.numbers import draw_number, draw_segment
from fuzz.structure.scene import elements, type_number
from fuzz.structure.segments import beside, split
from rpcrdma.xdr import model
from rpcrdma.xdr.spoil import spoil_node
from rpcrdma.xdr.tree import Kind, Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.structure.scene import Scene

    Edit = Callable[[Scene], bytes | None]

__all__ = ["EDITS", "edit", "splice"]

_ATTEMPTS: Final = 4
"""Edits that are tried on a tree, until one finds what it needs."""

_COPIES: Final = (*(1, 2, 3) * 5, 7, 15, 31, 64)
"""How many copies an element gets; many are rare, since they make every later mutation slow."""

_SPOILABLE: Final = frozenset({Kind.FLAG, Kind.BOOLEAN, Kind.COUNT, Kind.ENUM, Kind.DISCRIMINANT})


def edit(scene: Scene, maximum: int) -> bytes | None:
    """The input after one edit; None where some were tried, and none changed it or fitted.

    Args:
        scene: the input.
        maximum: octets of what is returned, at most.
    """
    for _ in range(_ATTEMPTS):
        made = scene.draw.choice(_WEIGHTED)(scene)
        if made is not None and made != scene.tree.octets and len(made) <= maximum:
            return made
    return None


def splice(scene: Scene, donor: Scene) -> bytes | None:
    """An item of another input in the place of one of the same type; None where none is."""
    given: dict[int, list[Node]] = {}
    for node in donor.nodes:
        if node.item is not None and node.length:
            given.setdefault(type_number(node.item), []).append(node)
    place = scene.pick(lambda node: node.item is not None and type_number(node.item) in given)
    if place is None or place.item is None:
        return None
    new = scene.draw.choice(given[type_number(place.item)])
    return scene.put(place, donor.tree.octets[new.offset : new.end])


def _breach(scene: Scene) -> bytes | None:
    """One rule broken, out of the table that the strategies use."""
    node = scene.pick(lambda node: node.kind in _SPOILABLE)
    ways = list(spoil_node(scene.tree, node)) if node else []
    return scene.draw.choice(ways).octets if ways else None


def _cut(scene: Scene) -> bytes | None:
    """The end cut off, before an item or a little beside that."""
    node = scene.draw.choice(scene.nodes)
    end = max(0, node.offset + scene.draw.choice((0, 0, 1, -1, 4, -4)))
    return scene.tree.octets[:end]


def _number(scene: Scene) -> bytes | None:
    """A number at one of its limits, beside what it was, or alive."""
    node = scene.pick(lambda node: node.kind is Kind.INTEGER)
    if node is None or not isinstance(node.item, model.Integer):
        return None
    old = node.value if isinstance(node.value, int) else 0
    number = draw_number(scene.draw, node.item, node.name, old)
    if not node.item.signed and scene.draw.randrange(8) == 0:
        # What follows the header is what the lengths and Positions in it are about.
        rest = len(scene.tree.octets) - scene.tree.root.end
        number = (rest + scene.draw.choice((0, -4, -1, 1, 4))) % 2**node.item.bits
    return scene.tree.set(node, number)


def _segment(scene: Scene) -> bytes | None:
    """A segment in memory that is alive, or just beside it."""
    node = scene.pick(lambda node: node.label == SEGMENT)
    return None if node is None else scene.put(node, draw_segment(scene.draw))


def _choice(scene: Scene) -> bytes | None:
    """Another member of an enumeration; another boolean."""
    node = scene.pick(lambda node: node.kind in {Kind.ENUM, Kind.BOOLEAN})
    if node is None or node.item is None:
        return None
    return scene.put(node, grow(scene.schema, node.item, scene.draw))


def _arm(scene: Scene) -> bytes | None:
    """Another arm of a union, mostly with a body of its own and sometimes with the old one."""
    node = scene.pick(lambda node: node.kind is Kind.UNION)
    if node is None or not isinstance(node.item, model.Union):
        return None
    arm = scene.draw.choice(model.arms_of(node.item))
    made = grow_arm(scene.schema, node.item, arm, scene.draw)
    if scene.draw.randrange(3) == 0:
        made = made[:4] + scene.tree.octets[node.offset + 4 : node.end]
    return scene.put(node, made)


def _presence(scene: Scene) -> bytes | None:
    """What is optional taken away, or put in."""
    node = scene.pick(lambda node: node.kind is Kind.OPTIONAL and bool(node.children))
    if node is None or not isinstance(node.item, model.Optional):
        return None
    if node.children[0].value:
        return scene.put(node, bytes(4))
    return scene.put(node, b"\0\0\0\1" + grow(scene.schema, node.item.element, scene.draw))


def _renewed(scene: Scene) -> bytes | None:
    """Any item drawn anew, with all that is in it."""
    node = scene.pick(lambda node: node.item is not None and node is not scene.tree.root)
    if node is None or node.item is None:
        return None
    return scene.put(node, grow(scene.schema, node.item, scene.draw, node.name))


def _twin(scene: Scene) -> bytes | None:
    """An item of the input in the place of another one of its type."""
    return splice(scene, scene)


def _miscount(scene: Scene) -> bytes | None:
    """A count or length that disagrees by one with what it counts."""
    node = scene.pick(
        lambda node: (
            node.kind in {Kind.COUNT, Kind.TEXT} or (node.kind is Kind.OPAQUE and not _fixed(node))
        )
    )
    if node is None:
        return None
    octets = scene.tree.octets
    word = octets[node.offset : node.offset + 4]
    more = scene.draw.choice((-1, 1, 1, 4))
    wrong = (int.from_bytes(word, "big") + more) % 2**32
    return octets[: node.offset] + wrong.to_bytes(4, "big") + octets[node.offset + 4 :]


def _opaque(scene: Scene) -> bytes | None:
    """Other octets in an opaque field or text: longer, shorter, one changed, padding set."""
    node = scene.pick(lambda node: node.kind in {Kind.OPAQUE, Kind.TEXT})
    if node is None:
        return None
    draw, lead = scene.draw, 0 if _fixed(node) else 4
    body = scene.tree.octets[node.offset + lead : node.end]
    if not lead or draw.randrange(4) == 0:
        if not body:
            return None
        place = draw.randrange(len(body))
        body = body[:place] + draw.randbytes(1) + body[place + 1 :]
        return scene.put(node, scene.tree.octets[node.offset : node.offset + lead] + body)
    held = int.from_bytes(scene.tree.octets[node.offset : node.offset + 4], "big")
    kept = body[: draw.choice((0, held // 2, max(held - 1, 0), held, held))]
    new = kept + draw.randbytes(draw.choice((0, 1, 2, 4, 40)))
    return scene.put(node, len(new).to_bytes(4, "big") + padded(new))


def _fixed(node: Node) -> bool:
    return node.kind is Kind.OPAQUE and node.label == "fixed"


def _added(scene: Scene) -> bytes | None:
    """One more element, drawn anew, with the count that it needs."""
    node = scene.pick(lambda node: node.kind in {Kind.LIST, Kind.ARRAY} and bool(node.children))
    if node is None or not isinstance(node.item, model.LinkedList | model.VariableArray):
        return None
    held = len(node.children) - 1
    element = grow(scene.schema, node.item.element, scene.draw, node.name)
    return scene.closed(node, scene.tree.insert(node, scene.draw.randint(0, held), element))


def _dropped(scene: Scene) -> bytes | None:
    """One element less, with the count that it needs."""
    node = scene.pick(lambda node: bool(elements(node)))
    if node is None or (node.label == "nonempty" and len(elements(node)) == 1):
        return None
    index = scene.draw.randrange(min(len(elements(node)), len(node.children) - 1) or 1)
    return scene.closed(node, scene.tree.remove(node, index)) if len(node.children) > 1 else None


def _repeated(scene: Scene) -> bytes | None:
    """One element again, once or many times, with the count that it needs."""
    node = scene.pick(lambda node: bool(elements(node)))
    if node is None or node.label == "nonempty":
        return None
    chosen = scene.draw.choice(elements(node))
    octets = scene.tree.octets
    copies = scene.draw.choice(_COPIES)
    more = octets[chosen.offset : chosen.end] * copies
    made = octets[: chosen.end] + more + octets[chosen.end :]
    if node.kind is Kind.ARRAY:
        count = node.children[0]
        total = (int(count.value or 0) + copies) % 2**32
        made = made[: count.offset] + total.to_bytes(4, "big") + made[count.end :]
    return scene.closed(node, made)


def _swapped(scene: Scene) -> bytes | None:
    """Two elements of a list in each other's place."""
    node = scene.pick(lambda node: len(elements(node)) > 1)
    if node is None:
        return None
    held = elements(node)
    first, second = sorted(scene.draw.sample(range(len(held)), 2))
    one, other = held[first], held[second]
    octets = scene.tree.octets
    return (
        octets[: one.offset]
        + octets[other.offset : other.end]
        + octets[one.end : other.offset]
        + octets[one.offset : one.end]
        + octets[other.end :]
    )


EDITS: Final[dict[Edit, int]] = {
    _breach: 2,
    _cut: 1,
    _number: 4,
    _segment: 2,
    _choice: 1,
    _arm: 2,
    _presence: 2,
    _renewed: 2,
    _twin: 2,
    _miscount: 2,
    _opaque: 2,
    _added: 3,
    _dropped: 2,
    _repeated: 2,
    _swapped: 1,
    beside: 2,
    split: 2,
}
"""Edit -> how often it is chosen, in parts."""

_WEIGHTED: Final = tuple(edit for edit, parts in EDITS.items() for _ in range(parts))
