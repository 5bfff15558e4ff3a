"""Variants: the reference endpoint with one lawful choice made otherwise.

    @variant("rfc8166.3.3.1.grant-is-never-zero")
    class GrantsOneCredit(ReplyRules):
        \"\"\"Grants one credit, however many are requested.\"\"\"

A mutant shows that the suite notices what is wrong.  A variant shows that it lets pass what is
right: implementations differ where the documents let them, and none may fail for not being ours.
So no case may fail or warn about a variant, and all are decided as they are about the reference,
but for those that `leaves_open` names, with the reason.

A variant is a subclass of a part of the server or the client, as a mutant is, and may override any
number of methods.  Its docstring is the choice in one sentence.  Its name on the command line is
`variant:` and the class name in kebab case, `variant:grants-one-credit`; it lives where the
reference does: on loopback in the tester's own process, over `roce` and `verbs` in one of its own
(`targets.variants.process`).  `variants()` finds those of all modules of this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

import targets.variants
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.fabric.memory import HandleAllocator
from targets.base import TargetError
from targets.reference.client import ReferenceClientTarget
from targets.reference.client_parts import ClientParts
from targets.reference.replaced_parts import (
    Part,
    Registry,
    ends_with,
    profile_without,
    sentence_of,
)
from targets.reference.server import ReferenceTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.endpoint.core.reductions import Reductions
    from targets.profile import Profile
    from targets.reference.server_parts import Parts

__all__ = ["PREFIX", "Variant", "find_variant", "variant", "variant_target", "variants"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One endpoint that is as good as the reference.

    Attributes:
        slug: its name, without the prefix.
        allowed_by: id of the requirement that leaves the choice, or of an interpretation.
        choice: in one sentence.
        parts: of which the server, or the client, is made.
        leaves_open: (beginning of case ids, why they cannot be decided as for the reference) pairs.
        without: optional operations that it neither supports nor claims, by name.
        documents: short names of those in which its choice shows, with commas; empty: to be told
            by what allows it.
    """

    slug: str
    allowed_by: str
    choice: str
    parts: Parts | ClientParts
    leaves_open: tuple[tuple[str, str], ...] = ()
    without: tuple[str, ...] = ()
    documents: str = ""

    @property
    def profile_name(self) -> str:
        """Of the shipped profile whose claims it makes."""
        return "reference-client" if isinstance(self.parts, ClientParts) else "reference"

    @property
    def runs_between_processes(self) -> bool:
        """Whether it can be a process of its own: not if its choice is how handles are made."""
        own = self.parts.allocator if isinstance(self.parts, ClientParts) else HandleAllocator
        return own is HandleAllocator

    @property
    def sees_to_properties(self) -> bool:
        """Whether it deals otherwise with transport properties."""
        return self.parts.properties is not PropertyRules

    def explanation(self, case: str) -> str:
        """Why a case is not decided as for the reference; empty if it should be."""
        return next((why for ids, why in self.leaves_open if case.startswith(ids)), "")


_registry: Final[Registry[Variant]] = Registry(targets.variants, "variant")

PREFIX: Final = _registry.prefix
"""What the name of a variant's target begins with."""


def variant(
    allowed_by: str,
    *,
    leaves_open: Mapping[str, str] | None = None,
    roles: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
    reductions: Reductions | None = None,
    also: tuple[type[object], ...] = (),
    documents: str = "",
) -> Callable[[type[Part]], type[Part]]:
    """Register a variant.

    Args:
        allowed_by: id of the requirement that leaves the choice, or of an interpretation.
        leaves_open: what ids of cases begin with that say nothing about such an endpoint, or do
            not apply to it, and why.
        roles: in which it acts, for a part that both ends have; a variant for each, and that of the
            client has `-at-client` after its name.
        without: names of optional operations that it neither supports nor claims.
        reductions: how it reduces round trips, where that is not as the reference does.
        also: further parts that are not the reference's.
        documents: in which its choice shows: by day it is judged by their cases alone.

    Raises:
        ValueError: the name is taken, or the class is no part of the reference, or has no
            docstring.
    """
    notes = tuple((leaves_open or {}).items())

    def register(chosen: type[Part]) -> type[Part]:
        for slug, parts in ends_with(chosen, roles, without, reductions, also):
            choice = sentence_of(chosen)
            _registry.add(Variant(slug, allowed_by, choice, parts, notes, without, documents))
        return chosen

    return register


def variants() -> tuple[Variant, ...]:
    """Every variant of this package, by name."""
    return _registry.every()


def find_variant(slug: str) -> Variant:
    """The variant of this name, with or without the prefix.

    Raises:
        TargetError: there is none.
    """
    return _registry.find(slug)


def variant_target(
    slug: str, profile: Profile, fabric: str = ""
) -> ReferenceTarget | ReferenceClientTarget:
    """The target that a variant is.

    Args:
        slug: with or without the prefix.
        profile: of the reference endpoint in its role, whose claims a variant makes.
        fabric: `loopback`, or empty for it; `roce` or `verbs`.

    Raises:
        TargetError: there is no such variant, or it does not run on that fabric.
    """
    found = find_variant(slug)
    if fabric == "switch":
        # Who sends late is woken by loopback's clock, or by that of the machine.
        raise TargetError("a variant runs on loopback, roce or verbs, not on switch")
    name = f"{PREFIX}{found.slug}"
    named = msgspec.structs.replace(profile_without(profile, found.without), name=name)
    if isinstance(found.parts, ClientParts):
        return ReferenceClientTarget(named, fabric, parts=found.parts, replaced=name)
    return ReferenceTarget(named, fabric, parts=found.parts, replaced=name)
