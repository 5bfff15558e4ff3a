"""What may be expected of a device, and whether an outcome meets it.

An `Expectation` is a set of alternatives, each with the requirements and interpretations that it
rests on, because the documents often allow more than one.  `conformance.oracle.responder.expected`
makes them; `Expectation.judge` compares what was seen with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.oracle.announced import NOTHING_TOLD, Announced
from conformance.oracle.limits import UNLIMITED, Limits
from conformance.oracle.memory import NO_MEMORY, ExposedMemory
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    ErrVers,
    InvalidOption,
    OptionReceived,
    Outcome,
    Silent,
)
from conformance.oracle.responder.error_rules import broken_error_rules
from conformance.oracle.responder.reply_rules import broken_rules, told_as_a_call
from conformance.oracle.responder.reports import broken_report_rules
from conformance.oracle.responder.responses import broken_response_rules
from conformance.oracle.sizes import THRESHOLD_ONE, THRESHOLD_TWO
from conformance.oracle.transmissions import GroupAnswered, Reported
from conformance.oracle.verdict import (
    Alternative,
    BrokenRule,
    Ids,
    Judgement,
    Wording,
    alternative,
    best_of,
    broken_rule,
)
from reports.record import Verdict
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.ulp.rpc import decode_reply
from rpcrdma.wire._generated_rtrext import ReportedError
from rpcrdma.wire.properties import BASIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.oracle.responder.group_request import GroupRequest
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import TransportHeader
    from rpcrdma.wire.properties import PropertyNumbers

__all__ = [
    "ANY_CODE",
    "ANY_STATUS",
    "REFUSAL_STATUSES",
    "REPLIES",
    "Answer",
    "Expectation",
    "ResponderState",
    "may_answer",
]

ANY_STATUS = frozenset(RpcOutcome)
"""A Reply of whatever status."""

REFUSAL_STATUSES = ANY_STATUS - {RpcOutcome.SUCCESS}
"""A Reply that says the Call was not executed."""

ANY_CODE = frozenset(ReportedError)
"""A report of whatever error."""

REPLIES = (Answered, GroupAnswered)
"""What carries an RPC Reply."""


@dataclass(frozen=True, slots=True)
class ResponderState:
    """What the oracle knows of the device and of the connection.

    Attributes:
        versions: that the device claims to support.
        upper_layer: the binding of the program served; None if it is not known, in which case
            every use of chunks may be refused.
        memory: the Requester's.
        reply_threshold: inline threshold of Replies, in octets.
        two_threshold: the same in Version Two (v2 2.3).
        limits: how many chunks and segments it has to bear; more may be refused.
        backward: whether the device claims the backward direction.
        operations: names of the optional operations that it supports (D-63); None if nobody knows.
        properties: the transport properties that the device knows (D-91).
        own: what the device has told of round-trip reductions.  requester: what its peer has.
        chosen: readings chosen by the profile, by interpretation id.
    """

    versions: frozenset[int] = frozenset({1})
    upper_layer: UpperLayer | None = None
    memory: ExposedMemory = NO_MEMORY
    reply_threshold: int = THRESHOLD_ONE
    two_threshold: int = THRESHOLD_TWO
    limits: Limits = UNLIMITED
    backward: bool = False
    operations: frozenset[str] | None = None
    properties: PropertyNumbers = BASIC
    own: Announced = NOTHING_TOLD
    requester: Announced = NOTHING_TOLD
    chosen: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """A kind of answer.

    Attributes:
        outcome: kind of outcome.
        statuses: that a Reply may have, in whatever message it comes.
        codes: for `Reported`, the errors that the report may name.
    """

    outcome: type[Outcome]
    statuses: frozenset[RpcOutcome] = ANY_STATUS
    codes: frozenset[ReportedError] = ANY_CODE

    def __str__(self) -> str:
        name = _NAMES[self.outcome]
        if self.outcome is Reported and self.codes != ANY_CODE:
            return f"{name} of " + " or ".join(sorted(item.name for item in self.codes))
        if self.outcome not in REPLIES or self.statuses == ANY_STATUS:
            return name
        if self.statuses == REFUSAL_STATUSES:
            return "an RPC error reply" + " by XMTRESP" * (self.outcome is GroupAnswered)
        return f"{name} of " + " or ".join(sorted(item.name for item in self.statuses))

    def fits(self, outcome: Outcome, payload: bytes | None) -> bool:
        """Whether an outcome is of this kind; `payload` is that of a Reply, if it is known."""
        if not isinstance(outcome, self.outcome):
            return False
        if isinstance(outcome, Reported):
            return self.outcome is Reported and outcome.code in self.codes
        if self.outcome not in REPLIES or self.statuses == ANY_STATUS:
            return True
        try:
            return payload is not None and decode_reply(payload)[0].outcome in self.statuses
        except DecodeError:
            return False


_ERRORS = (ErrVers, ErrChunk, InvalidOption)

_NAMES: Mapping[type[Outcome], str] = {
    Silent: "silence",
    Disconnected: "loss of the connection",
    ErrVers: "ERR_VERS",
    ErrChunk: "ERR_CHUNK",
    InvalidOption: "INVAL_OPTION",
    OptionReceived: "an optional message",
    Reported: "an error report",
    Answered: "a Reply",
    GroupAnswered: "a Reply by XMTRESP",
}


def may_answer(
    outcome: type[Outcome],
    rules: str | Ids,
    version: int,
    readings: tuple[str, ...] = (),
    *,
    warning: bool = False,
    statuses: frozenset[RpcOutcome] = ANY_STATUS,
    codes: frozenset[ReportedError] = ANY_CODE,
) -> Alternative[Answer]:
    """One answer that the documents allow; see `Answer` and `alternative`."""
    return alternative(Answer(outcome, statuses, codes), rules, version, readings, warning=warning)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a device may do with one message.

    Attributes:
        fault: what is wrong with the message, empty if nothing is.
        allowed: the alternatives; those without a warning first.
        xid: rdma_xid that an answer has to carry.  version: rdma_vers of an error message.
        versions: lowest and highest version of an ERR_VERS.
        call: the decoded header, where it could be decoded.
        payload_xid_differs: whether the Call's two XIDs differ (D-12).
        unused_reply_chunk: reading of D-19.
        group: of a request that came in transmissions, what its response is judged by.
        state: likewise, of the device.
    """

    fault: str
    allowed: tuple[Alternative[Answer], ...]
    xid: int = 0
    version: int = 1
    versions: tuple[int, int] = (1, 1)
    call: TransportHeader | None = None
    payload_xid_differs: bool = False
    unused_reply_chunk: str = "either"
    group: GroupRequest | None = None
    state: ResponderState | None = None

    @property
    def ids(self) -> Ids:
        """Every statement that an alternative rests on, each once."""
        return tuple(dict.fromkeys(name for item in self.allowed for name in item.ids))

    def judge(self, outcome: Outcome, reply_chunk: bytes | None = None) -> Judgement:
        """Compare what was seen with what is allowed.

        Silence here says that no answer came; that the device still serves is shown by a later
        Call, not by this.

        Args:
            outcome: what came.
            reply_chunk: what the Reply chunk holds after a Long Reply; None if nobody looked.
        """
        payload = _payload(outcome, reply_chunk)
        return best_of(
            self.allowed,
            lambda kind: kind.fits(outcome, payload),
            lambda: self._broken(outcome, payload),
            lambda: Wording(f"expected {{wanted}}; got {outcome}", f"{outcome} is tolerated"),
        )

    def _broken(self, outcome: Outcome, payload: bytes | None) -> list[BrokenRule]:
        """The rules that an answer of the right kind breaks."""
        found: list[BrokenRule] = []
        if isinstance(outcome, _ERRORS):
            found += broken_error_rules(outcome, self.xid, self.version)
            if outcome.header.rdma_credit == 0:
                # D-16: an error says that its Call is over; not everybody reads a grant in it.
                rule = "rfc8166.3.3.1.every-reply-grants-credits"
                detail = "the error grants no credits"
                found.append(broken_rule(rule, detail, self.version, ("D-16",), Verdict.WARN))
        if isinstance(outcome, ErrVers) and outcome.versions != self.versions:
            (low, high), (claimed_low, claimed_high) = outcome.versions, self.versions
            detail = f"the range is {low}..{high}, the device claims {claimed_low}..{claimed_high}"
            wrong = "rdma_vers_high" if low == claimed_low else "rdma_vers_low"
            rule = "rfc8166.4.5.1.err-vers-range"
            found.append(broken_rule(rule, detail, 1, ("D-64",), where=wrong))
        if isinstance(outcome, GroupAnswered) and self.state is not None:
            found += broken_response_rules(outcome, self.group, self.state)
        if isinstance(outcome, Reported):
            found += broken_report_rules(outcome, self.xid)
        elif isinstance(outcome, OptionReceived) and outcome.xid != self.xid:
            detail = f"rdma_xid is {outcome.xid:#010x}, that of the request {self.xid:#010x}"
            found.append(broken_rule("xcharext.4.3.answer-has-the-requests-xid", detail))
        if isinstance(outcome, Answered):
            found += told_as_a_call(outcome)
        if isinstance(outcome, Answered) and self.call is not None:
            # D-12: which XID the RPC message of a Reply repeats is open when the Call had two.
            known = None if self.payload_xid_differs else payload
            found += broken_rules(self.call, outcome.header, known, unused=self.unused_reply_chunk)
        return found


def _payload(outcome: Outcome, reply_chunk: bytes | None) -> bytes | None:
    if isinstance(outcome, GroupAnswered):
        return outcome.payload
    if not isinstance(outcome, Answered):
        return None
    return reply_chunk if outcome.is_long else outcome.payload
