"""The specification as an oracle: what a Requester may do about a response in a group.

    rtrext section 5.4  Error Reporting
    rtrext section 7.3  Message DDP Structures
    rtrext section 7.4  Response Direction DDP Structures (table 2)
    rtrext section 9.3  Transmit Response Operation

`group_reaction` is asked about Sends that make a message, `broken_reaction` about those that will
never be one, and `PENDING` is the answer as long as more are to come.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO, is_two
from conformance.oracle.requester.expectation import (
    Contents,
    Reaction,
    ReactionExpectation,
    may_react,
)
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.bindings import restore
from rpcrdma.ulp.rpc import decode_reply
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    NoItem,
    TooShort,
)
from rpcrdma.wire.operations import XmtResp
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.placed_items import PlacementFault, gather, spans_of
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.versions import fixed_words
from rpcrdma.wire.words import constant_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.oracle.requester.request_group import RequestGroup
    from conformance.oracle.requester.state import OutstandingCall, RequesterState
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire._generated_rtrext import ItemLocation, MessageItem, ResponseDirection
    from rpcrdma.wire.transmission import BrokenGroup, Transmission

__all__ = ["PENDING", "broken_reaction", "group_reaction", "response_in"]

_WHOLE: Final = "rtrext.9.3.response-is-whole-with-its-count"
_MATCHED: Final = ("rfc8166.2.2.2.reply-xid-is-the-calls", _WHOLE)
_RETIRED: Final = ("rfc8166.2.2.2.reply-retires-the-xid",)
_REPORTED: Final = ("rtrext.5.4.faulty-groups-are-reported",)
_MISPLACED: Final = ("rtrext.5.4.faulty-placement-is-reported",)
_UNUSED: Final = ("rtrext.7.4.invalid-answers-are-not-used",)
_INELIGIBLE: Final = (
    "rfc8166.6.1.reduced-ineligible-result-ends-the-rpc",
    "rfc8166.6.1.reassembly-gives-a-valid-stream",
)

_NOTHING: Final = (TooShort, NoItem)

_ANSWERS: Final[Mapping[type[ResponseDirection], tuple[type[ItemLocation], ...]]] = {
    DirectToExplicitRdma: (ByExplicitRdma, *_NOTHING),
    DirectToSends: (InTargetedSegments, *_NOTHING),
    DirectByChoice: (ByExplicitRdma, InTargetedSegments, *_NOTHING),
    DirectBySize: (ByExplicitRdma, InTargetedSegments, *_NOTHING),
}
"""Table 2."""

PENDING: Final = ReactionExpectation("", (may_react(Reaction.WAITING, _WHOLE, VERSION_TWO),))
"""Of a Send that does not complete its group."""


def response_in(arrived: Transmission) -> tuple[XmtResp, MessageType] | None:
    """The contents of an XMTRESP, and its direction; None if a message is none."""
    if not is_two(arrived.octets):
        return None
    try:
        header, _ = v2.decode_header(arrived.octets)
        body = header.rdma_body
        contents = decode_option(body) if isinstance(body, v2.Rdma2Optional) else None
    except DecodeError:
        return None
    if not isinstance(body, v2.Rdma2Optional) or not isinstance(contents, XmtResp):
        return None
    return contents, body.rdma_optdir


def broken_reaction(broken: BrokenGroup, state: RequesterState) -> ReactionExpectation:
    """What a Requester may do about Sends that will never be a message."""
    report = broken.report
    about = report.optre_lead or report.optre_bad
    fault = f"a broken group: {report.optre_info}"
    return _lost(fault, state.call(about.xmsi_xid), _REPORTED, ("D-119",))


def group_reaction(
    arrived: Transmission,
    response: XmtResp,
    direction: MessageType,
    state: RequesterState,
    contents: Contents | None,
) -> ReactionExpectation:
    """What a Requester may do about a response that came as a group.

    Args:
        arrived: its Sends.
        response: what the first of them says.
        direction: rdma_optdir.
        state: before they were sent.
        contents: what is in the Requester's memory; None if nobody knows.
    """
    words = fixed_words(arrived.octets)
    call = state.call(words.xid)
    if call is None:
        fault = f"rdma_xid {words.xid:#010x} is of no outstanding Call"
        waiting = may_react(Reaction.WAITING, _RETIRED, VERSION_TWO)
        return ReactionExpectation(fault, (waiting,), grant=words.credit)
    group = call.group
    if group is None:
        rule = ("rtrext.5.2.groups-answer-xmtreq",)
        return _unusable("an XMTRESP to what was no group", call, rule, ("D-116",))
    if direction is not MessageType.REPLY:
        rule = ("v2.4.2.3.wrong-direction-is-not-served",)
        return _unusable("its direction is CALL", call, rule, ("D-134",))
    if response.optxrs_count != arrived.sends:
        return _unusable("a count of 0", call, (_WHOLE,), ("D-98",))
    wrong = next(_wrong_answers(group, response), "")
    if wrong:
        return _unusable(wrong, call, _UNUSED, ("D-105", "D-106"))
    try:
        lengths = [len(part) for part in arrived.parts]
        spans = spans_of(state.told.layout, response.optxrs_ddp, lengths, arrived.ends)
    except PlacementFault as fault:
        return _lost(fault.detail, call, _MISPLACED, ("D-106", "D-118"))
    placed = tuple(gather(arrived.parts, one) for one in spans)
    result = _delivered(arrived, response.optxrs_ddp, placed, call, state, contents)
    result = replace(result, grant=words.credit)
    return _within_reserve(result, arrived.sends, group)


def _unusable(
    fault: str, call: OutstandingCall, rules: tuple[str, ...], readings: tuple[str, ...]
) -> ReactionExpectation:
    """A response that no Requester can take (D-106)."""
    allowed = tuple(
        may_react(reaction, rules, VERSION_TWO, readings)
        for reaction in (Reaction.FAILED, Reaction.WAITING, Reaction.CLOSED)
    )
    return ReactionExpectation(fault, allowed, call.xid)


def _lost(
    fault: str, call: OutstandingCall | None, rules: tuple[str, ...], readings: tuple[str, ...]
) -> ReactionExpectation:
    """What is reported: its Responder may reply again (rtrext 5.4)."""
    waiting = may_react(Reaction.WAITING, rules, VERSION_TWO, readings)
    if call is None:
        return ReactionExpectation(fault, (waiting,))
    others = tuple(
        may_react(reaction, rules, VERSION_TWO, readings)
        for reaction in (Reaction.FAILED, Reaction.CLOSED)
    )
    return ReactionExpectation(fault, (waiting, *others), call.xid)


def _wrong_answers(group: RequestGroup, response: XmtResp) -> Iterator[str]:
    """How the entries of a response are no answers to the directions of its request."""
    directions, items = group.directions, response.optxrs_ddp
    if len(items) != len(directions):
        yield f"{len(items)} entries for {len(directions)} directions"
        return
    for direction, offered, item in zip(directions, group.offered, items, strict=True):
        where, way = item.xmdmi_where, direction.xmdrsdi_loc
        if not isinstance(where, _ANSWERS[type(way)]):
            yield f"{constant_of(type(where))} answers {constant_of(type(way))}"
        elif isinstance(where, ByExplicitRdma):
            room = [(one.handle, one.offset) for one in offered.target]
            if [(one.handle, one.offset) for one in where.xmdl_ex] != room:
                yield "the memory returned is not that of the direction"
            elif sum(one.length for one in where.xmdl_ex) != item.xmdmi_length:
                yield "the memory returned has another length than the item"


def _delivered(
    arrived: Transmission,
    items: tuple[MessageItem, ...],
    placed: tuple[bytes, ...],
    call: OutstandingCall,
    state: RequesterState,
    contents: Contents | None,
) -> ReactionExpectation:
    """A response whose transmissions are right: what its results are worth."""
    good = may_react(Reaction.COMPLETED, _MATCHED, VERSION_TWO)
    failed = may_react(Reaction.FAILED, _MATCHED, VERSION_TWO)
    result = ReactionExpectation("", (good,), call.xid, is_valid_reply=True)
    _, end = v2.decode_header(arrived.octets)
    stream = arrived.octets[end:]
    if stream[:4] != arrived.octets[:4]:
        rule = ("rfc8166.4.5.bad-reply-header-discarded",)
        return _unusable("another XID in the Payload stream", call, rule, ("D-12",))
    parts: list[tuple[int, bytes]] = []
    for item, octets in zip(items, placed, strict=True):
        data: bytes | None = octets
        if isinstance(item.xmdmi_where, ByExplicitRdma):
            data = None if contents is None else contents(item.xmdmi_where.xmdl_ex)
        if data is None:
            return replace(result, allowed=(good, failed))
        if not isinstance(item.xmdmi_where, _NOTHING):
            parts.append((item.xmdmi_disp, data))
    whole = restore(stream, sorted(parts))
    if state.upper_layer is None or call.unreduced is None:
        return replace(result, allowed=(good, failed))
    fault = _ineligible(call.unreduced, whole, parts, state.upper_layer)
    if fault:
        return _unusable(fault, call, _INELIGIBLE, ("D-28",))
    allowed = (good,) if decode_reply(whole)[0].succeeded else (good, failed)
    return replace(result, allowed=allowed, payload=whole)


def _ineligible(
    call: bytes, reply: bytes, parts: list[tuple[int, bytes]], layer: UpperLayer
) -> str:
    """What is wrong with bulk data that were put back; empty if nothing is."""
    try:
        found = layer.results(call, reply)
    except DecodeError as error:
        return f"the results cannot be decoded: {error}"
    eligible = {(item.position, item.length) for item in found if item is not None}
    strange = [(place, len(data)) for place, data in parts if (place, len(data)) not in eligible]
    return f"{strange} are no results that may be placed" if strange else ""


def _within_reserve(
    result: ReactionExpectation, sends: int, group: RequestGroup
) -> ReactionExpectation:
    """Whether there need be Receives for so many transmissions."""
    told = max(1, group.contents.optxrq_rsbuf)
    if sends <= told:
        return result
    rules = ("rtrext.5.2.response-stays-within-the-reserve",)
    refused = tuple(
        may_react(reaction, rules, VERSION_TWO, ("D-97",))
        for reaction in (Reaction.FAILED, Reaction.WAITING, Reaction.CLOSED)
    )
    allowed = refused if sends > told + 1 else (*result.allowed, *refused)
    fault = f"{sends} transmissions, and {told} were told of"
    return replace(result, fault=fault, allowed=allowed, is_valid_reply=False, may_be_first=True)
