"""Mutants: the reference endpoint with exactly one behaviour broken.

    @mutant(breaks="rfc8166.3.3.1.grant-is-never-zero")
    class GrantsZero(ReplyRules):
        \"\"\"Grants no credit at all.\"\"\"

        def grant(self, requested: int, posted: int) -> int:
            return 0

A mutant is a subclass of one part of the server (`CallRules`, `ReplyRules`, `Responder`, for
requests in groups `RequestGroups`, `GroupRules`, `GroupReplies`, and for backward Calls
`BackwardRequester`, `Backchannel`, `DirectionRules`, `Duplex`; their docstrings list the methods
that are made for it) or of the client (`RequestRules`, `CallPlanner`, `Allowance`, `GroupPlanner`,
`Requester`, `Retransmission`, `XidSource`, on loopback `HandleAllocator`, and for backward Calls
`ClientDuplex`, `BackwardResponder`, `BackwardCallRules`, `BackwardReplyRules`), or of both
(`OptionalHalf`, `PropertyRules`, `Assembler`), and overrides one method.  Its docstring is the
deviation in one sentence; `without` names claims of the
reference's profile that it does not make.  Where one behaviour is what several requirements are
about, `also_trips` says for each further one, or for a section of them, why it is broken as well;
`targets.mutants.because` has the explanations that recur.  Its name on the command line is
`mutant:` and the class name in kebab case: `mutant:grants-zero`.  `mutants()` finds those of all
modules of this package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import msgspec

import targets.mutants
from targets.base import TargetError
from targets.reference.client import ReferenceClientTarget
from targets.reference.client_parts import ClientParts
from targets.reference.replaced_parts import Part, Registry, ends_with, profile_without, sentence_of
from targets.reference.server import ReferenceTarget
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.endpoint.core.reductions import Reductions
    from targets.profile import Profile

__all__ = [
    "PREFIX",
    "Mutant",
    "find_client_parts",
    "find_mutant",
    "find_responder_parts",
    "mutant",
    "mutant_target",
    "mutants",
    "registered",
]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken endpoint.

    Attributes:
        slug: its name, without the prefix.
        breaks: id of the requirement that it breaks.
        deviation: in one sentence.
        parts: of which the Responder, or the client, is made.
        also_trips: (beginning of requirement ids, why these are broken, too) pairs.
        role: in which it acts, `requester` or `responder`.
        without: claims of the reference's profile that it does not make, and operations of the
            transport properties that it does not support.
        versions: that it speaks and claims; none: those of the reference.
        wire: it shows where packets are lost, damaged or doubled, or where a connection ends
            in the middle of a message.
        method: of the reference that it has broken, `module:Class.method`, if it is the reference
            in all else and on loopback; else empty.
    """

    slug: str
    breaks: str
    deviation: str
    parts: Parts | ClientParts
    also_trips: tuple[tuple[str, str], ...] = ()
    role: str = "responder"
    without: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    wire: bool = False
    method: str = ""

    @property
    def fabric(self) -> str:
        """On which it runs unless another is asked for."""
        return "switch" if self.wire or self.parts.transport is not None else "loopback"

    @property
    def profile_name(self) -> str:
        """Of the shipped profile whose claims it makes and breaks."""
        return "reference-client" if isinstance(self.parts, ClientParts) else "reference"

    def explanation(self, requirement: str) -> tuple[str, str] | None:
        """The entry of `also_trips` that says why a requirement is broken, too, if there is one.

        An id comes before what ids begin with, and the longer beginning before the shorter.
        """
        found = (entry for entry in self.also_trips if requirement.startswith(entry[0]))
        return max(found, key=lambda entry: len(entry[0]), default=None)


_registry: Final[Registry[Mutant]] = Registry(targets.mutants, "mutant")

_TRIPS_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})

_NOWHERE: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({})

_IN_A_SECTION: Final = re.compile(r"\w+\.\d")
"""How an id begins that names more than its document."""

PREFIX: Final = _registry.prefix
"""What the name of a mutant's target begins with."""


def mutant(
    *,
    breaks: str,
    also_trips: Mapping[str, str] = _TRIPS_NOTHING,
    trips_at: Mapping[str, Mapping[str, str]] = _NOWHERE,
    without: tuple[str, ...] = (),
    roles: tuple[str, ...] = (),
    versions: tuple[int, ...] = (),
    wire: bool = False,
    reductions: Reductions | None = None,
) -> Callable[[type[Part]], type[Part]]:
    """Register a mutant.

    Args:
        breaks: id of the requirement that it breaks.
        also_trips: ids of further requirements, or what the ids of a section begin with, and why
            the same deviation breaks these or hides what a case about them looks at.
        trips_at: by role, likewise what a part that both ends have trips in that end alone.
        without: claims that the mutant does not make: it is told by what it does not support; or
            operations of the transport properties, by the names that profiles have for them.
        roles: in which it acts, for a part that both ends have; a mutant for each, and that of the
            client has `-at-client` after its name.
        versions: that the mutant speaks and claims, where these are not those of the reference.
        reductions: how the mutant reduces round trips, where that is not as the reference does.
        wire: it takes faults of the wire to show it; it runs over RoCEv2 packets.  So does
            whatever is broken in the transport itself.

    Raises:
        ValueError: the name is taken, or the class does not override exactly one method, or has
            no docstring; or an explanation is about a whole document, and so about anything.
    """
    for ids in chain(also_trips, *trips_at.values()):
        if not _IN_A_SECTION.match(ids):
            raise ValueError(f"also_trips: `{ids}` names no section of a document")

    def register(broken: type[Part]) -> type[Part]:
        method = _overridden(broken)
        what = sentence_of(broken)
        for slug, parts in ends_with(broken, roles, without, reductions):
            role = "requester" if isinstance(parts, ClientParts) else "responder"
            why = tuple({**also_trips, **trips_at.get(role, {})}.items())
            made = Mutant(slug, breaks, what, parts, why, role, without, versions, wire)
            is_alone = made.fabric == "loopback" and not (without or versions or reductions)
            _registry.add(replace(made, method=method if is_alone else ""))
        return broken

    return register


def registered() -> tuple[Mutant, ...]:
    """The mutants of the modules that are imported, by name."""
    return _registry.imported()


def mutants() -> tuple[Mutant, ...]:
    """Every mutant of this package, by name."""
    return _registry.every()


def find_mutant(slug: str) -> Mutant:
    """The mutant of this name, with or without the prefix.

    Raises:
        TargetError: there is none.
    """
    return _registry.find(slug)


def find_responder_parts(slug: str) -> Parts:
    """What a mutant of the Responder is made of.

    Raises:
        TargetError: there is no such mutant, or it is one of the client.
    """
    parts = find_mutant(slug).parts
    if isinstance(parts, ClientParts):
        raise TargetError(f"`{slug}` is a mutant of the client")
    return parts


def find_client_parts(slug: str) -> ClientParts:
    """What a mutant of the client is made of.

    Raises:
        TargetError: there is no such mutant, or it is one of the Responder.
    """
    parts = find_mutant(slug).parts
    if isinstance(parts, Parts):
        raise TargetError(f"`{slug}` is a mutant of the Responder")
    return parts


def mutant_target(
    slug: str, profile: Profile, fabric: str = ""
) -> ReferenceTarget | ReferenceClientTarget:
    """The target that a mutant is.

    Args:
        slug: with or without the prefix.
        profile: of the reference endpoint in its role, whose claims a mutant makes and breaks.
        fabric: by name, or empty for the mutant's own.

    Raises:
        TargetError: there is no such mutant or fabric.
    """
    found = find_mutant(slug)
    fabric = fabric or found.fabric
    profile = profile_without(profile, found.without)
    if found.versions:
        claims = msgspec.structs.replace(profile.claims, versions=found.versions)
        profile = msgspec.structs.replace(profile, claims=claims)
    name = f"{PREFIX}{found.slug}"
    if isinstance(found.parts, ClientParts):
        return ReferenceClientTarget(profile, fabric, parts=found.parts, replaced=name)
    return ReferenceTarget(profile, fabric, parts=found.parts, replaced=name)


def _overridden(broken: type[object]) -> str:
    """The one method that a mutant overrides, as `Mutant.method` has it."""
    base = broken.__mro__[1]
    kinds = (FunctionType, property)
    own = [name for name, value in vars(broken).items() if isinstance(value, kinds)]
    if len(own) != 1 or not hasattr(base, own[0]):
        raise ValueError(
            f"{broken.__name__} defines {', '.join(own) or 'nothing'};"
            f" a mutant overrides exactly one method of {base.__name__}"
        )
    found = getattr(base, own[0])
    method: Any = found.fget if isinstance(found, property) else found
    return (
        f"{getattr(method, '__module__', '')}:{method.__qualname__}"  # a built-in is in no module
    )
