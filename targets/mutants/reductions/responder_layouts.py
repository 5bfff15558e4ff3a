"""Mutants: how a server heeds what its Requester has told of itself (rtrext 5, 7.2, 8)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.properties.values import DEFAULT_RECEIVE_BUFFER
from rpcrdma.endpoint.responder.groups import RequestGroups
from rpcrdma.wire._generated_rtrext import (
    RTRS_XCONT,
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)
from targets.mutants import because
from targets.mutants.base import mutant
from targets.reference.roles import STRUCTURE

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.group_bodies import GroupedMsg
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.endpoint.responder.group_rules import IncomingGroup
    from rpcrdma.wire.transmission import Transmission

Groups: TypeAlias = tuple[BufferSegmentGroup, ...]

LARGE: Final = 5000
NO_TARGET: Final = "no target segment seems to be free, and the result is refused"


def _restructured(peer: PropertyValues, change: Callable[[Groups], Groups]) -> PropertyValues:
    """What the Requester has told, with another structure."""
    structure = peer.buffer_structure
    if structure is None:
        return peer
    groups = change(structure.xmrbuf_groups)
    return replace(peer, buffer_structure=BufferStructure(structure.xmrbuf_length, groups))


def _longer(groups: Groups) -> Groups:
    return tuple(
        BufferSegmentGroup(
            group.xmrgrp_count,
            msgspec.structs.replace(
                group.xmrgrp_info,
                xmrseg_length=group.xmrgrp_info.xmrseg_length
                + 4 * (group.xmrgrp_info.xmrseg_flags & XMRSFLAG_DDP),
            ),
        )
        for group in groups
    )


def _once(groups: Groups) -> Groups:
    return tuple(BufferSegmentGroup(min(1, one.xmrgrp_count), one.xmrgrp_info) for one in groups)


def _flagged(groups: Groups) -> Groups:
    return tuple(
        BufferSegmentGroup(
            one.xmrgrp_count, msgspec.structs.replace(one.xmrgrp_info, xmrseg_flags=XMRSFLAG_DDP)
        )
        for one in groups
    )


@mutant(breaks="rtrext.5.1.headers-without-the-features")
class WantsContinuationOfEveryRequester(RequestGroups):
    """Refuses requests of a Requester that has not told that it takes XMTCONT."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        super().heed(send_limit, peer)
        self._is_supported = bool(peer.rtr_support & RTRS_XCONT) or not peer.rtr_support


@mutant(breaks="rtrext.5.3.sending-and-receiving-are-separate")
class TakesBulkDataOfThoseWhoTakeThem(RequestGroups):
    """Refuses bulk data in the Sends of a Requester that has told of no target itself."""

    def take(self, body: GroupedMsg, arrived: Transmission, stream: int) -> IncomingGroup:
        group = super().take(body, arrived, stream)
        if group.placed and not self.peer.targets:
            raise FaultFound(Fault.ITEMS_OVERLAP, "bulk data")
        return group


@mutant(
    breaks="rtrext.7.2.segment-length",
    also_trips={
        "rtrext.7.3.": because.MISPLACED,
        "rtrext.8.3.size-follows-from-the-structure": NO_TARGET,
    },
)
class TakesSegmentsForLongerThanTheyAre(RequestGroups):
    """Takes the first target segments of the Requester for four octets longer than told."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        super().heed(send_limit, _restructured(peer, _longer))


@mutant(
    breaks="rtrext.7.2.group-stands-for-like-segments",
    also_trips={
        **dict.fromkeys(
            (
                "rtrext.4.2.group-is-received-in-order",
                "rtrext.4.3.no-reply-chunk-where-responses-continue",
                "rtrext.5.2.response-stays-within-the-reserve",
                "rtrext.8.5.no-response-beyond-the-limit",
            ),
            "buffers are taken for shorter, and longer Replies do not fit into the reserve",
        ),
        "rtrext.7.2.groups-follow-each-other": NO_TARGET,
        "rtrext.7.3.": because.MISPLACED,
    },
)
class TakesAGroupOfSegmentsForOne(RequestGroups):
    """Takes each group of segments for a single one of that length."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        super().heed(send_limit, _restructured(peer, _once))


@mutant(
    breaks="rtrext.7.2.groups-follow-each-other",
    also_trips={
        "rtrext.7.2.segment-length": NO_TARGET,
        "rtrext.8.3.size-follows-from-the-structure": NO_TARGET,
        "rtrext.7.3.": because.MISPLACED,
    },
)
class TakesTheGroupsInReverse(RequestGroups):
    """Takes the groups of a buffer in the opposite order."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        super().heed(send_limit, _restructured(peer, lambda groups: groups[::-1]))


@mutant(
    breaks="rtrext.7.2.only-flagged-segments-are-targets",
    also_trips={"rtrext.7.3.tbsn-names-the-segments": because.MISPLACED},
)
class TakesEverySegmentForATarget(RequestGroups):
    """Places bulk data in segments without the flag as well."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        super().heed(send_limit, _restructured(peer, _flagged))


@mutant(
    breaks="rtrext.8.1.default-of-the-buffer-structure",
    also_trips={"rtrext.7.3.tbsn-names-the-segments": because.MISPLACED},
)
class TakesUnknownBuffersForItsOwn(RequestGroups):
    """Takes a Requester that has told of no structure for one with its own."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        if peer.buffer_structure is None and peer.rtr_support:
            peer = replace(peer, buffer_structure=STRUCTURE)
        super().heed(send_limit, peer)


@mutant(breaks="rtrext.8.3.size-follows-from-the-structure")
class TakesALargeSizeForTold(RequestGroups):
    """Adds a target of 5000 octets to a structure that says less than the default size."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        if peer.buffer_structure is not None and send_limit < DEFAULT_RECEIVE_BUFFER:
            target = BufferSegmentGroup(1, BufferSegment(LARGE, 0, XMRSFLAG_DDP))
            peer = _restructured(peer, lambda groups: (*groups, target))
            send_limit += LARGE
        super().heed(send_limit, peer)
