"""What may be expected of a device, and whether an outcome meets it.

An `Expectation` is a set of alternatives, each with the requirements and interpretations that it
rests on, because the documents often allow more than one.  `conformance.oracle.responder.expected`
makes them; `Expectation.judge` compares what was seen with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

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
from conformance.oracle.responder.reply_rules import broken_rules
from conformance.oracle.verdict import BrokenRule, broken_ids, broken_rule, readings_of
from reports.record import Verdict
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.rpc import Outcome as RpcOutcome
from rpcrdma.ulp.rpc import decode_reply
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import RdmaSegment, TransportHeader

__all__ = [
    "ANY_STATUS",
    "NO_MEMORY",
    "REFUSAL_STATUSES",
    "Allowed",
    "Expectation",
    "ExposedMemory",
    "Judgement",
    "ResponderState",
]

ANY_STATUS = frozenset(RpcOutcome)
"""A Reply of whatever status."""

REFUSAL_STATUSES = ANY_STATUS - {RpcOutcome.SUCCESS}
"""A Reply that says the Call was not executed."""


class ExposedMemory(Protocol):
    """The Requester's memory as the device can reach it."""

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        """What an RDMA Read of the segment gives; None if it would fail."""
        ...

    def is_writable(self, segment: RdmaSegment) -> bool:
        """Whether an RDMA Write to the whole segment would succeed."""
        ...


class _NoMemory:
    """Nothing is registered: every handle is invalid."""

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        return b"" if segment.length == 0 else None

    def is_writable(self, segment: RdmaSegment) -> bool:
        return segment.length == 0


NO_MEMORY: ExposedMemory = _NoMemory()
"""The memory of a tester that has registered none, so as for octets from a file."""


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
        most_segments: how many segments of all chunks the device has to bear; more may be refused.
        backward: whether the device claims the backward direction.
        chosen: readings chosen by the profile, by interpretation id.
    """

    versions: frozenset[int] = frozenset({1})
    upper_layer: UpperLayer | None = None
    memory: ExposedMemory = NO_MEMORY
    reply_threshold: int = 1024
    two_threshold: int = 4096
    most_segments: int | None = None
    backward: bool = False
    chosen: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Allowed:
    """One alternative.

    Attributes:
        outcome: kind of outcome.
        requirements: ids that ask for it or permit it.
        interpretations: entries of INTERPRETATIONS.md that it rests on.
        warning: whether the device gets a WARN for it.
        statuses: for `Answered`, the statuses that the Reply may have.
    """

    outcome: type[Outcome]
    requirements: tuple[str, ...]
    interpretations: tuple[str, ...] = ()
    warning: bool = False
    statuses: frozenset[RpcOutcome] = ANY_STATUS

    def __str__(self) -> str:
        name = _NAMES[self.outcome]
        if self.outcome is Answered and self.statuses != ANY_STATUS:
            name = "an RPC error reply"
            if self.statuses != REFUSAL_STATUSES:
                name = "a Reply of " + " or ".join(sorted(item.name for item in self.statuses))
        return f"{name} (warning)" if self.warning else name


_ERRORS = (ErrVers, ErrChunk, InvalidOption)

_NAMES: Mapping[type[Outcome], str] = {
    Silent: "silence",
    Disconnected: "loss of the connection",
    ErrVers: "ERR_VERS",
    ErrChunk: "ERR_CHUNK",
    InvalidOption: "INVAL_OPTION",
    OptionReceived: "an optional message",
    Answered: "a Reply",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an outcome is worth: the verdict, why, the ids broken, the readings it rests on."""

    verdict: Verdict
    reason: str = ""
    violated: tuple[str, ...] = ()
    interpretations: tuple[str, ...] = ()


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
    """

    fault: str
    allowed: tuple[Allowed, ...]
    xid: int = 0
    version: int = 1
    versions: tuple[int, int] = (1, 1)
    call: TransportHeader | None = None
    payload_xid_differs: bool = False
    unused_reply_chunk: str = "either"

    @property
    def requirements(self) -> tuple[str, ...]:
        """Every requirement that an alternative rests on, each once."""
        return tuple(dict.fromkeys(name for item in self.allowed for name in item.requirements))

    @property
    def may_execute(self) -> bool:
        """Whether the device may execute the Call."""
        return any(
            item.outcome is Answered and RpcOutcome.SUCCESS in item.statuses
            for item in self.allowed
        )

    def judge(self, outcome: Outcome, reply_chunk: bytes | None = None) -> Judgement:
        """Compare what was seen with what is allowed.

        Silence here says that no answer came; that the device still serves is shown by a later
        Call, not by this.

        Args:
            outcome: what came.
            reply_chunk: what the Reply chunk holds after a Long Reply; None if nobody looked.
        """
        payload = _payload(outcome, reply_chunk)
        fits = [item for item in self.allowed if _fits(item, outcome, payload)]
        if not fits:
            wanted = "; or ".join(str(item) for item in self.allowed)
            reason = f"expected {wanted}; got {outcome}"
            return Judgement(Verdict.FAIL, reason, self._owed(), self._readings())
        best = min(fits, key=lambda item: item.warning)
        broken = self._broken(outcome, payload)
        if broken:
            reason = "; ".join(rule.detail for rule in broken)
            return Judgement(Verdict.FAIL, reason, broken_ids(broken), readings_of(broken))
        if isinstance(outcome, _ERRORS) and outcome.header.rdma_credit == 0:
            # D-16: an error that refuses its Call is not read for a grant by everybody.
            grants, reason = (
                "rfc8166.3.3.1.every-reply-grants-credits",
                "the error grants no credits",
            )
            rule = broken_rule(grants, reason, self.version, ("D-16",))
            return Judgement(Verdict.WARN, rule.detail, rule.ids, rule.readings)
        if best.warning:
            reason = f"{outcome} is tolerated"
            return Judgement(Verdict.WARN, reason, best.requirements, best.interpretations)
        return Judgement(Verdict.PASS, interpretations=best.interpretations)

    def _owed(self) -> tuple[str, ...]:
        """The requirements of the first alternative: what the message really asked for."""
        return self.allowed[0].requirements

    def _readings(self) -> tuple[str, ...]:
        names = (name for item in self.allowed for name in item.interpretations)
        return tuple(dict.fromkeys(names))

    def _broken(self, outcome: Outcome, payload: bytes | None) -> list[BrokenRule]:
        """The rules that an answer of the right kind breaks."""
        found: list[BrokenRule] = []
        if isinstance(outcome, _ERRORS):
            found += broken_error_rules(outcome, self.xid, self.version)
        if isinstance(outcome, ErrVers) and outcome.versions != self.versions:
            (low, high), (claimed_low, claimed_high) = outcome.versions, self.versions
            detail = f"the range is {low}..{high}, the device claims {claimed_low}..{claimed_high}"
            found.append(broken_rule("rfc8166.4.5.1.err-vers-range", detail, 1, ("D-64",)))
        if isinstance(outcome, OptionReceived) and outcome.xid != self.xid:
            detail = f"rdma_xid is {outcome.xid:#010x}, that of the request {self.xid:#010x}"
            found.append(broken_rule("xcharext.4.3.answer-has-the-requests-xid", detail))
        if isinstance(outcome, Answered) and outcome.direction is MessageType.CALL:
            detail = "the header of the Reply says that it is a Call"
            found.append(broken_rule("v2.4.2.2.direction-is-the-msg-type", detail))
        if isinstance(outcome, Answered) and self.call is not None:
            # D-12: which XID the RPC message of a Reply repeats is open when the Call had two.
            known = None if self.payload_xid_differs else payload
            found += broken_rules(self.call, outcome.header, known, unused=self.unused_reply_chunk)
        return found


def _payload(outcome: Outcome, reply_chunk: bytes | None) -> bytes | None:
    if not isinstance(outcome, Answered):
        return None
    return reply_chunk if outcome.is_long else outcome.payload


def _fits(allowed: Allowed, outcome: Outcome, payload: bytes | None) -> bool:
    if not isinstance(outcome, allowed.outcome):
        return False
    if allowed.outcome is not Answered or allowed.statuses == ANY_STATUS:
        return True
    try:
        return payload is not None and decode_reply(payload)[0].outcome in allowed.statuses
    except DecodeError:
        return False
