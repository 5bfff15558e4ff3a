"""The oracle's view of what a request in a group says of its results.

rtrext section 4.3  Message Continuation and Credits (the Receives for the response)
rtrext section 5.3  Send-based DDP Support
rtrext section 6.2  Data Placement Preliminaries (table 1)
rtrext section 7.4  Response Direction DDP Structures
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.requester.request_group import memory_of
from conformance.oracle.requester.room import judge_segments
from conformance.oracle.sizes import CONTINUATION, HEADER_RESPONSE, ITEM, SEGMENT
from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from reports.record import Verdict
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, roundup_padding
from rpcrdma.wire._generated_rtrext import (
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
)
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.oracle.requester.request_group import RequestGroup
    from conformance.oracle.requester.state import RequesterState
    from rpcrdma.ulp.bindings import ReplyExpectation
    from rpcrdma.wire._generated_rtrext import ResponseDirection

__all__ = ["judge_directions"]

_MEMORY: Final[Mapping[type[ResponseDirection], str]] = {
    DirectToExplicitRdma: "rtrext.7.4.exrw-direction-offers-memory",
    DirectByChoice: "rtrext.6.2.choice-comes-with-memory",
    DirectBySize: "rtrext.7.4.bysize-direction-offers-memory",
}
"""What a direction breaks that comes without the memory that it should come with."""


def judge_directions(
    group: RequestGroup, unreduced: bytes, state: RequesterState
) -> Iterator[BrokenRule]:
    """The rules that the directions of a request break, and what it provides for its response.

    Args:
        group: the request.
        unreduced: the Call.
        state: before it arrived; its binding is known.
    """
    yield from _ranges(group)
    memory = tuple(chunk for chunk in group.offered if chunk.target)
    yield from judge_segments(RdmaMsg((), memory, None), VERSION_TWO)
    yield from _ways(group, state)
    if state.upper_layer is None:
        return
    try:
        expectation = state.upper_layer.expectation(unreduced)
    except DecodeError:
        return
    yield from _memory(group, expectation)
    yield from _room(group, expectation, state)


def _ranges(group: RequestGroup) -> Iterator[BrokenRule]:
    for first, second in pairwise(one.xmdrsds_range for one in group.contents.optxrq_rsd):
        if second.xmdrsdr_begin < first.xmdrsdr_begin:
            rules: Ids = ("rtrext.7.4.ranges-ascend",)
            yield broken_rule(
                rules, f"{in_words(second)} after {in_words(first)}", VERSION_TWO, ("D-115",)
            )
        elif second.xmdrsdr_begin < first.xmdrsdr_end:
            rules = ("rtrext.7.4.ranges-are-disjoint",)
            yield broken_rule(
                rules, f"{in_words(second)} overlaps {in_words(first)}", VERSION_TWO, ("D-115",)
            )


def _ways(group: RequestGroup, state: RequesterState) -> Iterator[BrokenRule]:
    """Whether results are directed as the Requester's own Receives allow."""
    ways = [item.xmdrsdi_loc for item in group.directions]
    if not state.told.layout.targets:
        if any(isinstance(way, DirectToSends) for way in ways):
            rule = "rtrext.5.3.unprepared-requester-directs-explicit-rdma"
            detail = "results are to be placed by Sends, and no target segment was told of"
            yield broken_rule(rule, detail, VERSION_TWO, severity=Verdict.WARN)
    elif ways and all(isinstance(way, DirectToExplicitRdma) for way in ways):
        rule = "rtrext.5.3.prepared-requester-says-so"
        detail = "target segments were told of, and no result may be placed there"
        yield broken_rule(rule, detail, VERSION_TWO, ("D-113",), Verdict.WARN)


def _memory(group: RequestGroup, expectation: ReplyExpectation) -> Iterator[BrokenRule]:
    """Whether the memory of a direction takes what may have to go there."""
    for index, direction in enumerate(item.xmdrsdi_loc for item in group.directions):
        rule = _MEMORY.get(type(direction))
        if rule is None:
            continue
        room = sum(segment.length for segment in memory_of(direction))
        # Of several ranges it is not known here which results meet a direction.
        alone = len(group.contents.optxrq_rsd) == 1
        largest = max(expectation.items[index:], default=0) if alone else 1
        if room < largest:
            detail = f"{room} octets of memory for a result of {largest}"
            yield broken_rule(rule, detail, VERSION_TWO, ("D-95",))


def _room(
    group: RequestGroup, expectation: ReplyExpectation, state: RequesterState
) -> Iterator[BrokenRule]:
    """Whether the longest response has room: in memory, and in the Receives that were told of.

    What is asked for is the least that any response of this length takes: how well it is arranged
    is its sender's affair.
    """
    told = group.contents.optxrq_rsbuf
    # D-97: the number may also be that of the transmissions beside the first.
    most = told + 1 if told else 1
    longest = HEADER_RESPONSE + expectation.maximum
    for largest, item in zip(expectation.items, group.directions, strict=False):
        memory = memory_of(item.xmdrsdi_loc)
        # D-103: XDR padding goes nowhere once its item has left the stream.
        longest += ITEM - roundup_padding(largest)
        if memory:
            longest += SEGMENT * len(memory) - largest
    octets = state.told.layout.length
    missing = len(expectation.items) - len(group.directions)
    if missing > 0 and longest > octets:
        detail = f"{missing} results that may be long have no direction"
        rule = "rtrext.7.1.requests-direct-bulk-results"
        yield broken_rule(rule, detail, VERSION_TWO, severity=Verdict.WARN)
    room = most * octets - (most - 1) * CONTINUATION
    if longest <= room:
        return
    detail = f"the longest response takes {longest} octets, and there is room for {room}"
    rules: Ids = ("rfc8166.6.2.reply-resources-for-the-maximum",)
    yield broken_rule(rules, detail, VERSION_TWO, ("D-97",))
