"""What a response in transmissions must be, given the request that it answers.

    rtrext section 5.2  Message Continuation Support
    rtrext section 7.3  Message DDP Structures
    rtrext section 7.4  Response Direction DDP Structures (table 2)
    rtrext section 9.3  Transmit Response Operation

How entries and directions belong together is for `conformance.oracle.responder.directions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.responder.directions import broken_entries
from conformance.oracle.responder.opened import opened
from conformance.oracle.responder.told_wrongly import told_wrongly
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.oracle.verdict import broken_rule
from reports.record import Verdict
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ROPT_XMTRESP, XmtCont
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.rpc import MessageType, decode_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.oracle.responder.expectation import ResponderState
    from conformance.oracle.responder.group_request import GroupRequest
    from conformance.oracle.transmissions import GroupAnswered
    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.wire.placed_items import Span

__all__ = ["broken_response_rules"]

_XID: Final = "rfc8166.2.2.2.reply-xid-is-the-calls"
_DIRECTION: Final = "v2.4.2.2.optional-direction-with-payload"
_CREDIT: Final = "rfc8166.3.3.1.grant-is-never-zero"
_NO_REQUEST: Final = "rtrext.5.2.groups-answer-xmtreq"
_COUNT: Final = "rtrext.9.3.count-of-a-response"
_LIMIT: Final = "rtrext.8.5.no-response-beyond-the-limit"
_RESERVE: Final = "rtrext.5.2.response-stays-within-the-reserve"
_FIRST: Final = "rtrext.9.1.first-transmission-has-payload"
_PSLEN: Final = "rtrext.9.1.pslen-of-a-first-transmission"
_CONTINUED_PSLEN: Final = "rtrext.9.4.pslen-of-a-continuation"
_BEGINS: Final = "rtrext.9.3.payload-begins-after-xmtresp"
_LISTED: Final = "rtrext.7.3.all-bulk-data-are-listed"
_PARTS: Final = "rtrext.9.4.parts-are-the-payload-stream"
_ITYPE: Final = "rtrext.9.4.itype-is-the-first-operation"
_PADDING: Final = "rtrext.11.padding-tells-nothing"
_SIZE: Final = "xcharext.3.1.no-send-beyond-the-announced-size"
_DERIVED_SIZE: Final = "rtrext.8.3.size-follows-from-the-structure"
_PAYLOAD_XID: Final = "rfc8166.4.2.1.xid-equals-payload-xid"

_SHIFT: Final = 16
"""Octets in which the XID of a payload is looked for that does not begin where it should."""


def broken_response_rules(
    response: GroupAnswered, asked: GroupRequest | None, state: ResponderState
) -> tuple[BrokenRule, ...]:
    """The rules that a response breaks.

    Args:
        response: as it came.
        asked: the request that it answers; None if that came in no XMTREQ.
        state: of device and connection, as they are when the response has come.
    """
    return tuple(_broken(response, asked, state))


def _broken(
    response: GroupAnswered, asked: GroupRequest | None, state: ResponderState
) -> Iterator[BrokenRule]:
    if response.direction is not MessageType.REPLY:
        yield broken_rule(_DIRECTION, "a response that says CALL", VERSION_TWO)
    if response.credits == 0:
        yield broken_rule(_CREDIT, "rdma_credit is 0", VERSION_TWO)
    if asked is None:
        yield broken_rule(_NO_REQUEST, "a response to a message of Version Two's own", VERSION_TWO)
        return
    if response.xid != asked.xid:
        detail = f"rdma_xid is {response.xid:#010x}, that of the request {asked.xid:#010x}"
        yield broken_rule(_XID, detail, VERSION_TWO)
    yield from _counts(response, asked, state)
    yield from _sends(response, state)
    found = opened(response, state)
    told = told_wrongly(response, asked, state, found)
    if told is not None:
        yield told
        return
    if found.fault is not None:
        yield broken_rule(found.fault.requirement, str(found.fault), VERSION_TWO, ("D-103",))
        return
    yield from _padding(response, found.spans)
    yield from _message(response, found.octets)
    yield from broken_entries(response.contents.optxrs_ddp, found.octets, asked, state)


def _counts(
    response: GroupAnswered, asked: GroupRequest, state: ResponderState
) -> Iterator[BrokenRule]:
    told, sends = response.contents.optxrs_count, response.sends
    if told != sends:
        yield broken_rule(_COUNT, f"{told} transmissions told, {sends} sent", VERSION_TWO)
    if sends > state.own.response_limit:
        detail = f"{sends} transmissions, and the limit told is {state.own.response_limit}"
        yield broken_rule(_LIMIT, detail, VERSION_TWO)
    reserved = max(1, asked.reserve)
    if sends > reserved:
        # D-97: one more than the value is lawful by the other reading.
        severity = Verdict.WARN if sends == asked.reserve + 1 else Verdict.FAIL
        detail = f"{sends} transmissions, and optxrq_rsbuf is {asked.reserve}"
        yield broken_rule(_RESERVE, detail, VERSION_TWO, ("D-97",), severity)


def _sends(response: GroupAnswered, state: ResponderState) -> Iterator[BrokenRule]:
    # D-142: every receiver has to support 4096 octets, whatever it has told.
    longest = max(state.requester.layout.length, THRESHOLD_TWO)
    for number, send in enumerate(response.transmission.parts):
        if len(send) > longest:
            rule = _DERIVED_SIZE if state.requester.octets is None else _SIZE
            detail = f"transmission {number} has {len(send)} octets, and {longest} are taken"
            yield broken_rule(rule, detail, VERSION_TWO, ("D-101", "D-142"))
        if not number:
            continue
        contents = _contents(send)
        if isinstance(contents, XmtCont) and contents.optxc_itype != ROPT_XMTRESP:
            detail = f"optxc_itype of transmission {number} is {contents.optxc_itype}"
            yield broken_rule(_ITYPE, detail, VERSION_TWO, ("D-100",), Verdict.WARN)
    if response.payload and not response.contents.optxrs_pslen:
        detail = "the first transmission has nothing of the Payload stream"
        yield broken_rule(_FIRST, detail, VERSION_TWO, severity=Verdict.WARN)


def _contents(send: bytes) -> object:
    body = v2.decode_header(send)[0].rdma_body
    return decode_option(body) if isinstance(body, v2.Rdma2Optional) else None


def _padding(response: GroupAnswered, spans: Sequence[Sequence[Span]]) -> Iterator[BrokenRule]:
    """What is neither header, payload nor item is padding: before an item, and zero."""
    used = [span for of_item in spans for span in of_item]
    arrived = response.transmission
    for number, (send, front) in enumerate(zip(arrived.parts, arrived.ends, strict=True)):
        rest = bytearray(send[front:])
        last = 0
        for span in used:
            if span.send == number:
                start = span.start - front
                rest[start : start + span.length] = bytes(span.length)
                last = max(last, start + span.length)
        if len(rest) > last:
            rule = (_CONTINUED_PSLEN if number else _PSLEN, _LISTED)
            detail = f"transmission {number} has {len(rest) - last} octets of nothing at its end"
            yield broken_rule(rule, detail, VERSION_TWO, ("D-99", "D-118"))
        elif any(rest):
            detail = f"padding in transmission {number} is not zero"
            yield broken_rule(_PADDING, detail, VERSION_TWO, severity=Verdict.WARN)


def _message(response: GroupAnswered, octets: bytes) -> Iterator[BrokenRule]:
    """The RPC message is a Reply to this request."""
    begins = response.payload.find(response.xid.to_bytes(4), 0, _SHIFT)
    if begins > 0:
        detail = f"the payload begins {begins} octets after the header"
        yield broken_rule(_BEGINS, detail, VERSION_TWO, ("D-60",))
        return
    try:
        message, _ = decode_message(octets)
    except DecodeError as error:
        rule = _PARTS if response.sends > 1 else _PSLEN
        yield broken_rule(rule, f"no RPC message: {error}", VERSION_TWO)
        return
    if message.xid != response.xid:
        detail = f"XID {message.xid:#010x} under rdma_xid {response.xid:#010x}"
        yield broken_rule(_PAYLOAD_XID, detail, VERSION_TWO)
