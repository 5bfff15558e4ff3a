"""Mutants: the reference endpoint with exactly one behaviour broken.

    @mutant(breaks="rfc8166.3.3.1.grant-is-never-zero")
    class GrantsZero(ReplyRules):
        \"\"\"Grants no credit at all.\"\"\"

        def grant(self, requested: int, posted: int) -> int:
            return 0

A mutant is a subclass of one part of the server (`CallRules`, `ReplyRules`, `Responder`, and for
backward Calls `BackwardRequester`, `Backchannel`, `DirectionRules`, `Duplex`; their docstrings list
the methods that are made for it) or of the client (`RequestRules`, `CallPlanner`,
`Allowance`, `Requester`, `Retransmission`, `XidSource`, on loopback `HandleAllocator`, and for
backward Calls `ClientDuplex`, `BackwardResponder`, `BackwardCallRules`, `BackwardReplyRules`) and
overrides one method.  Its docstring is the deviation in one sentence; `without` names claims of the
reference's profile that it does not make.  Where one behaviour is what several requirements are
about, `also_trips` says for each further one why it is broken as well.  Its name on the command
line is `mutant:` and the class name in kebab case: `mutant:grants-zero`.  `mutants()` finds those
of all modules of this package.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import dataclass, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

import targets.mutants
from rpcrdma.endpoint.backchannel import Backchannel
from rpcrdma.endpoint.backward_requester import BackwardRequester
from rpcrdma.endpoint.backward_responder import (
    BackwardCallRules,
    BackwardReplyRules,
    BackwardResponder,
)
from rpcrdma.endpoint.call_planning import CallPlanner
from rpcrdma.endpoint.call_rules import CallRules
from rpcrdma.endpoint.credits import Allowance
from rpcrdma.endpoint.direction import DirectionRules
from rpcrdma.endpoint.duplex import ClientDuplex, Duplex
from rpcrdma.endpoint.negotiating_client import NegotiatingClient
from rpcrdma.endpoint.negotiation import NegotiationRules
from rpcrdma.endpoint.optional_half import OptionalHalf
from rpcrdma.endpoint.property_rules import PropertyRules
from rpcrdma.endpoint.reply_rules import ReplyRules
from rpcrdma.endpoint.request_rules import RequestRules
from rpcrdma.endpoint.requester import Requester
from rpcrdma.endpoint.requester_parts import RequesterParts
from rpcrdma.endpoint.responder import Responder
from rpcrdma.endpoint.retransmission import Retransmission
from rpcrdma.endpoint.xids import XidSource
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.wire.optional import ROPT_CONNPROP, ROPT_REQPROP, ROPT_RESPROP, ROPT_UPDPROP
from targets.base import TargetError
from targets.reference import Parts, ReferenceTarget
from targets.reference_client import ClientParts, ReferenceClientTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from targets.profile import Profile

__all__ = [
    "BOTH_ENDS",
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

BOTH_ENDS: Final = ("responder", "requester")
"""The roles of a mutant of what both ends have."""

PREFIX: Final = "mutant:"
"""What the name of a mutant's target begins with."""

_OPERATIONS: Final = {
    "connprop": ROPT_CONNPROP,
    "reqprop": ROPT_REQPROP,
    "resprop": ROPT_RESPROP,
    "updprop": ROPT_UPDPROP,
}
"""Operations of the transport properties, by the names that profiles have for them."""

Part = TypeVar(
    "Part",
    bound=CallRules
    | ReplyRules
    | Responder
    | BackwardRequester
    | Backchannel
    | DirectionRules
    | Duplex
    | RequestRules
    | CallPlanner
    | Allowance
    | Requester
    | Retransmission
    | XidSource
    | HandleAllocator
    | NegotiationRules
    | NegotiatingClient
    | OptionalHalf
    | PropertyRules,
)

_registry: dict[str, Mutant] = {}


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
    """

    slug: str
    breaks: str
    deviation: str
    parts: Parts | ClientParts
    also_trips: tuple[tuple[str, str], ...] = ()
    role: str = "responder"
    without: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()

    @property
    def profile_name(self) -> str:
        """Of the shipped profile whose claims it makes and breaks."""
        return "reference-client" if isinstance(self.parts, ClientParts) else "reference"

    def explanation(self, requirement: str) -> str:
        """Why a requirement other than `breaks` is broken, too; empty if nobody says so."""
        return next((why for ids, why in self.also_trips if requirement.startswith(ids)), "")


def mutant(
    *,
    breaks: str,
    also_trips: Mapping[str, str] | str = "",
    without: tuple[str, ...] = (),
    roles: tuple[str, ...] = (),
    versions: tuple[int, ...] = (),
) -> Callable[[type[Part]], type[Part]]:
    """Register a mutant.

    Args:
        breaks: id of the requirement that it breaks.
        also_trips: ids of further requirements, or what such ids begin with, and why the same
            deviation breaks them; a sentence alone is about whatever requirement.
        without: claims that the mutant does not make: it is told by what it does not support; or
            operations of the transport properties, by the names that profiles have for them.
        roles: in which it acts, for a part that both ends have; a mutant for each, and that of the
            client has `-at-client` behind its name.
        versions: that the mutant speaks and claims, where these are not those of the reference.

    Raises:
        ValueError: the name is taken, or the class does not override exactly one method, or has
            no docstring.
    """
    by_id = {"": also_trips} if isinstance(also_trips, str) else also_trips
    notes = tuple((ids, why) for ids, why in by_id.items() if why)

    def register(broken: type[Part]) -> type[Part]:
        _require_one_override(broken)
        for slug, parts in _named_parts(broken, roles):
            role = "requester" if isinstance(parts, ClientParts) else "responder"
            if slug in _registry:
                raise ValueError(f"there are two mutants named {slug}")
            fewer = replace(parts, operations=_operations(without))
            found = Mutant(slug, breaks, _deviation(broken), fewer, notes, role, without, versions)
            _registry[slug] = found
        return broken

    return register


def registered() -> tuple[Mutant, ...]:
    """The mutants of the modules that are imported, by name."""
    return tuple(_registry[slug] for slug in sorted(_registry))


def mutants() -> tuple[Mutant, ...]:
    """Every mutant of this package, by name."""
    for module in pkgutil.iter_modules(targets.mutants.__path__):
        importlib.import_module(f"{targets.mutants.__name__}.{module.name}")
    return registered()


def find_mutant(slug: str) -> Mutant:
    """The mutant of this name, with or without the prefix.

    Raises:
        TargetError: there is none.
    """
    wanted = slug.removeprefix(PREFIX)
    for candidate in mutants():
        if candidate.slug == wanted:
            return candidate
    raise TargetError(f"there is no mutant `{wanted}`; `rpcrdma targets` lists them")


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
        fabric: `loopback`, `verbs`, or empty for loopback.

    Raises:
        TargetError: there is no such mutant or fabric.
    """
    found = find_mutant(slug)
    if found.without:
        changes: dict[str, object] = {
            name: False for name in found.without if name not in _OPERATIONS
        }
        left = tuple(one for one in profile.claims.operations if one not in found.without)
        claims = msgspec.structs.replace(profile.claims, operations=left, **changes)
        profile = msgspec.structs.replace(profile, claims=claims)
    if found.versions:
        claims = msgspec.structs.replace(profile.claims, versions=found.versions)
        profile = msgspec.structs.replace(profile, claims=claims)
    if isinstance(found.parts, ClientParts):
        return ReferenceClientTarget(profile, fabric, parts=found.parts, mutant=found.slug)
    return ReferenceTarget(profile, fabric, parts=found.parts, mutant=found.slug)


def _operations(without: tuple[str, ...]) -> frozenset[int]:
    """The operations of the transport properties but for some."""
    return frozenset(code for name, code in _OPERATIONS.items() if name not in without)


def _slug(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def _deviation(broken: type[object]) -> str:
    text = broken.__doc__
    if not text:
        raise ValueError(f"{broken.__name__} has no docstring; say its deviation in one sentence")
    return " ".join(text.split())


_MAKERS: Final[tuple[tuple[type, Callable[[Any], Parts | ClientParts]], ...]] = (
    # The parts that execute backward Calls are kinds of what follows.
    (ClientDuplex, lambda broken: ClientParts(duplex=broken)),
    (BackwardResponder, lambda broken: ClientParts(backward=broken)),
    (BackwardCallRules, lambda broken: ClientParts(backward_calls=broken)),
    (BackwardReplyRules, lambda broken: ClientParts(backward_replies=broken)),
    (CallRules, lambda broken: Parts(calls=broken)),
    (ReplyRules, lambda broken: Parts(replies=broken)),
    (Responder, lambda broken: Parts(responder=broken)),
    (BackwardRequester, lambda broken: Parts(backward=broken)),
    (Backchannel, lambda broken: Parts(channel=broken)),
    (DirectionRules, lambda broken: Parts(directions=broken)),
    (Duplex, lambda broken: Parts(duplex=broken)),
    (Requester, lambda broken: ClientParts(requester=broken)),
    (Retransmission, lambda broken: ClientParts(retransmission=broken)),
    (XidSource, lambda broken: ClientParts(xids=broken)),
    (HandleAllocator, lambda broken: ClientParts(allocator=broken)),
    (RequestRules, lambda broken: ClientParts(inside=RequesterParts(rules=broken))),
    (CallPlanner, lambda broken: ClientParts(inside=RequesterParts(planner=broken))),
    (Allowance, lambda broken: ClientParts(inside=RequesterParts(allowance=broken))),
    (NegotiationRules, lambda broken: ClientParts(negotiation=broken)),
    (NegotiatingClient, lambda broken: ClientParts(negotiating=broken)),
)
"""What a mutant is a kind of, and the endpoint with it in that place; the first that fits."""

_SHARED: Final[tuple[tuple[type, str], ...]] = (
    (OptionalHalf, "optional"),
    (PropertyRules, "properties"),
)
"""Parts that both ends have, and what they are called there."""


def _named_parts(
    broken: type[Part], roles: tuple[str, ...]
) -> Iterator[tuple[str, Parts | ClientParts]]:
    """The endpoints that are made with a broken part, with their names."""
    slug = _slug(broken.__name__)
    shared = next((name for kind, name in _SHARED if issubclass(broken, kind)), None)
    if shared is None:
        if roles:
            raise ValueError(f"{broken.__name__} is a part of one end; it has no `roles`")
        yield slug, _parts(broken)
        return
    if not roles:
        raise ValueError(f"both ends have what {broken.__name__} is; say the `roles`")
    part: dict[str, Any] = {shared: broken}
    for role in roles:
        if role == "responder":
            yield slug, Parts(**part)
        else:
            yield f"{slug}-at-client", ClientParts(**part)


def _parts(broken: type[Part]) -> Parts | ClientParts:
    for kind, make in _MAKERS:
        if issubclass(broken, kind):
            return make(broken)
    raise ValueError(f"{broken.__name__} is no part of the reference endpoint")


def _require_one_override(broken: type[object]) -> None:
    base = broken.__mro__[1]
    kinds = (FunctionType, property)
    own = [name for name, value in vars(broken).items() if isinstance(value, kinds)]
    if len(own) != 1 or not hasattr(base, own[0]):
        raise ValueError(
            f"{broken.__name__} defines {', '.join(own) or 'nothing'};"
            f" a mutant overrides exactly one method of {base.__name__}"
        )
