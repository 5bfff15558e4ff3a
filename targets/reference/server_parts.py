"""Of which classes the reference server consists, and how they are put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.direction import DirectionRules
from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.backward.requester import BackwardOptions, BackwardRequester
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.driver import Driver
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS, Reductions
from rpcrdma.endpoint.core.thresholds import DEFAULT
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.wishes import PropertyWishes
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.group_reply import GroupReplies
from rpcrdma.endpoint.responder.group_rules import GroupRules
from rpcrdma.endpoint.responder.groups import RequestGroups
from rpcrdma.endpoint.responder.lost_replies import LostReplies
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.ulp.backprog import BackwardProgram
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs3_server import Nfs3Program
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.nfs4_state import Nfs4State
from rpcrdma.ulp.program import Programs
from rpcrdma.ulp.propprog import PropertyProgram
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire.rpc import MessageType
from targets.reference.backward import BackwardService
from targets.reference.roles import (
    EVERY_OPERATION,
    REDUCTIONS,
    optional_half,
    reductions_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.parts import RoceParts

__all__ = ["DIALECTS", "REFERENCE", "VERSIONS", "Parts", "responder_factory", "server_factory"]

DIALECTS: Final = (ONE, TWO)

VERSIONS: Final = tuple(dialect.number for dialect in DIALECTS)
"""What the endpoint speaks, unless its profile claims less."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The classes of which a server is put together; a mutant replaces one of them.

    Attributes:
        responder: the forward half.  calls: how it judges.  replies: how it answers.
        backward: the backward half.  channel: what outlives connections.
        duplex: the two halves together.  directions: which of them takes a message.
        optional: Version Two's optional messages.  properties: how it deals with properties.
        operations: that are supported, by opttype.
        reductions: how round trips are reduced, as far as the operations allow.
        groups: the requests that come in groups.  group_rules: how they are judged.
        group_replies: how they are answered.
        driver: what runs it on a connection, in the tester's process.
        transport: what is below, on the fabric `switch`; None: as it should be.
    """

    responder: type[Responder] = Responder
    calls: type[CallRules] = CallRules
    replies: type[ReplyRules] = ReplyRules
    backward: type[BackwardRequester] = BackwardRequester
    channel: type[Backchannel] = Backchannel
    duplex: type[Duplex] = Duplex
    directions: type[DirectionRules] = DirectionRules
    optional: type[OptionalHalf] = OptionalHalf
    properties: type[PropertyRules] = PropertyRules
    operations: frozenset[int] = EVERY_OPERATION
    reductions: Reductions = REDUCTIONS
    groups: type[RequestGroups] = RequestGroups
    group_rules: type[GroupRules] = GroupRules
    group_replies: type[GroupReplies] = GroupReplies
    driver: type[Driver] = Driver
    transport: RoceParts | None = None


REFERENCE: Final = Parts()
"""The reference itself, as a server."""


def responder_factory(
    parts: Parts = REFERENCE, options: ResponderOptions | None = None
) -> Callable[[], Responder]:
    """What makes a Responder alone; files and lost replies are shared by all.

    It speaks Version One only: what Version Two needs besides is the role of a connection.
    """
    store, state = FileStore(), Nfs4State()
    nfs3 = Nfs3Program(store)  # keeps nothing of a connection
    lost = LostReplies()

    def make() -> Responder:
        programs = Programs((TestProgram(), nfs3, Nfs4Program(store, state)))
        return parts.responder(programs, options, lost, parts.calls((ONE,)), parts.replies((ONE,)))

    return make


def server_factory(
    parts: Parts = REFERENCE, versions: tuple[int, ...] = VERSIONS
) -> Callable[[], Duplex]:
    """What makes the role of each connection; all share files, lost replies, clients to call."""
    dialects = tuple(dialect for dialect in DIALECTS if dialect.number in versions)
    in_two = TWO in dialects
    store, state = FileStore(), Nfs4State()
    nfs3 = Nfs3Program(store)  # keeps nothing of a connection
    lost = LostReplies()
    service = BackwardService(parts.channel)

    def make() -> Duplex:
        port = service.port()
        nfs = nfs3, Nfs4Program(store, state)
        wishes = PropertyWishes()
        own = BackwardProgram(port), PropertyProgram(wishes)
        programs = Programs((TestProgram(), *nfs, *own))
        replies = parts.replies(dialects)
        reductions = reductions_of(parts) if in_two else NO_REDUCTIONS
        thresholds = replace(DEFAULT, call=reductions.receive_octets) if in_two else DEFAULT
        options = ResponderOptions(thresholds, reductions=reductions)
        judges = parts.group_rules, parts.group_replies
        groups = parts.groups(options.reductions, replies, *judges)
        forward = parts.responder(programs, options, lost, parts.calls(dialects), replies, groups)
        granted = forward.options.receives
        optional = optional_half(parts, granted, wishes) if in_two else None
        supported = None if optional is None else optional.exchange.options.operations
        directions = parts.directions(MessageType.REPLY, supported)
        # Whatever a message is, it takes the Receive that was posted first: all are alike.
        posted = BackwardOptions(replace(DEFAULT, call=forward.receive_length))
        backward = parts.backward(posted, TestProgram())
        role = parts.duplex(forward, backward, directions, optional)
        port.attach(role)
        return role

    return make
