"""Mutants: where a server looks for the bulk data of requests (rtrext 4.2, 6.2, 7, 9.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.group_rules import GroupRules
from rpcrdma.wire._generated_rtrext import InTargetedSegments
from rpcrdma.wire.transmission import Transmission
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpcrdma.wire._generated_rtrext import MessageItem

LARGEST: Final = 2**32 - 1

OTHER_NUMBER: Final = "the number that is reported is not the one that was sent"


def _with_where(
    item: MessageItem, change: Callable[[InTargetedSegments], InTargetedSegments]
) -> MessageItem:
    """An item whose target segments are taken for others."""
    where = item.xmdmi_where
    if not isinstance(where, InTargetedSegments):
        return item
    return msgspec.structs.replace(item, xmdmi_where=change(where))


def _renumbered(counted: Sequence[int]) -> Callable[[InTargetedSegments], InTargetedSegments]:
    """How target segments are taken if only these have a number; for others there is none."""

    def real(where: InTargetedSegments) -> InTargetedSegments:
        numbers = tuple(
            counted[number] if number < len(counted) else LARGEST for number in where.xmdl_bsnum
        )
        return InTargetedSegments(where.xmdl_offset, numbers)

    return real


@mutant(
    breaks="rtrext.4.2.placement-applies-to-the-whole-message",
    also_trips=dict.fromkeys(
        ("rtrext.6.2.", "rtrext.7.2.segment-length", "rtrext.7.3."), because.ITEM_NOT_FOUND
    ),
)
class LooksForBulkDataInTheFirstTransmission(GroupRules):
    """Finds bulk data in the first transmission of a request alone."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        first = Transmission(arrived.parts[:1], arrived.octets, arrived.ends[:1])
        return super().located(items, first)


@mutant(
    breaks="rtrext.6.2.target-segments-are-numbered",
    also_trips={
        **dict.fromkeys(
            (
                "rtrext.4.2.placement-applies-to-the-whole-message",
                "rtrext.6.2.segments-after-a-short-transmission-count",
                "rtrext.7.2.segment-length",
                "rtrext.7.3.",
            ),
            because.ITEM_NOT_FOUND,
        ),
        "rtrext.5.4.faulty-placement-is-reported": "each number is taken for one that there is",
        "rtrext.9.5.badtbsn": "each number is taken for one that there is",
    },
)
class NumbersTheSegmentsOfEachSend(GroupRules):
    """Begins with zero in each Send when it looks for target segments."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        count = len(self._layout.targets)

        def within(where: InTargetedSegments) -> InTargetedSegments:
            numbers = tuple(number % count for number in where.xmdl_bsnum)
            return InTargetedSegments(where.xmdl_offset, numbers)

        return super().located([_with_where(item, within) for item in items], arrived)


@mutant(
    breaks="rtrext.6.2.segments-after-a-short-transmission-count",
    also_trips={
        **dict.fromkeys(
            (
                "rtrext.4.2.placement-applies-to-the-whole-message",
                "rtrext.6.2.target-segments-are-numbered",
                "rtrext.7.2.segment-length",
                "rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list",
            ),
            because.ITEM_NOT_FOUND,
        ),
        "rtrext.9.5.value-and-valid-range": OTHER_NUMBER,
    },
)
class PassesOverSegmentsThatAreNotReached(GroupRules):
    """Gives no number to target segments after the end of a Send."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        targets = self._layout.targets
        reached = [
            number * len(targets) + within
            for number, part in enumerate(arrived.parts)
            for within, target in enumerate(targets)
            if target.start < len(part)
        ]

        return super().located([_with_where(item, _renumbered(reached)) for item in items], arrived)


@mutant(
    breaks="rtrext.6.2.segments-with-payload-count",
    also_trips={"rtrext.9.5.value-and-valid-range": OTHER_NUMBER},
)
class PassesOverSegmentsWithPayload(GroupRules):
    """Gives no number to target segments that hold header or payload."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        targets = self._layout.targets
        free = [
            number * len(targets) + within
            for number, front in enumerate(arrived.ends)
            for within, target in enumerate(targets)
            if target.start >= front
        ]

        return super().located([_with_where(item, _renumbered(free)) for item in items], arrived)


@mutant(
    breaks="rtrext.7.3.tbsn-begins-at-the-offset",
    also_trips={"rtrext.9.5.": "an offset that is passed over is neither reported nor heeded"},
)
class BeginsAtTheBeginningOfASegment(GroupRules):
    """Takes bulk data from the beginning of their first target segment, whatever the offset."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        def begun(where: InTargetedSegments) -> InTargetedSegments:
            return InTargetedSegments(0, where.xmdl_bsnum)

        return super().located([_with_where(item, begun) for item in items], arrived)


@mutant(breaks="rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list")
class GoesOnInTheNextSegmentOfTheBuffer(GroupRules):
    """Takes bulk data from target segments in ascending order, whatever order they are told in."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        def ascending(where: InTargetedSegments) -> InTargetedSegments:
            return InTargetedSegments(where.xmdl_offset, tuple(sorted(where.xmdl_bsnum)))

        return super().located([_with_where(item, ascending) for item in items], arrived)


@mutant(
    breaks="rtrext.7.3.tbsn-names-the-segments",
    also_trips={
        **dict.fromkeys(
            (
                "rtrext.4.2.placement-applies-to-the-whole-message",
                "rtrext.5.3.sending-and-receiving-are-separate",
                "rtrext.6.2.",
                "rtrext.7.2.",
                "rtrext.7.3.",
                "rtrext.9.5.value-within-the-range-is-unaligned",
                "v2.4.2.3.ineligible-argument-is-reported",
                "v2.4.2.3.unparsable-arguments-get-garbage-args",
            ),
            because.ITEM_NOT_FOUND,
        ),
        "rtrext.9.5.value-and-valid-range": OTHER_NUMBER,
    },
)
class TakesTheSegmentAfterTheOneNamed(GroupRules):
    """Takes bulk data from the target segments after those that are named."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        last = len(self._layout.targets) * arrived.sends - 1

        def after(where: InTargetedSegments) -> InTargetedSegments:
            numbers = tuple(min(number + 1, last) for number in where.xmdl_bsnum)
            return InTargetedSegments(where.xmdl_offset, numbers)

        return super().located([_with_where(item, after) for item in items], arrived)


@mutant(
    breaks="rtrext.7.2.flagged-segments-take-bulk-data",
    also_trips=dict.fromkeys(
        (
            "rtrext.4.2.placement-applies-to-the-whole-message",
            "rtrext.5.3.sending-and-receiving-are-separate",
            "rtrext.6.2.displacements-are-in-the-whole-stream",
            "rtrext.7.2.segment-length",
            "rtrext.7.3.",
        ),
        because.REFUSED_FORM,
    ),
)
class RefusesBulkDataInTheLastTarget(GroupRules):
    """Refuses bulk data in the last target segment of a Send."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        count = len(self._layout.targets)
        for item in items:
            where = item.xmdmi_where
            if isinstance(where, InTargetedSegments) and any(
                number % count == count - 1 for number in where.xmdl_bsnum
            ):
                raise FaultFound(Fault.ITEMS_OVERLAP, "the last target")
        return super().located(items, arrived)


@mutant(breaks="rtrext.9.5.badtbsn")
class RefusesTargetsThatThereAreNot(GroupRules):
    """Reports a target segment that there is not as a header that cannot be decoded."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        last = len(self._layout.targets) * arrived.sends - 1
        for item in items:
            where = item.xmdmi_where
            if isinstance(where, InTargetedSegments) and any(
                number > last for number in where.xmdl_bsnum
            ):
                raise FaultFound(Fault.ITEMS_OVERLAP, "no such target")
        return super().located(items, arrived)


@mutant(breaks="rtrext.9.5.badoff")
class CutsOffsetsThatAreTooLarge(GroupRules):
    """Takes an offset beyond a target segment for the last octet but three of it."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        def cut(where: InTargetedSegments) -> InTargetedSegments:
            length = self._layout.targets[0].length
            offset = 0 if where.xmdl_offset >= length else where.xmdl_offset
            return InTargetedSegments(offset, where.xmdl_bsnum)

        return super().located([_with_where(item, cut) for item in items], arrived)


@mutant(
    breaks="rtrext.7.3.bulk-data-are-put-back",
    also_trips=dict.fromkeys(
        (
            "rtrext.4.2.placement-applies-to-the-whole-message",
            "rtrext.5.3.sending-and-receiving-are-separate",
            "rtrext.6.2.",
            "rtrext.7.2.",
            "rtrext.7.3.",
            "rtrext.9.5.value-within-the-range-is-unaligned",
        ),
        because.SPOILT_ITEM,
    ),
)
class LosesTheLastUnitOfBulkData(GroupRules):
    """Puts bulk data of several units back without the last octet."""

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        found = super().located(items, arrived)
        return tuple(data[:-1] + b"\0" if len(data) > 4 else data for data in found)
