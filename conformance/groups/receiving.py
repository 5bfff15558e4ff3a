"""Waits for what answers a message of a case about groups, and says what a wrong answer breaks.

rtrext section 4.2  Message Continuation Changes (what makes no message)
rtrext section 9    New Operations
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.oracle.marks import marks_by, marks_of_kind
from conformance.oracle.outcome import Disconnected, OptionReceived, Outcome, Silent
from conformance.oracle.responder.answer_rules import broken_answer_rules
from conformance.oracle.transmissions import GroupAnswered, Reported, Scattered
from conformance.oracle.verdict import broken_ids, readings_of
from conformance.tester.case import Deviation
from conformance.verify.words import SENTENCES
from rpcrdma.errors import Reason
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadOptionalType,
    BadPayloadLength,
    BadSequence,
    BadXid,
)
from rpcrdma.wire.operations import BY_CODE, ROPT_REPTERR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Message
    from conformance.verify import Ids
    from rpcrdma.errors import DecodeError
    from rpcrdma.wire._generated_rtrext import ErrorInformation

__all__ = ["is_continued", "judge", "more_than_told", "received", "right_kind"]

_COUNT: Final = "rtrext.9.3.count-of-a-response"
_CONTINUATION: Final = "rtrext.9.1.code-of-xmtcont"
_BETWEEN: Final = "rtrext.4.2.nothing-in-between"
_REPORT: Final = ("rtrext.9.1.code-of-repterr",)
_RESPONSE: Final = ("rtrext.9.1.code-of-xmtresp",)
_BESIDE: Final = "rtrext.9.5.nothing-beside-badcont"
_CONTENTS: Final = "rtrext.9.1.structure-overlays-the-information"
_TYPES: Final = ("rtrext.6.2.types-of-items-in-responses", "rtrext.6.2.codes-of-the-types")
_TYPE: Final = "xmdmi_where"
"""What the path of a fault ends with that is about the type of an item."""

_SCATTERED: Final[Mapping[type[ErrorInformation], tuple[str, ...]]] = {
    BadHeaderType: (_BETWEEN,),
    BadOptionalType: (_BETWEEN,),
    BadContinuation: ("rtrext.9.4.continuations-follow-a-beginning", _COUNT),
    BadSequence: (
        "rtrext.9.4.number-of-a-continuation",
        "rtrext.4.2.group-is-received-in-order",
    ),
    BadXid: ("rtrext.9.4.continuation-has-the-xid",),
    BadPayloadLength: (
        "rtrext.9.1.pslen-of-a-first-transmission",
        "rtrext.9.4.pslen-of-a-continuation",
    ),
}
"""What a device breaks by transmissions that make no message."""


def received(
    peer: Peer, message: Message, kinds: tuple[type[Outcome], ...], breaks: Ids
) -> Outcome:
    """The next outcome, which is of one of these kinds.

    Args:
        peer: where the message was sent.
        message: that is answered.
        kinds: of outcome.
        breaks: requirements that any other outcome breaks, unless it says itself what it breaks.

    Raises:
        Deviation: it is of another kind, or no answer to this message.
    """
    return right_kind(peer, message, kinds, peer.receive(), breaks)


def right_kind(
    peer: Peer,
    message: Message,
    kinds: tuple[type[Outcome], ...],
    outcome: Outcome,
    breaks: Ids,
) -> Outcome:
    """An outcome that has come, if it is of one of these kinds; see `received`."""
    expected = tuple(SENTENCES[kind] for kind in kinds)
    peer.case.expected, peer.case.actual = expected, str(outcome)
    if isinstance(outcome, kinds):
        judge(peer, outcome, broken_answer_rules(outcome, message.xid, v2.VERSION))
        return outcome
    raise Deviation(
        f"{message.title} was answered wrongly: {outcome}.",
        expected=expected,
        actual=str(outcome),
        breaks=_blamed(peer, outcome, kinds, breaks),
        marks=marks_of_kind(outcome),
        unanswered=isinstance(outcome, Silent | Disconnected),
    )


def judge(peer: Peer, outcome: Outcome, broken: Iterable[BrokenRule]) -> None:
    """End the case over rules that an outcome breaks, or let it go on with warnings.

    Raises:
        Deviation: a rule is broken that is worth a FAIL.
    """
    rules = tuple(broken)
    peer.case.interpretations += readings_of(rules)
    fatal = tuple(rule for rule in rules if not rule.warns)
    if fatal and is_continued(peer, outcome):
        raise more_than_told(outcome)
    if fatal:
        raise Deviation(
            f"An answer is not as it must be: {'; '.join(rule.detail for rule in fatal)}.",
            expected=("an answer that keeps all rules",),
            actual=str(outcome),
            breaks=broken_ids(fatal),
            marks=marks_by(outcome, fatal),
        )
    for rule in rules:
        peer.case.let_pass(f"{rule.detail}.", rule.ids)


def is_continued(peer: Peer, outcome: Outcome) -> bool:
    """Whether a response that makes no sense is continued after the last Send that it tells of."""
    if not isinstance(outcome, GroupAnswered):
        return False
    after = peer.receive(peer.profile.grace)
    peer.put_aside(after)
    if not isinstance(after, Scattered) or after.xid != outcome.xid:
        return False
    return isinstance(after.group.report.optre_info, BadContinuation)


def more_than_told(outcome: Outcome) -> Deviation:
    """What is wrong with such a response."""
    return Deviation(
        "More transmissions came of a response than it tells.",
        expected=("as many transmissions as the response tells",),
        actual=str(outcome),
        breaks=(_COUNT,),
    )


def _blamed(
    peer: Peer, outcome: Outcome, kinds: tuple[type[Outcome], ...], breaks: Ids
) -> tuple[str, ...]:
    """What a wrong outcome breaks."""
    if isinstance(outcome, Scattered):
        info = outcome.group.report.optre_info
        if isinstance(info, BadOptionalType) and info.optri_current not in BY_CODE:
            return (_CONTINUATION, _BETWEEN)
        return _SCATTERED[type(info)]
    if isinstance(outcome, OptionReceived):
        if outcome.operation not in BY_CODE:
            return _REPORT if Reported in kinds else _RESPONSE
        if outcome.error is not None:
            return _misencoded(outcome.operation, outcome.error)
    if peer.unfinished:
        return (_COUNT,)
    return verify.blamed(outcome, v2.VERSION, breaks)


def _misencoded(operation: int, error: DecodeError) -> tuple[str, ...]:
    """What is broken by contents that are none."""
    if _TYPE in error.path:
        return _TYPES
    if operation == ROPT_REPTERR and error.reason is Reason.TRAILING:
        return (_BESIDE, _CONTENTS)
    return (_CONTENTS,)
