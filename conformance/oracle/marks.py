"""Which field of which message a broken rule is about, for the record of what was exchanged.

A judge that knows the field says so (`BrokenRule.fields`); for the other rules the field follows
from the requirement: that an error echoes the XID is about rdma_xid, wherever it is looked at.  Of
rules about more than one message, or about what happens to memory, there is no field.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import GOES_ON, statement
from conformance.oracle.outcome import AnsweringOutcome, Called, Undecodable, Unexpected
from conformance.oracle.transmissions import Scattered
from conformance.oracle.verdict import FaultyField, SeenMessage
from reports.record import Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.verdict import BrokenRule, Judgement

__all__ = [
    "ITEMS",
    "LENGTH_OF_THE_PAYLOAD",
    "WHAT_IT_IS",
    "faulty_fields",
    "field_of",
    "marks_by",
    "marks_in",
    "marks_of",
    "marks_of_contents",
    "marks_of_judgement",
    "marks_of_kind",
    "seen_message",
    "seen_outcome",
]

WHAT_IT_IS: Final = "what it is"
"""Instead of a path: the field by which a message is what it is, and not what had to come: the code
of an error, else its procedure."""

ITEMS: Final = "items"
"""Instead of a path: the list of bulk data, which request and response have by different names."""

LENGTH_OF_THE_PAYLOAD: Final = "length of the payload"
"""Likewise how much of the Payload stream the first transmission of a group says that it has."""

_TWO: Final = 2

_RULES: Final[Mapping[str, str]] = {
    "rdma_xid": """
        rfc8166.2.2.2.call-xid-is-unique rfc8166.2.2.2.reply-xid-is-the-calls
        rfc8166.4.5.error-xid-echoed
        bidir.1.3.4.call-xid-is-unique bidir.1.3.4.reply-xid-is-the-calls
        bidir.2.5.call-has-a-fresh-xid bidir.2.6.reply-has-the-calls-xid
        v2.3.1.refusal-echoes-the-xid v2.5.1.answer-has-the-same-xid
        v2.5.2.err-vers-has-the-same-xid xcharext.4.3.answer-has-the-requests-xid
    """,
    "rdma_vers": """
        rfc8166.4.2.2.version-is-one rfc8166.4.5.error-version-echoed
        bidir.2.5.call-has-version-one bidir.2.6.reply-has-version-one
        v2.5.first-message-has-version-two v2.5.1.answer-has-version-two
        v2.5.2.picked-version-is-used-from-then-on v2.5.2.version-is-picked-from-the-range
        v2.5.3.reply-has-the-version-of-its-call
    """,
    "rdma_credit": """
        rfc8166.3.3.1.grant-is-never-zero rfc8166.3.3.1.every-call-requests-credits
        rfc8166.3.3.1.every-reply-grants-credits rfc8166.3.3.1.credit-value-is-not-a-countdown
        rfc8166.4.2.3.call-carries-requested-credits rfc8166.4.2.3.reply-carries-granted-credits
        bidir.2.1.2.credit-is-never-zero bidir.2.1.2.call-requests-credits
        bidir.2.1.2.reply-grants-credits bidir.2.5.call-carries-credits
        bidir.2.6.reply-carries-credits
        v2.4.2.2.optional-credit-of-its-direction v2.5.answer-reports-the-credit-limit
    """,
    "rdma_proc": """
        rfc8166.4.2.4.msg-is-zero rfc8166.4.2.4.msgp-is-reserved rfc8166.4.2.4.done-is-reserved
        rfc8166.4.2.4.error-is-four rfc8166.4.2.4.requester-sends-no-error
        rfc8166.4.5.error-procedure rfc8166.4.6.1.msgp-is-not-sent rfc8166.4.6.2.done-is-not-sent
        bidir.2.5.call-is-rdma-msg bidir.2.6.reply-is-rdma-msg
        v2.4.2.procedure-numbers v2.4.2.3.requester-sends-no-other-error
    """,
    "rdma_direction": """
        v2.3.2.optional-messages-tell-their-direction v2.3.2.chunk-lists-begin-with-the-direction
        v2.4.2.2.direction-is-the-msg-type v2.4.2.2.optional-direction-with-payload
        v2.4.2.2.optional-direction-without-payload
    """,
    "rdma_err": """
        rfc8166.4.5.error-code-tells-the-kind rfc8166.4.5.1.unsupported-version-gets-err-vers
        rfc8166.4.5.2.xdr-error-gets-err-chunk v2.3.1.refusal-has-its-own-code
    """,
    "rdma_vers_low": """
        rfc8166.4.5.1.err-vers-range v2.5.2.err-vers-reports-a-range
    """,
    "rdma_reads": """
        rfc8166.4.3.1.read-list-empty-in-replies rfc8166.4.3.1.read-list-empty-without-need
        rfc8166.4.3.1.read-list-groups-by-position rfc8166.4.2.4.nomsg-lists-hold-the-payload
        rfc8166.4.2.4.nomsg-has-a-list
    """,
    "rdma_writes": """
        rfc8166.4.3.2.write-list-empty-without-results rfc8166.4.3.2.1.one-chunk-for-one-result
        rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused
        rfc8166.4.3.2.results-pushed-into-write-chunks rfc8166.3.4.6.write-chunk-filled-in-order
        rfc8166.3.4.6.segment-lengths-tell-what-was-written
    """,
    "rpc_status": """
        rfc8166.4.5.2.unparsable-arguments-get-garbage-args
        rfc8166.6.1.ineligible-argument-is-reported
    """,
    "rdma_reply": """
        rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit rfc8166.4.3.3.reply-chunk-returned
        rfc8166.4.3.3.reply-chunk-absent-otherwise
        rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written
        rfc8166.3.5.3.reply-chunk-holds-the-largest-reply
    """,
    "position": "rfc8166.3.4.5.position-is-a-multiple-of-four",
    "xid": """
        rfc8166.4.2.1.xid-equals-payload-xid rfc8166.3.2.payload-begins-with-xid
        bidir.2.5.call-header-follows-with-the-same-xid
        bidir.2.6.reply-header-follows-with-the-same-xid
    """,
    "mtype": """
        rfc8166.2.2.2.call-msg-type rfc8166.2.2.2.reply-msg-type
        bidir.2.5.call-msg-type bidir.2.6.reply-msg-type
    """,
    "payload": """
        rfc8166.3.2.no-other-framing rfc8166.3.2.payload-follows-the-header
        rfc8166.3.4.3.reduced-item-leaves-the-stream rfc8166.4.3.2.pushed-results-leave-the-stream
        rfc8166.3.4.4.1.count-stays-in-the-stream
        rfc8166.3.4.4.2.presence-word-stays-in-the-stream
        rfc8166.4.2.4.error-carries-no-payload rfc8166.3.5.3.long-message-sends-the-header-only
        v2.4.2.1.error-has-no-payload xcharext.4.no-payload-follows
        rtrext.9.1.no-payload-after-an-error-report
    """,
    "rdma_opttype": """
        xcharext.4.operation-codes rtrext.9.1.code-of-xmtreq rtrext.9.1.code-of-xmtresp
        rtrext.9.1.code-of-xmtcont rtrext.9.1.code-of-repterr
    """,
    "optreqpr_want": "xcharext.4.1.left-out-is-not-asked-for",
    "opticonnpr_start": "xcharext.4.1.all-known-properties-are-told",
    "optrespr_rej": """
        xcharext.4.3.unknown-property-is-rejected xcharext.4.3.unchangeable-property-is-rejected
    """,
    "optrespr_other": "xcharext.4.3.others-were-asked-for",
    "optxrq_count": "rtrext.9.2.count-of-a-request rtrext.8.4.no-request-beyond-the-limit",
    "optxrs_count": """
        rtrext.9.3.count-of-a-response rtrext.8.5.no-response-beyond-the-limit
        rtrext.5.2.response-stays-within-the-reserve
    """,
    "optxc_xnum": "rtrext.9.4.number-of-a-continuation",
    "optxc_itype": "rtrext.9.4.itype-is-the-first-operation",
    "optxc_pslen": """
        rtrext.9.4.pslen-of-a-continuation rtrext.9.1.continuation-has-not-all
    """,
    LENGTH_OF_THE_PAYLOAD: """
        rtrext.9.1.pslen-of-a-first-transmission rtrext.9.2.pslen-of-a-single-request
        rtrext.9.3.pslen-of-a-single-response
    """,
    ITEMS: """
        rtrext.7.3.displacement-of-an-item rtrext.7.3.length-of-an-item
        rtrext.7.3.tbsn-names-the-segments rtrext.7.3.tbsn-begins-at-the-offset
        rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list
        rtrext.7.3.exrw-of-a-request-names-its-memory
        rtrext.7.3.exrw-of-a-response-names-what-was-written
        rtrext.6.2.target-segments-are-numbered rtrext.6.2.displacements-are-in-the-whole-stream
        rtrext.6.2.types-of-items-in-requests rtrext.6.2.types-of-items-in-responses
    """,
    "optxrq_rsd": """
        rtrext.6.2.types-of-directions rtrext.6.2.choice-comes-with-memory
        rtrext.7.4.exrw-direction-offers-memory rtrext.7.4.bysize-direction-offers-memory
        rtrext.7.4.tbsn-direction-is-empty rtrext.7.4.ranges-are-disjoint
        rtrext.7.4.ranges-ascend
    """,
    "optre_bad": "rtrext.9.5.report-names-the-transmission",
    "optre_info": """
        rtrext.9.5.error-codes rtrext.9.5.expected-and-actual-value
        rtrext.9.5.value-and-valid-range rtrext.9.5.badhmt rtrext.9.5.badomt rtrext.9.5.badcont
        rtrext.9.5.badseq rtrext.9.5.badxid rtrext.9.5.badtbsn rtrext.9.5.badoff rtrext.9.5.badpl
    """,
    "optxrs_ddp": """
        rtrext.7.4.every-direction-is-answered rtrext.7.3.all-bulk-data-are-listed
        rtrext.7.4.answers-to-exrw rtrext.7.4.answers-to-tbsn rtrext.7.4.answers-to-choice
        rtrext.7.4.answers-to-bysize rtrext.7.4.answers-are-in-the-order-of-directions
        rtrext.7.4.small-items-stay-inline rtrext.7.4.one-direction-for-one-item
    """,
}
"""Field -> the requirements that are about it, each as a document states it first."""


@cache
def _fields() -> Mapping[str, str]:
    """Requirement -> field, under the ids of either version."""
    found: dict[str, str] = {}
    for path, rules in _RULES.items():
        for rule in rules.split():
            found[rule] = path
            with suppress(LookupError):  # some rules bind in Version One alone
                found.setdefault(statement(rule, _TWO), path)
    # What goes on in Version Two without words of its own is about any field.
    found.pop(GOES_ON, None)
    return found


def field_of(rules: Iterable[str]) -> str:
    """The path of the field that the first of these requirements with one is about; or empty."""
    return next((path for rule in rules if (path := _fields().get(rule))), "")


def seen_message(octets: bytes) -> SeenMessage | None:
    """How a message is found in a trace; None of one too short to have an XID."""
    return SeenMessage(int.from_bytes(octets[:4]), len(octets)) if len(octets) >= 4 else None


def seen_outcome(outcome: Outcome) -> SeenMessage | None:
    """The same of a message that came to the tester; None of what is no message."""
    match outcome:
        case Undecodable():
            return seen_message(outcome.octets)
        case AnsweringOutcome() | Called() | Unexpected():
            return SeenMessage(outcome.xid, getattr(outcome, "length", 0))
        case Scattered():
            return SeenMessage(outcome.xid, 0)
        case _:
            return None


def faulty_fields(rules: Iterable[BrokenRule]) -> tuple[FaultyField, ...]:
    """The fields that broken rules are about, each with what is wrong with it."""
    return tuple(dict.fromkeys(one for rule in rules for one in _of(rule)))


def _of(rule: BrokenRule) -> tuple[FaultyField, ...]:
    path = field_of((rule.origin, *rule.ids))
    return rule.fields or ((FaultyField(path, rule.detail),) if path else ())


def marks_of(rules: Iterable[BrokenRule]) -> tuple[Mark, ...]:
    """What broken rules mark: each once, and none whose field or message nobody knows."""
    found = (mark for rule in rules for mark in marks_in(rule.seen, _of(rule)))
    return tuple(dict.fromkeys(found))


def marks_in(seen: SeenMessage | None, fields: Iterable[FaultyField]) -> tuple[Mark, ...]:
    """The marks of fields of one message; none if nobody knows which it is."""
    if seen is None:
        return ()
    return tuple(Mark(seen.xid, seen.length, one.path, one.why) for one in fields)


def marks_by(outcome: Outcome, rules: Iterable[BrokenRule]) -> tuple[Mark, ...]:
    """What rules mark in the message that broke them."""
    return marks_in(seen_outcome(outcome), faulty_fields(rules))


def marks_of_kind(outcome: Outcome) -> tuple[Mark, ...]:
    """What is marked in a message that is of another kind than had to come, or of none."""
    if isinstance(outcome, Undecodable):
        wrong = FaultyField(outcome.error.path, str(outcome.error))
    else:
        wrong = FaultyField(WHAT_IT_IS, f"it is {outcome}")
    return marks_in(seen_outcome(outcome), (wrong,))


def marks_of_judgement(outcome: Outcome, judgement: Judgement) -> tuple[Mark, ...]:
    """What an answer marks that may not be: the fields of its rules, or that it is no other one."""
    return marks_by(outcome, judgement.rules) or marks_of_kind(outcome)


def marks_of_contents(outcome: Outcome, why: str, *, ended: bool = False) -> tuple[Mark, ...]:
    """What is marked in a Reply whose results are wrong.

    Args:
        outcome: the Reply.
        why: what is wrong with it.
        ended: whether that is its status, since there are no results.
    """
    wrong = FaultyField("rpc_status" if ended else "payload", why)
    return marks_in(seen_outcome(outcome), (wrong,))
