"""The reference endpoint with one of its parts replaced: what mutants and variants have in common.

A part is a class of which the server (`targets.reference.server.Parts`) or the client
(`targets.reference.client.ClientParts`) is made.  A subclass of one says by what it is a subclass
of where it belongs, and by its name and its docstring what it is called and does otherwise.  The
endpoints that are made so are in a `Registry`, which the modules of one package fill.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

import msgspec

from rpcrdma.endpoint.backward.direction import DirectionRules
from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.backward.responder import (
    BackwardCallRules,
    BackwardReplyRules,
    BackwardResponder,
)
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.core.driver import Driver
from rpcrdma.endpoint.core.xids import XidSource
from rpcrdma.endpoint.negotiation.client import NegotiatingClient
from rpcrdma.endpoint.negotiation.table import NegotiationRules
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.group_plan import GroupPlanner
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.requester_parts import RequesterParts
from rpcrdma.endpoint.requester.retransmission import Retransmission
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.group_reply import GroupReplies
from rpcrdma.endpoint.responder.group_rules import GroupRules
from rpcrdma.endpoint.responder.groups import RequestGroups
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.roce.device import RoceDevice
from rpcrdma.roce.parts import RoceParts
from rpcrdma.roce.transport.requester import TransportRequester
from rpcrdma.roce.transport.responder import TransportResponder
from rpcrdma.wire.operations import BY_NAME, OPERATIONS
from rpcrdma.wire.transmission import Assembler
from targets.base import TargetError, nearest
from targets.reference.client_parts import ClientParts
from targets.reference.roles import REDUCTIONS
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from rpcrdma.endpoint.core.reductions import Reductions
    from targets.profile import Profile

__all__ = [
    "BOTH_ENDS",
    "Part",
    "Registry",
    "ends_with",
    "profile_without",
    "sentence_of",
    "slug_of",
]

BOTH_ENDS: Final = ("responder", "requester")
"""The roles of a replacement of what both ends have."""

Part = TypeVar(
    "Part",
    bound=CallRules
    | ReplyRules
    | Responder
    | RequestGroups
    | GroupRules
    | GroupReplies
    | BackwardRequester
    | Backchannel
    | DirectionRules
    | Duplex
    | RequestRules
    | CallPlanner
    | Allowance
    | GroupPlanner
    | Requester
    | Retransmission
    | XidSource
    | HandleAllocator
    | NegotiationRules
    | NegotiatingClient
    | OptionalHalf
    | PropertyRules
    | Assembler
    | Driver
    | RoceDevice
    | TransportRequester
    | TransportResponder,
)

_MAKERS: Final[tuple[tuple[type, Callable[[Any], Parts | ClientParts]], ...]] = (
    # The parts that execute backward Calls are kinds of what follows.
    (ClientDuplex, lambda part: ClientParts(duplex=part)),
    (BackwardResponder, lambda part: ClientParts(backward=part)),
    (BackwardCallRules, lambda part: ClientParts(backward_calls=part)),
    (BackwardReplyRules, lambda part: ClientParts(backward_replies=part)),
    (CallRules, lambda part: Parts(calls=part)),
    (ReplyRules, lambda part: Parts(replies=part)),
    (Responder, lambda part: Parts(responder=part)),
    (RequestGroups, lambda part: Parts(groups=part)),
    (GroupRules, lambda part: Parts(group_rules=part)),
    (GroupReplies, lambda part: Parts(group_replies=part)),
    (BackwardRequester, lambda part: Parts(backward=part)),
    (Backchannel, lambda part: Parts(channel=part)),
    (DirectionRules, lambda part: Parts(directions=part)),
    (Duplex, lambda part: Parts(duplex=part)),
    (Requester, lambda part: ClientParts(requester=part)),
    (Retransmission, lambda part: ClientParts(retransmission=part)),
    (XidSource, lambda part: ClientParts(xids=part)),
    (HandleAllocator, lambda part: ClientParts(allocator=part)),
    (RequestRules, lambda part: ClientParts(inside=RequesterParts(rules=part))),
    (CallPlanner, lambda part: ClientParts(inside=RequesterParts(planner=part))),
    (Allowance, lambda part: ClientParts(inside=RequesterParts(allowance=part))),
    (GroupPlanner, lambda part: ClientParts(inside=RequesterParts(groups=part))),
    (NegotiationRules, lambda part: ClientParts(negotiation=part)),
    (NegotiatingClient, lambda part: ClientParts(negotiating=part)),
)
"""What a part is a kind of, and the endpoint with it in that place; the first that fits."""

_SHARED: Final[tuple[tuple[type, Callable[[Any], dict[str, Any]]], ...]] = (
    (OptionalHalf, lambda part: {"optional": part}),
    (PropertyRules, lambda part: {"properties": part}),
    (Driver, lambda part: {"driver": part}),
    (Assembler, lambda part: {"reductions": replace(REDUCTIONS, assembler=part)}),
    (RoceDevice, lambda part: {"transport": RoceParts(device=part)}),
    (TransportRequester, lambda part: {"transport": RoceParts(requester=part)}),
    (TransportResponder, lambda part: {"transport": RoceParts(responder=part)}),
)
"""Parts that both ends have, and where they are there."""


class _Named(Protocol):
    """What a registry holds."""

    @property
    def slug(self) -> str: ...


Named = TypeVar("Named", bound=_Named)


class Registry(Generic[Named]):
    """What the modules of a package have registered, by name.

    Args:
        package: whose modules register when they are imported.
        word: what one entry is called.
    """

    def __init__(self, package: ModuleType, word: str) -> None:
        self.prefix: Final = f"{word}:"
        self._package = package
        self._word = word
        self._entries: dict[str, Named] = {}

    def add(self, entry: Named) -> None:
        """Register an entry.

        Raises:
            ValueError: the name is taken.
        """
        if entry.slug in self._entries:
            raise ValueError(f"there are two {self._word}s named {entry.slug}")
        self._entries[entry.slug] = entry

    def imported(self) -> tuple[Named, ...]:
        """Those of the modules that have been imported so far."""
        return tuple(self._entries[slug] for slug in sorted(self._entries))

    def every(self) -> tuple[Named, ...]:
        """Those of all modules of the package and of the packages in it."""
        inside = f"{self._package.__name__}."
        for module in pkgutil.walk_packages(self._package.__path__, inside):
            importlib.import_module(module.name)
        return self.imported()

    def find(self, name: str) -> Named:
        """The one of this name, with or without the prefix.

        Raises:
            TargetError: there is none.
        """
        wanted = name.removeprefix(self.prefix)
        named = {entry.slug: entry for entry in self.every()}
        if wanted in named:
            return named[wanted]
        near = nearest(wanted, named)
        raise TargetError(
            f"there is no {self._word} `{wanted}`; `rpcrdma targets` lists them{near}"
        )


def ends_with(
    part: type[Part],
    roles: tuple[str, ...],
    without: tuple[str, ...] = (),
    reductions: Reductions | None = None,
    also: tuple[type[Any], ...] = (),
) -> Iterator[tuple[str, Parts | ClientParts]]:
    """The endpoints that are made with a part, with their names.

    Args:
        part: in the place of one of the reference's.
        roles: in which it acts, for a part that both ends have; that of the client has
            `-at-client` after its name.
        without: names of optional operations that they do not support; others do not count.
        reductions: how they reduce round trips, where that is not as the reference does.
        also: further parts, in the places of others.

    Raises:
        ValueError: `roles` are missing, or too much, or one is no part of the reference.
    """
    supported = frozenset(one.code for one in OPERATIONS if one.name not in without)
    for slug, parts in _replacing(part, roles):
        made = replace(_with_all(parts, also), operations=supported)
        yield slug, made if reductions is None else replace(made, reductions=reductions)


def _with_all(parts: Parts | ClientParts, also: tuple[type[Any], ...]) -> Parts | ClientParts:
    """An end with further parts replaced; raises ValueError if one is not of this end."""
    for part in also:
        shared = next((place for kind, place in _SHARED if issubclass(part, kind)), None)
        if shared is not None:
            parts = replace(parts, **shared(part))
            continue
        other = _end_with(part)
        if type(other) is not type(parts):
            raise ValueError(f"{part.__name__} is a part of the other end")
        usual = type(other)()
        values = {one.name: getattr(other, one.name) for one in fields(other)}
        changed = {name: it for name, it in values.items() if it is not getattr(usual, name)}
        parts = replace(parts, **changed)
    return parts


def _replacing(
    part: type[Part], roles: tuple[str, ...]
) -> Iterator[tuple[str, Parts | ClientParts]]:
    """The reference's ends with one part replaced, with their names.

    Raises:
        ValueError: `roles` are missing, or too much, or it is no part of the reference.
    """
    slug = slug_of(part)
    shared = next((place for kind, place in _SHARED if issubclass(part, kind)), None)
    if shared is None:
        if roles:
            raise ValueError(f"{part.__name__} is a part of one end; it has no `roles`")
        yield slug, _end_with(part)
        return
    if not roles:
        raise ValueError(f"both ends have what {part.__name__} is; say the `roles`")
    replaced = shared(part)
    for role in roles:
        if role == "responder":
            yield slug, Parts(**replaced)
        else:
            yield f"{slug}-at-client", ClientParts(**replaced)


def _end_with(part: type[Part]) -> Parts | ClientParts:
    for kind, make in _MAKERS:
        if issubclass(part, kind):
            return make(part)
    raise ValueError(f"{part.__name__} is no part of the reference endpoint")


def profile_without(profile: Profile, without: tuple[str, ...]) -> Profile:
    """A profile that does not make some claims, or not those of some optional operations."""
    if not without:
        return profile
    changes: dict[str, object] = {name: False for name in without if name not in BY_NAME}
    left = tuple(one for one in profile.claims.operations if one not in without)
    claims = msgspec.structs.replace(profile.claims, operations=left, **changes)
    return msgspec.structs.replace(profile, claims=claims)


def slug_of(part: type[object]) -> str:
    """The name of a class in kebab case."""
    boundary = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    return re.sub(boundary, "-", part.__name__).lower()


def sentence_of(part: type[object]) -> str:
    """What a class does otherwise: its docstring, on one line.

    Raises:
        ValueError: it has none.
    """
    text = part.__doc__
    if not text:
        raise ValueError(f"{part.__name__} has no docstring; say its deviation in one sentence")
    return " ".join(text.split())
