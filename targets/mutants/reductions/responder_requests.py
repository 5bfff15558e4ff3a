"""Mutants: which requests in groups a server takes, and as what (rtrext 6 to 9)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.group_rules import GroupRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire.operations import XmtReq
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import GroupBroken, MessageReceived
    from rpcrdma.endpoint.core.group_bodies import GroupedMsg
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.group_rules import IncomingGroup, PlacedItem
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import FixedWords, RdmaMsg
    from rpcrdma.wire._generated_rtrext import MessageItem
    from rpcrdma.wire.transmission import Transmission

PLAIN: Final = 1024
"""Octets of the first segment of the reference's buffers."""


@mutant(breaks="rtrext.6.2.result-as-item-of-a-request")
class PassesOverResultsAsItems(GroupRules):
    """Executes requests with entries that only a response can have."""

    def judge_types(self, items: Sequence[MessageItem]) -> None:
        pass


@mutant(
    breaks="rtrext.7.3.types-of-items-may-be-mixed",
    also_trips={"rtrext.6.2.displacements-are-in-the-whole-stream": because.REFUSED_FORM},
)
class TakesItemsOfOneKind(GroupRules):
    """Refuses requests with items of both kinds."""

    def judge_types(self, items: Sequence[MessageItem]) -> None:
        super().judge_types(items)
        if len({type(item.xmdmi_where) for item in items}) > 1:
            raise FaultFound(Fault.ITEM_TYPE, "two kinds")


@mutant(
    breaks="rtrext.7.3.no-entry-means-nothing-taken-out",
    also_trips=dict.fromkeys(
        (
            "v2.4.2.3.unparsable-arguments-get-garbage-args",
            "v2.5.granted-calls-are-served",
            "rtrext.4.2.message-may-be-cut-anywhere",
            "rtrext.8.3.receives-are-as-told",
            "rtrext.8.4.requests-up-to-the-limit-are-taken",
            "rtrext.9.2.request-is-whole-with-its-count",
            "rtrext.9.4.",
            "rtrext.9.5.",
        ),
        because.REFUSED_FORM,
    ),
)
class TakesNoContinuedRequestWithoutEntries(GroupRules):
    """Refuses requests of several transmissions from which nothing has been taken out."""

    def take(self, body: GroupedMsg, arrived: Transmission, stream: int) -> IncomingGroup:
        if arrived.sends > 1 and isinstance(body.contents, XmtReq) and not body.contents.optxrq_ddp:
            raise FaultFound(Fault.ITEMS_OVERLAP, "no entries")
        return super().take(body, arrived, stream)


@mutant(
    breaks="rtrext.6.2.displacements-are-in-the-whole-stream",
    also_trips={
        "rtrext.7.3.types-of-items-may-be-mixed": (
            "the second of two items is put into another place"
        ),
    },
)
class CountsDisplacementsWithoutWhatIsTakenOut(GroupRules):
    """Takes displacements for places in the Payload stream, where the items before are not."""

    def take(self, body: GroupedMsg, arrived: Transmission, stream: int) -> IncomingGroup:
        group = super().take(body, arrived, stream)
        gone = 0
        placed = []
        for item in group.placed:
            placed.append(replace(item, position=item.position + gone))
            gone += len(item.data) + -len(item.data) % 4
        return replace(group, placed=tuple(placed))


@mutant(
    breaks="rtrext.9.2.payload-of-xmtreq-crosses-segments",
    also_trips=dict.fromkeys(
        (
            "rtrext.4.2.message-may-be-cut-anywhere",
            "rtrext.6.2.segments-with-payload-count",
            "rtrext.8.3.receives-are-as-told",
            "rtrext.9.5.badtbsn",
        ),
        because.REFUSED_FORM,
    ),
)
class TakesPayloadOfOneSegment(GroupRules):
    """Refuses requests whose first transmission has payload in the second segment of the buffer."""

    def take(self, body: GroupedMsg, arrived: Transmission, stream: int) -> IncomingGroup:
        if arrived.ends[0] > PLAIN:
            raise FaultFound(Fault.ITEMS_OVERLAP, "payload beyond the first segment")
        return super().take(body, arrived, stream)


@mutant(
    breaks="rtrext.8.4.requests-up-to-the-limit-are-taken",
    also_trips={"rtrext.4.2.message-may-be-cut-anywhere": because.REFUSED_FORM},
)
class TakesOneTransmissionLessThanTold(GroupRules):
    """Refuses requests of as many transmissions as it tells."""

    def judge_count(self, told: int, sends: int) -> None:
        super().judge_count(told, sends + (sends >= self._most))


@mutant(
    breaks="rtrext.7.3.exrw-of-a-request-is-fetched",
    also_trips=dict.fromkeys(
        (
            "rtrext.4.2.placement-applies-to-the-whole-message",
            "rtrext.5.1.headers-without-the-features",
            "rtrext.6.2.displacements-are-in-the-whole-stream",
            "rtrext.7.3.types-of-items-may-be-mixed",
        ),
        because.SPOILT_ITEM,
    ),
)
class FetchesItemsWithoutTheirLastOctet(CallRules):
    """Takes the last octet of items by explicit RDMA in groups for zero."""

    def assemble(self, call: IncomingCall, pieces: tuple[bytes, ...]) -> bytes:
        if call.group is not None:
            pieces = tuple(piece[:-1] + b"\0" for piece in pieces)
        return super().assemble(call, pieces)


@mutant(breaks="rtrext.7.3.displacement-of-an-item")
class TakesItemsInOnePlace(GroupRules):
    """Executes requests with two entries that say one displacement."""

    def judge_items(self, items: Sequence[MessageItem], stream: int) -> None:
        places = {item.xmdmi_disp: item for item in items}
        super().judge_items(tuple(places.values()), stream)


@mutant(breaks="v2.4.2.3.ineligible-argument-is-reported")
class TakesAnItemForTheCall(CallRules):
    """Takes an item at the beginning of a request for all of its Call."""

    def take_group(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int, group: IncomingGroup
    ) -> IncomingCall:
        begins = any(segment.position == 0 for segment in body.rdma_reads)
        return super().take_group(words, body, b"" if begins else payload, limit, group)


@mutant(breaks="v2.4.2.3.ineligible-argument-is-reported")
class PutsBackWhatIsNoArgument(CallRules):
    """Executes requests of which Sends hold an item that is no eligible argument."""

    def judge_placed(self, placed: PlacedItem, item: DataItem | None) -> None:
        if item is not None:
            super().judge_placed(placed, item)


@mutant(breaks="v2.5.granted-calls-are-served")
class PostsOneReceiveForAGroup(Responder):
    """Posts a single Receive again for a request of several transmissions."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        return super()._receive(event, now)[event.sends - 1 :]


@mutant(breaks="v2.5.granted-calls-are-served")
class LosesReceivesByBrokenGroups(Duplex):
    """Posts no Receives again for the transmissions of a group that is broken."""

    def _group_broken(self, event: GroupBroken, now: float) -> list[Action]:
        return super()._group_broken(event, now)[event.sends :]
