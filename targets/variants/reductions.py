"""Ends that reduce round trips otherwise: with other buffers, limits, directions and answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.responder.group_reply import GroupReplies
from rpcrdma.endpoint.responder.groups import RequestGroups
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    PlacementType,
    TransmissionId,
)
from rpcrdma.wire.operations import RTREXT, operations_of
from targets.reference.replaced_parts import BOTH_ENDS
from targets.reference.roles import REDUCTIONS
from targets.variants.base import variant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import GroupBroken
    from rpcrdma.endpoint.responder.group_rules import IncomingGroup
    from rpcrdma.wire.buffers import BufferLayout

_EVERY: Final = tuple(one.name for one in operations_of(RTREXT))


def _buffer(*groups: tuple[int, int, int, bool]) -> BufferStructure:
    """Count, octets and alignment of the segments of each group, and whether they are targets."""
    made = tuple(
        BufferSegmentGroup(count, BufferSegment(octets, align, XMRSFLAG_DDP if is_target else 0))
        for count, octets, align, is_target in groups
    )
    return BufferStructure(sum(count * octets for count, octets, _, _ in groups), made)


SMALL_TARGETS: Final = _buffer(
    (1, 640, 0, False),
    (8, 256, 8, True),
    (1, 128, 0, False),
    (10, 100, 4, True),
    (1, 280, 0, False),
)
"""4096 octets, whose targets are short, and no multiples of one another."""

LARGE: Final = _buffer((2, 2048, 0, False), (1, 16384, 4096, True))
"""20 KiB, with one target."""


def _open(*sections: str, why: str) -> dict[str, str]:
    """What is left open of these sections, by the beginning of its cases' ids."""
    return {f"rtrext/{section}/": why for section in sections}


NO_TARGETS: Final = _open(
    *("4.2", "5.3", "5.4", "6.2", "7.2", "7.3", "7.4", "8.3", "9.4", "9.5"),
    why="the case is about bulk data in target segments",
)
LARGER: Final = {"rtrext/": "what the case moves fits into one Send, or fills no target"}
FEW: Final = {"rtrext/": "the case needs more transmissions than it takes, or sends"}


# -- what is supported


@variant(
    "rtrext.5.peers-without-the-extension-are-served",
    leaves_open={"rtrext/": "it claims no operation of the document"},
    roles=BOTH_ENDS,
    without=_EVERY,
)
class KnowsNothingOfReductions(PropertyRules):
    """Supports no operation of the round-trip reductions."""


@variant(
    "rtrext.5.1.headers-without-the-features",
    leaves_open={"rtrext/": "a case about groups needs an end that continues messages"},
    roles=BOTH_ENDS,
    without=("xmtcont",),
    reductions=replace(REDUCTIONS, request_limit=1, response_limit=1),
)
class ContinuesNothing(PropertyRules):
    """Supports every operation but XMTCONT."""


# -- buffers and limits


@variant(
    "rtrext.5.3.sending-and-receiving-are-separate",
    roles=BOTH_ENDS,
    reductions=replace(REDUCTIONS, structure=None),
    leaves_open=NO_TARGETS,
)
class TellsOfNoTargets(PropertyRules):
    """Has Receives of one segment, which is no target."""


@variant(
    "rtrext.7.2.groups-follow-each-other",
    roles=BOTH_ENDS,
    reductions=replace(REDUCTIONS, structure=SMALL_TARGETS),
    leaves_open=_open(
        "6.2", "7.3", why="the targets are too short, or too few, for what the case places"
    ),
)
class HasManySmallTargets(PropertyRules):
    """Has many target segments of a few octets, some of them after one that is none."""


@variant(
    "rtrext.7.2.segment-length",
    roles=BOTH_ENDS,
    reductions=replace(REDUCTIONS, structure=LARGE, receive_octets=LARGE.xmrbuf_length),
    leaves_open=LARGER,
)
class HasLargeBuffers(PropertyRules):
    """Has Receives of 20 KiB with a target of 16 KiB after two that are none."""


@variant(
    "rtrext.4.3.continuation-may-be-left-out",
    roles=BOTH_ENDS,
    reductions=replace(REDUCTIONS, request_limit=1, response_limit=1, send_limit=1, reserve=0),
    leaves_open=FEW,
)
class SendsSingleTransmissions(PropertyRules):
    """Takes and makes groups of one transmission only, though it knows XMTCONT."""


# -- Requesters


@variant(
    "rtrext.5.3.xmtreq-without-the-features",
    reductions=replace(REDUCTIONS, always=True),
    leaves_open={
        "rtrext/9.3/requester-survives-a-group-in-answer-to-what-was-none": (
            "each Call is a group, to which a group is an answer"
        )
    },
)
class MakesEveryCallAGroup(Requester):
    """Sends every Call as XMTREQ, however short it is."""


@variant(
    "rtrext.7.4.exrw-direction-offers-memory",
    reductions=replace(REDUCTIONS, structure=None, direction=PlacementType.XMDTYPE_EXRW),
    leaves_open=NO_TARGETS,
)
class DirectsToMemory(Requester):
    """Has results written to memory, and its buffers have no targets."""


@variant(
    "rtrext.7.4.bysize-direction-offers-memory",
    reductions=replace(REDUCTIONS, direction=PlacementType.XMDTYPE_BYSIZE, by_size=5000),
    leaves_open=_open("5.4", "9.5", why="a result of the length of the case goes to memory"),
)
class DirectsBySize(Requester):
    """Has results of up to 5000 octets in Sends, and longer ones in memory."""


@variant(
    "rtrext.5.3.prepared-requester-says-so",
    reductions=replace(REDUCTIONS, direction=PlacementType.XMDTYPE_TBSN),
    leaves_open=_open("6.2", "7.4", why="it offers no memory"),
)
class DirectsToSends(Requester):
    """Has all results placed in Sends."""


@variant(
    "rtrext.5.2.reserve-may-forbid-groups",
    reductions=replace(REDUCTIONS, reserve=0),
    leaves_open={"rtrext/": "longer results come by chunks, and so its Calls are no groups"},
)
class ReservesNothing(Requester):
    """Takes responses of one transmission only."""


@variant("rtrext.7.4.small-items-stay-inline", reductions=replace(REDUCTIONS, shortest=1000))
class KeepsShortResultsInline(Requester):
    """Has results of less than 1000 octets left in the Payload stream."""


@variant(
    "rtrext.4.2.message-may-be-cut-anywhere",
    reductions=replace(REDUCTIONS, longest_send=3000),
    leaves_open={"rtrext/": "9000 octets are more transmissions than the tester takes"},
)
class CutsIntoSmallPieces(Requester):
    """Sends no more than 3000 octets at a time in a group."""


# -- Responders


@variant(
    "rtrext.8.4.requests-up-to-the-limit-are-taken",
    reductions=replace(REDUCTIONS, request_limit=2, response_limit=2),
    leaves_open=FEW,
)
class TakesTwoTransmissions(RequestGroups):
    """Takes requests, and sends responses, of two transmissions at most."""


@variant("rtrext.6.2.choice-is-the-responders")
class ChoosesMemory(GroupReplies):
    """Writes every result that may go either way to the memory that is offered."""

    def prefers_sends(self, layout: BufferLayout) -> bool:
        """Never."""
        return False


@variant("D-104")
class GoesByMemoryAtTheLimit(GroupReplies):
    """Writes a result that is just as long as the limit of its direction to memory."""

    def goes_by_rdma(self, length: int, limit: int) -> bool:
        """From the limit on."""
        return length >= limit


@variant("D-116")
class AnswersInKind(RequestGroups):
    """Answers every XMTREQ by an XMTRESP."""

    def is_answered_by_group(self, group: IncomingGroup, reply: bytes) -> bool:
        """Always."""
        return True


@variant("rtrext.9.5.report-may-name-an-earlier-one", roles=BOTH_ENDS)
class NamesTheBeginningInReports(OptionalHalf):
    """Names the first transmission of a broken group in optre_lead."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        """With the first transmission beside the faulty one."""
        report = event.report
        bad = report.optre_bad
        first = TransmissionId(bad.xmsi_xid, bad.xmsi_dir, 0)
        named = msgspec.structs.replace(report, optre_lead=first if bad.xmsi_seq else None)
        return super().group_broken(msgspec.structs.replace(event, report=named))
