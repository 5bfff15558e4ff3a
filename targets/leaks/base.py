"""Leaks: the reference endpoint, which wastes one thing and breaks no requirement.

    @leak(Resource.REGIONS, "connection")
    class KeepsARegionOfEachConnection(Driver):
        \"\"\"Leaves one region registered of each connection.\"\"\"

A mutant is found by a verdict.  No document says how much a device may hold, so a leak is found by
a note: every case says of it what it says of the reference, and those of rfc8166 8.1.4 that make
many of one kind tell what it loses.  The reference has no such note.

A leak is a subclass of a part of the reference that overrides one method; its docstring is one
sentence.  Its name on the command line is `leak:` and the class name in kebab case, with
`-at-client` for a client with what both ends have.  It lives where a mutant does: on loopback in
the tester's own process, over `roce` in one of its own (`targets.leaks.process`), where what it
keeps is memory of the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

import targets.leaks
from targets.base import TargetError
from targets.reference.client import ReferenceClientTarget
from targets.reference.client_parts import ClientParts
from targets.reference.replaced_parts import Part, Registry, ends_with, sentence_of
from targets.reference.server import ReferenceTarget

if TYPE_CHECKING:
    from collections.abc import Callable

    from targets.profile import Profile
    from targets.reference.server_parts import Parts
    from targets.usage import Resource

__all__ = ["PREFIX", "Leak", "find_leak", "leak", "leak_target", "leaks"]


@dataclass(frozen=True, slots=True)
class Leak:
    """One endpoint that wastes something.

    Attributes:
        slug: its name, without the prefix.
        resource: what it loses; None for time.
        item: with each of which it loses some, as the note calls it.
        fabric: on which it shows, and on which it runs unless another is asked for.
        waste: in one sentence.
        parts: of which the server, or the client, is made.
    """

    slug: str
    resource: Resource | None
    item: str
    fabric: str
    waste: str
    parts: Parts | ClientParts

    @property
    def profile_name(self) -> str:
        """Of the shipped profile whose claims it makes."""
        return "reference-client" if isinstance(self.parts, ClientParts) else "reference"


_registry: Final[Registry[Leak]] = Registry(targets.leaks, "leak")

PREFIX: Final = _registry.prefix
"""What the name of a leak's target begins with."""


def leak(
    resource: Resource | None, item: str, fabric: str = "loopback", *, roles: tuple[str, ...] = ()
) -> Callable[[type[Part]], type[Part]]:
    """Register a leak.

    Args:
        resource: what it loses; None for time.
        item: with each of which it loses some, as the note calls it.
        fabric: on which it shows.
        roles: in which it acts, for a part that both ends have.

    Raises:
        ValueError: the name is taken, or the class is no part of the reference, or without a
            docstring.
    """

    def register(wasteful: type[Part]) -> type[Part]:
        for slug, parts in ends_with(wasteful, roles):
            _registry.add(Leak(slug, resource, item, fabric, sentence_of(wasteful), parts))
        return wasteful

    return register


def leaks() -> tuple[Leak, ...]:
    """Every leak of this package, by name."""
    return _registry.every()


def find_leak(slug: str) -> Leak:
    """The leak of this name, with or without the prefix.

    Raises:
        TargetError: there is none.
    """
    return _registry.find(slug)


def leak_target(
    slug: str, profile: Profile, fabric: str = ""
) -> ReferenceTarget | ReferenceClientTarget:
    """The target that a leak is.

    Args:
        slug: with or without the prefix.
        profile: of the reference in its role.
        fabric: by name, or empty for the one on which it shows.

    Raises:
        TargetError: there is no such leak, or it shows on another fabric.
    """
    found = find_leak(slug)
    if fabric not in ("", found.fabric):
        raise TargetError(f"`{PREFIX}{found.slug}` shows on {found.fabric}, not on {fabric}")
    name = f"{PREFIX}{found.slug}"
    named = msgspec.structs.replace(profile, name=name)
    if isinstance(found.parts, ClientParts):
        return ReferenceClientTarget(named, found.fabric, parts=found.parts, replaced=name)
    return ReferenceTarget(named, found.fabric, parts=found.parts, replaced=name)
