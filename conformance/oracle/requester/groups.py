"""The specification as an oracle: what a request that comes as a transmission group must be.

    rtrext section 5.3  Send-based DDP Support
    rtrext section 6.2  Data Placement Preliminaries
    rtrext section 7.3  Message DDP Structures
    rtrext section 8.4  Request Transmission Receive Limit Property
    rtrext section 9    New Operations

A group that never becomes a message is judged by `judge_broken`, one of which the end is missing by
`unfinished`; whatever else begins as an operation of this extension and is no request by
`judge_operation`.  The directions for the results are judged in
`conformance.oracle.requester.directions`; credits, XIDs and the RPC message are judged as those of
any Call.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.requester.credits import judge_credits, judge_repetition, judge_xid
from conformance.oracle.requester.directions import judge_directions
from conformance.oracle.requester.framing import judge_framing
from conformance.oracle.requester.two import judge_length, judge_version
from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from reports.record import Verdict
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadOptionalType,
    BadPayloadLength,
    BadSequence,
    BadXid,
    ByExplicitRdma,
    NoItem,
    TooShort,
)
from rpcrdma.wire.operations import ROPT_XMTREQ, XmtCont
from rpcrdma.wire.placed_items import PlacementFault
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.versions import fixed_words
from rpcrdma.wire.words import constant_of, in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.oracle.requester.request_group import RequestGroup
    from conformance.oracle.requester.state import RequesterState
    from rpcrdma.wire._generated_rtrext import ErrorInformation, MessageItem
    from rpcrdma.wire.placed_items import Span
    from rpcrdma.wire.transmission import BrokenGroup, Transmission

__all__ = ["judge_broken", "judge_group", "unfinished"]

_COUNT: Final = "rtrext.9.2.count-of-a-request"
_FIRST_LENGTH: Final = "rtrext.9.1.pslen-of-a-first-transmission"
_LATER_LENGTH: Final = "rtrext.9.4.pslen-of-a-continuation"
_NOTHING_BETWEEN: Final = "rtrext.4.2.nothing-in-between"

_BREAKS: Final[Mapping[type[ErrorInformation], Ids]] = {
    BadHeaderType: (_NOTHING_BETWEEN, _COUNT),
    BadOptionalType: (_NOTHING_BETWEEN, _COUNT, "rtrext.9.1.code-of-xmtcont"),
    BadContinuation: ("rtrext.9.4.continuations-follow-a-beginning", _COUNT),
    BadSequence: (
        "rtrext.9.4.number-of-a-continuation",
        "rtrext.4.2.group-is-received-in-order",
        _COUNT,
    ),
    BadXid: ("rtrext.9.4.continuation-has-the-xid", _NOTHING_BETWEEN),
    BadPayloadLength: (_FIRST_LENGTH, _LATER_LENGTH),
}
"""What the sender of a group has done wrong for which this would be reported (rtrext 9.5).

Of a transmission alone it does not show which misunderstanding led to it: one that was left out has
the effect of a wrong number.  So all that may be meant are named."""

_STREAM: Final = (
    "rtrext.9.4.parts-are-the-payload-stream",
    "rtrext.9.2.payload-begins-after-xmtreq",
    _FIRST_LENGTH,
)
"""What may be wrong where the parts of a group together are no Call."""

_OF_SEVERAL: Final = (_LATER_LENGTH, "rtrext.9.4.payload-begins-after-xmtcont")
"""And with continuations."""

_OF_ITEMS: Final = (
    "rtrext.7.3.displacement-of-an-item",
    "rtrext.6.2.displacements-are-in-the-whole-stream",
    "rtrext.7.3.length-of-an-item",
    "rtrext.7.3.tbsn-names-the-segments",
)
"""And where something was taken out of the stream."""


_PLACES: Final = (
    "rtrext.7.3.tbsn-names-the-segments",
    "rtrext.7.3.tbsn-begins-at-the-offset",
    "rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list",
    "rtrext.6.2.target-segments-are-numbered",
    "rtrext.6.2.segments-after-a-short-transmission-count",
    "rtrext.6.2.segments-with-payload-count",
    "rtrext.7.2.only-flagged-segments-are-targets",
    "rtrext.7.2.segment-length",
    "rtrext.7.2.group-stands-for-like-segments",
    "rtrext.7.2.groups-follow-each-other",
    "rtrext.7.3.length-of-an-item",
)
"""What may be wrong where an item cannot be where it is said to be."""


def judge_group(
    group: RequestGroup, unreduced: bytes | None, state: RequesterState
) -> tuple[BrokenRule, ...]:
    """The rules that a request in a group breaks.

    Args:
        group: as it arrived.
        unreduced: the RPC message with all items in their places; None if it could not be put
            together.
        state: before it arrived.
    """
    return tuple(_judge(group, unreduced, state))


def judge_broken(broken: BrokenGroup) -> BrokenRule:
    """The rules that Sends of a Requester break which will never be a message."""
    info, bad = broken.report.optre_info, broken.report.optre_bad
    detail = f"transmission {bad.xmsi_seq} under {bad.xmsi_xid:#010x} is wrong: {in_words(info)}"
    readings = ("D-98", "D-99", "D-109", "D-119")
    return broken_rule(_BREAKS[type(info)], detail, VERSION_TWO, readings)


def unfinished(arrived: int) -> BrokenRule:
    """What is broken by a group of which so many transmissions have come, and not the last."""
    detail = f"{arrived} transmissions of a group have come, and nothing else comes"
    return broken_rule(_COUNT, detail, VERSION_TWO, ("D-98",))


def _judge(
    group: RequestGroup, unreduced: bytes | None, state: RequesterState
) -> Iterator[BrokenRule]:
    words = fixed_words(group.arrived.octets)
    sends = group.arrived.sends
    yield from judge_version(words, state)
    for part in group.arrived.parts:
        yield from judge_length(len(part), state)
    yield from judge_xid(words, state, VERSION_TWO)
    yield from judge_credits(words, state, VERSION_TWO, sends)
    yield from _of_several(sends, state)
    if group.contents.optxrq_count != sends:
        detail = f"the count is {group.contents.optxrq_count} in a request of one transmission"
        yield broken_rule(_COUNT, detail, VERSION_TWO, ("D-98",))
    if group.direction is not MessageType.CALL:
        rule = "v2.4.2.2.direction-is-the-msg-type"
        yield broken_rule(rule, "an XMTREQ that says REPLY", VERSION_TWO, ("D-134",))
    yield from _continuations(group)
    yield from _placement(group, state)
    yield from _message(group, unreduced, state)


def _of_several(sends: int, state: RequesterState) -> Iterator[BrokenRule]:
    limit = max(one.request_limit for one in state.announced)
    if sends > limit:
        rules: Ids = ("rtrext.8.4.no-request-beyond-the-limit",)
        if limit == 1:
            rules = (*rules, "rtrext.8.1.default-of-the-request-limit")
        yield broken_rule(rules, f"{sends} transmissions, {limit} are allowed", VERSION_TWO)
    if all(view.headroom < sends for view in state.views):
        rules = ("rtrext.4.3.credits-for-the-whole-request",)
        newest = state.views[-1]
        detail = f"{sends} transmissions where there are credits for {newest.headroom}"
        yield broken_rule(rules, detail, VERSION_TWO, ("D-109",))


def _continuations(group: RequestGroup) -> Iterator[BrokenRule]:
    """What shows in single transmissions, and costs the group nothing."""
    for said in group.said:
        if isinstance(said, XmtCont) and said.optxc_itype != ROPT_XMTREQ:
            rule = "rtrext.9.4.itype-is-the-first-operation"
            detail = f"optxc_itype is {said.optxc_itype}"
            yield broken_rule(rule, detail, VERSION_TWO, ("D-100",), Verdict.WARN)
    if not group.contents.optxrq_pslen:
        rule = "rtrext.9.1.first-transmission-has-payload"
        detail = "nothing of the Payload stream is in the first transmission"
        yield broken_rule(rule, detail, VERSION_TWO, severity=Verdict.WARN)


def _placement(group: RequestGroup, state: RequesterState) -> Iterator[BrokenRule]:
    for item in group.items:
        if isinstance(item.xmdmi_where, TooShort | NoItem):
            rule = "rtrext.6.2.types-of-items-in-requests"
            detail = f"{constant_of(type(item.xmdmi_where))} in a request"
            yield broken_rule(rule, detail, VERSION_TWO, ("D-106",))
        yield from _memory(item)
    try:
        spans = group.spans(state.announced)
    except PlacementFault as fault:
        yield _misplaced(fault, state)
        return
    yield from _padding(group.arrived, [span for of_item in spans for span in of_item])


def _memory(item: MessageItem) -> Iterator[BrokenRule]:
    """Whether memory to be read is as long as its item."""
    where = item.xmdmi_where
    if not isinstance(where, ByExplicitRdma):
        return
    length = sum(segment.length for segment in where.xmdl_ex)
    if length != item.xmdmi_length:
        rules = ("rtrext.7.3.exrw-of-a-request-names-its-memory", "rtrext.7.3.length-of-an-item")
        detail = f"{length} octets of memory for an item of {item.xmdmi_length}"
        yield broken_rule(rules, detail, VERSION_TWO, ("D-95",))


def _misplaced(fault: PlacementFault, state: RequesterState) -> BrokenRule:
    """An item that cannot be where it is said to be."""
    rules: Ids = (fault.requirement, *_PLACES)
    if not any(one.layout.targets for one in state.announced):
        rules = ("rtrext.8.1.default-of-the-buffer-structure", *rules)
    return broken_rule(tuple(dict.fromkeys(rules)), fault.detail, VERSION_TWO, ("D-103", "D-118"))


def _padding(arrived: Transmission, spans: list[Span]) -> Iterator[BrokenRule]:
    """Whether what is neither header, nor payload, nor bulk data, is zero."""
    for number, (part, end) in enumerate(zip(arrived.parts, arrived.ends, strict=True)):
        rest = bytearray(part)
        rest[:end] = bytes(end)
        for send, start, length in spans:
            if send == number:
                rest[start : start + length] = bytes(length)
        if any(rest):
            rule = "rtrext.11.padding-tells-nothing"
            detail = f"transmission {number} has octets that are nothing and not zero"
            yield broken_rule(rule, detail, VERSION_TWO, severity=Verdict.WARN)


def _message(
    group: RequestGroup, unreduced: bytes | None, state: RequesterState
) -> Iterator[BrokenRule]:
    """The RPC message, and what was taken out of it."""
    suspects = _suspects(group)
    if unreduced is None:
        return
    body = group.header.rdma_body
    if not isinstance(body, RdmaMsg):
        raise TypeError("the header of a group is that of an RDMA_MSG")
    framing = [
        replace(rule, ids=(*suspects, *rule.ids))
        for rule in judge_framing(body, unreduced, group.header.rdma_xid, VERSION_TWO)
    ]
    yield from framing
    if framing:
        return
    yield from judge_repetition(unreduced, state, VERSION_TWO)
    if state.upper_layer is None:
        return
    try:
        eligible = state.upper_layer.arguments(unreduced)
    except DecodeError as error:
        detail = f"the arguments cannot be decoded: {error}"
        yield broken_rule(
            (*suspects, "rtrext.7.3.all-bulk-data-are-listed"), detail, VERSION_TWO, ("D-103",)
        )
        return
    lengths = {item.position: item.length for item in eligible}
    for item in group.items:
        yield from _eligible(item, lengths)
    yield from judge_directions(group, unreduced, state)


def _suspects(group: RequestGroup) -> Ids:
    """What may be wrong where the RPC message is."""
    several = _OF_SEVERAL if group.arrived.sends > 1 else ()
    return (*_STREAM, *several, *(_OF_ITEMS if group.items else ()))


def _eligible(item: MessageItem, lengths: Mapping[int, int]) -> Iterator[BrokenRule]:
    """Whether an item is just one that may be taken out of the stream."""
    place, length = item.xmdmi_disp, item.xmdmi_length
    if lengths.get(place) == length:
        return
    rules: Ids = ("rtrext.3.3.only-eligible-items-leave-the-stream",)
    if isinstance(item.xmdmi_where, ByExplicitRdma):
        rules = (*rules, "rtrext.7.3.exrw-items-are-as-chunks")
    if place in lengths:
        rules = ("rtrext.7.3.length-of-an-item", *rules)
    elif length in lengths.values():
        rules = (*_OF_ITEMS[:2], *rules)
    detail = f"{length} octets at displacement {place} are no argument that may be taken out"
    yield broken_rule(rules, detail, VERSION_TWO, ("D-20",))
