"""Checks that a case about groups ends with: what must be reported or refused.

    faults.reported(client, message, BadSequence(2, 1), bad=(xms_id,), breaks=ID)
    faults.refused(client, message, breaks=ID)                 any refusal will do (D-106)
    faults.bad_header(client, message, breaks=ID)              RDMA2_ERR_BAD_HEADER
    faults.no_response(client, call, breaks=ID)                results that do not fit do not come

    rtrext section 5.4  Error Reporting
    rtrext section 9.5  Error Reporting Operation

What a report must be whatever it is about is the oracle's
(`conformance.oracle.responder.reports`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.interpretations import choice
from conformance.groups import answers
from conformance.groups.receiving import judge, received
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    InvalidOption,
    Outcome,
)
from conformance.oracle.responder.reports import NAMES_IT, broken_report_rules
from conformance.oracle.responder.responses import broken_response_rules
from conformance.oracle.transmissions import CODES, GroupAnswered, Reported
from conformance.tester.case import Deviation
from conformance.tester.client import build
from conformance.tester.sent import Message
from conformance.verify import accepted
from rpcrdma.ulp import rpc
from rpcrdma.wire._generated_rtrext import (
    BadOffset,
    BadPayloadLength,
    BadTargetSegment,
    ReportedError,
    TransmissionId,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from conformance.groups.client import GroupClient
    from conformance.groups.request import GroupCall
    from conformance.tester.sent import Call
    from conformance.verify import Ids
    from rpcrdma.wire._generated_rtrext import ErrorInformation

__all__ = [
    "FAULTY_GROUP",
    "FAULTY_PLACEMENT",
    "bad_header",
    "continuations_reported",
    "either",
    "no_response",
    "not_executed",
    "refused",
    "reported",
    "served_and_reported",
    "served_or_reported",
    "together",
]

FAULTY_GROUP: Final = "rtrext.5.4.faulty-groups-are-reported"
FAULTY_PLACEMENT: Final = "rtrext.5.4.faulty-placement-is-reported"

_EXPECTED: Final = "rtrext.9.5.expected-and-actual-value"
_RANGE: Final = "rtrext.9.5.value-and-valid-range"
_EARLIER: Final = "rtrext.9.5.report-may-name-an-earlier-one"

_Ranged = BadTargetSegment | BadOffset | BadPayloadLength


def reported(
    client: GroupClient,
    message: Message,
    *faults: ErrorInformation,
    bad: Collection[TransmissionId],
    or_else: tuple[type[Outcome], ...] = (),
    breaks: Ids,
    unreported: str = FAULTY_GROUP,
) -> Outcome:
    """A fault is reported, and nothing else comes of the message.

    Args:
        client: where it was sent.
        message: as far as it was sent when the fault could be found.
        faults: what may be reported; the bounds of a range are the least and greatest value that
            is valid in any way.
        bad: the transmissions that may be named as faulty.
        or_else: other kinds of outcome that are as good.
        breaks: requirements that a report of another error breaks.
        unreported: what is broken as well if there is no report.
    """
    kinds: tuple[type[Outcome], ...] = (Reported, *or_else)
    _note(client, message, kinds, faults, breaks)
    outcome = received(client.peer, message, kinds, (*verify.ids_of(breaks), unreported))
    if isinstance(outcome, Reported):
        _judge_report(client, message, outcome, faults, bad, breaks)
    return outcome


def served_or_reported(
    client: GroupClient, call: GroupCall, fault: ErrorInformation, *, breaks: Ids
) -> None:
    """The request is executed, or a value of it reported that is not aligned (D-121)."""
    served_by = answers.note_served(client, call, breaks)
    kinds: tuple[type[Outcome], ...] = (Reported, ErrChunk)
    _note(client, call.message, kinds, (fault,), breaks)
    outcome = received(client.peer, call.message, (*served_by, *kinds), breaks)
    if isinstance(outcome, Reported):
        first = TransmissionId(call.xid, MessageType.CALL, 0)
        _judge_report(client, call.message, outcome, (fault,), (first,), breaks)
    elif isinstance(outcome, served_by):
        answers.right(client, call, outcome, breaks=breaks)


def served_and_reported(
    client: GroupClient,
    call: GroupCall,
    surplus: Message,
    fault: ErrorInformation,
    *,
    bad: Collection[TransmissionId],
    breaks: Ids,
) -> None:
    """The request is executed, and a transmission after its end reported; either may come first."""
    served_by = answers.note_served(client, call, breaks)
    _note(client, surplus, (Reported,), (fault,), breaks)
    kinds = (*served_by, Reported)
    outcomes = [received(client.peer, surplus, kinds, breaks) for _ in range(2)]
    reports = [one for one in outcomes if isinstance(one, Reported)]
    verify.equal(len(reports), 1, "the number of reports", breaks=breaks)
    _judge_report(client, surplus, reports[0], (fault,), bad, breaks)
    (reply,) = (one for one in outcomes if one not in reports)
    answers.right(client, call, reply, breaks=breaks)


def refused(client: GroupClient, message: Message, *, breaks: Ids) -> Outcome:
    """A request is refused in one of the ways of D-106, and is not executed."""
    kinds = (ErrChunk, Reported, Answered, GroupAnswered, Disconnected)
    ids = verify.ids_of(breaks)
    accepted.note(client.peer, message, kinds, (), accepted.GARBAGE, ids)
    outcome = received(client.peer, message, kinds, breaks)
    if isinstance(outcome, Answered | GroupAnswered):
        reply = outcome.rpc
        verify.that(
            reply is not None and reply.outcome is rpc.RpcOutcome.GARBAGE_ARGS,
            "the request is not executed",
            actual=str(outcome),
            breaks=breaks,
        )
    return outcome


def bad_header(client: GroupClient, message: Message, *, breaks: Ids) -> None:
    """A message is reported as one whose header cannot be decoded (D-59)."""
    either_will_do = choice("D-59", client.peer.profile.extra.interpretations) == "either"
    allowed = (ErrChunk, InvalidOption) if either_will_do else (ErrChunk,)
    tolerated = () if either_will_do else (InvalidOption,)
    verify.expect(client.peer, message, *allowed, tolerated=tolerated, breaks=breaks)


def no_response(client: GroupClient, call: GroupCall, *, breaks: Ids) -> None:
    """A request whose results do not fit what is reserved for them gets no results (D-21)."""
    not_executed(client, call, "what does not fit does not come", breaks=breaks)


def not_executed(
    client: GroupClient,
    call: GroupCall,
    sentence: str = "the request is not executed",
    *,
    breaks: Ids,
) -> None:
    """A request is answered by an error, of whichever kind, or costs the connection.

    Args:
        client: where it was sent.
        call: the request.
        sentence: what does not hold otherwise.
        breaks: requirements that results break.
    """
    kinds = (ErrChunk, Disconnected, Answered, GroupAnswered)
    ids = verify.ids_of(breaks)
    accepted.note(client.peer, call.message, kinds, (), accepted.UNEXECUTED, ids)
    outcome = received(client.peer, call.message, kinds, breaks)
    if isinstance(outcome, GroupAnswered):
        state = client.peer.state
        judge(client.peer, outcome, broken_response_rules(outcome, call.good, state))
    if isinstance(outcome, Answered | GroupAnswered):
        reply = outcome.rpc
        verify.that(
            reply is not None and not reply.succeeded,
            sentence,
            actual=str(outcome),
            breaks=breaks,
        )


def continuations_reported(client: GroupClient, *, breaks: Ids) -> None:
    """After a request was refused, its continuations may be reported, and calls go on.

    Whoever refuses a request by its first transmission does not expect the others.
    """
    if not client.peer.connected:
        return
    call = build.small_call(client.peer)
    client.peer.send(call)
    outcome = client.peer.receive()
    while isinstance(outcome, Reported):
        verify.equal(outcome.code, ReportedError.OPTRERR_BADCONT, "what is reported", breaks=breaks)
        outcome = client.peer.receive()
    client.peer.put_aside(outcome)
    verify.served(client.peer, call, breaks=breaks)


def together(first: Call | Message, *later: Call | Message) -> Message:
    """Several messages as one that takes several Sends: what a fault is found by."""
    octets = tuple(send for one in later for send in one.sends)
    return Message(first.xid, first.octets, str(first), first.mutations, octets)


def either(number: TransmissionId, xid: int) -> tuple[TransmissionId, ...]:
    """What may be named where a message breaks a group: what was due, or that message.

    Args:
        number: the transmission that was due.
        xid: of the message.
    """
    numbers = (0, number.xmsi_seq)
    return (number, *(TransmissionId(xid, number.xmsi_dir, one) for one in numbers))


def _note(
    client: GroupClient,
    message: Message,
    kinds: Sequence[type[Outcome]],
    faults: Sequence[ErrorInformation],
    breaks: Ids,
) -> None:
    codes = frozenset(CODES[type(fault)] for fault in faults)
    accepted.note(client.peer, message, kinds, breaks=verify.ids_of(breaks), codes=codes)


def _judge_report(
    client: GroupClient,
    message: Message,
    outcome: Reported,
    faults: Sequence[ErrorInformation],
    bad: Collection[TransmissionId],
    breaks: Ids,
) -> None:
    report = outcome.report
    found = report.optre_info
    named = [fault for fault in faults if type(fault) is type(found)]
    if not named:
        raise Deviation(
            "A report names another error than there is.",
            expected=tuple(map(in_words, faults)),
            actual=str(outcome),
            breaks=verify.ids_of(breaks),
        )
    verify.that(
        report.optre_bad in bad,
        f"the report names {' or '.join(map(in_words, bad))}",
        actual=report.optre_bad,
        breaks=NAMES_IT,
    )
    lead = report.optre_lead
    # The number of the faulty one may be what is wrong with it.
    place = max(report.optre_bad.xmsi_seq, len(message.sends) - 1)
    verify.that(
        lead is None or lead.xmsi_seq < place,
        "what led to the fault is an earlier transmission",
        actual=lead,
        breaks=_EARLIER,
    )
    judge(client.peer, outcome, broken_report_rules(outcome, report.optre_bad.xmsi_xid))
    _judge_values(found, named)


def _judge_values(found: ErrorInformation, named: Sequence[ErrorInformation]) -> None:
    """The values of a report are those of a fault that there is, of the same kind."""
    if not isinstance(found, _Ranged):
        verify.equal(found, named[0], "what is reported", breaks=_EXPECTED)
        return
    verify.that(
        any(_is_of(found, one) for one in named if isinstance(one, _Ranged)),
        f"the report is like {' or '.join(map(in_words, named))}, with bounds that are themselves"
        " valid",
        actual=found,
        breaks=_RANGE,
    )


def _is_of(found: _Ranged, named: _Ranged) -> bool:
    """Whether value and bounds are those of a fault; where nothing is valid, the bounds cross."""
    least, greatest = found.optri_min, found.optri_max
    valid = range(named.optri_min, named.optri_max + 1)
    if not valid:
        return found.optri_value == named.optri_value and least > greatest
    bounded = least <= greatest and least in valid and greatest in valid
    return found.optri_value == named.optri_value and bounded
