"""The oracle's view of what a Requester may do about an error.

    rfc8166 section 4.5    Error Handling
    rfc8166 section 4.5.1  Header Version Mismatch
    v2 section 4.2.3       Transport Errors
    v2 section 5.2         Responder Does Not Support RPC-over-RDMA Version Two
    rtrext section 5.4     Error Reporting

An error ends its Call, but for the ERR_VERS that sends a Call of Version Two back to be made again
in a version of the range that it names, and for any error about a transmission group, whose Call
may be made again without one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_ONE, VERSION_TWO
from conformance.oracle.requester.expectation import Reaction, ReactionExpectation, may_react
from rpcrdma.errors import DecodeError
from rpcrdma.wire import ErrVers, RdmaError, decode_header, v2
from rpcrdma.wire.operations import ROPT_REPTERR

if TYPE_CHECKING:
    from conformance.oracle.requester.state import OutstandingCall
    from conformance.oracle.verdict import Alternative
    from rpcrdma.wire import ErrorBody
    from rpcrdma.wire.versions import FixedWords

__all__ = ["is_report", "judge_error", "judge_report"]

_BAD_HEADER: Final = "rfc8166.4.5.bad-reply-header-discarded"
_UNDECODABLE: Final = "rfc8166.4.5.undecodable-error-discarded"
_PERMANENT: Final = ("rfc8166.4.5.error-completes-the-rpc", "rfc8166.4.5.error-is-permanent")


def judge_error(
    reply: bytes, words: FixedWords, call: OutstandingCall | None, told: int
) -> ReactionExpectation:
    """What a Requester may do about an error.

    Args:
        reply: the message.
        words: that it begins with.
        call: that it is about; None if it is about none.
        told: the version by whose ids it is judged.
    """
    version = VERSION_ONE if call is None or call.header is None else call.header.rdma_vers
    try:
        error, end = _error(reply, in_two=words.version == version == VERSION_TWO)
    except DecodeError as problem:
        return _undecodable(str(problem), call, told)
    if call is None:
        fault = f"RDMA_ERROR for {words.xid:#010x}, which is no outstanding Call"
        rule = ("rfc8166.4.5.error-completes-the-rpc",)
        return ReactionExpectation(fault, (may_react(Reaction.WAITING, rule, told),))
    # D-11: an error echoes the version of its Call, or is in Version One, which all of them read.
    usual = words.version in (version, VERSION_ONE)
    readings = ("D-15",) if usual else ("D-11", "D-15")
    allowed = [may_react(Reaction.FAILED, _PERMANENT, told, readings)]
    is_final = call.group is None
    if isinstance(error, ErrVers) and version == VERSION_TWO:
        allowed, is_final = _sent_back(error, readings, told), False
    elif call.group is not None:
        allowed = _sent_otherwise()
    elif isinstance(error, ErrVers):
        # There is no version left to go on in: a Requester may take its leave (D-64).
        allowed.append(may_react(Reaction.CLOSED, _PERMANENT, told, (*readings, "D-64")))
    if not usual:
        allowed.append(may_react(Reaction.WAITING, (_BAD_HEADER,), told, readings, warning=True))
    # D-32: octets after an error may be passed over, or taken for a sign that it is none.
    if end != len(reply):
        allowed.append(may_react(Reaction.WAITING, (_UNDECODABLE,), told, ("D-32",)))
    # v2 5: what sends a Call back says nothing of credits.
    grant = words.credit if is_final else None
    return ReactionExpectation(
        _name(error), tuple(allowed), call.xid, grant=grant, is_error=is_final
    )


def is_report(body: v2.Rdma2Optional) -> bool:
    """Whether an optional message is an error report (rtrext 9.5)."""
    return body.rdma_opttype == ROPT_REPTERR


def judge_report(words: FixedWords, call: OutstandingCall | None) -> ReactionExpectation:
    """What a Requester may do about the report that a request of its was faulty."""
    if call is None or call.group is None:
        rule = "rtrext.5.4.error-reports-are-supported"
        waiting = may_react(Reaction.WAITING, rule, VERSION_TWO, ("D-110",))
        return ReactionExpectation("an error report about nothing", (waiting,))
    grant = words.credit
    return ReactionExpectation("REPTERR", tuple(_sent_otherwise()), call.xid, grant=grant)


def _sent_otherwise() -> list[Alternative[Reaction]]:
    """A Call that was a group is made again as no group, or fails (rtrext 5.4)."""
    rules = ("rtrext.5.4.request-may-be-sent-otherwise", "rtrext.5.4.error-reports-are-supported")
    return [
        may_react(reaction, rules, VERSION_TWO)
        for reaction in (Reaction.COMPLETED, Reaction.FAILED)
    ]


def _name(error: ErrorBody | v2.Rdma2ErrorBody) -> str:
    if isinstance(error, ErrVers):
        return "ERR_VERS"
    return "INVAL_OPTION" if isinstance(error, v2.ErrInvalidOption) else "ERR_CHUNK"


def _error(reply: bytes, *, in_two: bool) -> tuple[ErrorBody | v2.Rdma2ErrorBody, int]:
    """What an error says, and where it ends.

    Raises:
        DecodeError: it cannot be read.
    """
    if in_two:
        raw, end = v2.decode_header(reply)
        if isinstance(raw.rdma_body, v2.Rdma2Error):
            return raw.rdma_body.error, end
    else:
        header, end = decode_header(reply)
        if isinstance(header.rdma_body, RdmaError):
            return header.rdma_body.error, end
    raise TypeError("the procedure and the body differ")


def _sent_back(
    versions: ErrVers, readings: tuple[str, ...], told: int
) -> list[Alternative[Reaction]]:
    """A Call that is to be made again in a version of the range, or cannot be (D-64)."""
    # Whoever takes the call for done has gone on in a version that the range does not have.
    rules: tuple[str, ...]
    rules = ("v2.5.2.version-is-picked-from-the-range", "v2.5.2.unusable-range-ends-the-rpc")
    failed = may_react(Reaction.FAILED, rules, told, (*readings, "D-64"))
    closed = replace(failed, kind=Reaction.CLOSED)
    # v2 5.2: the range names what is left to go on with; whoever finds nothing there gives up.
    if not versions.rdma_vers_low <= VERSION_ONE <= versions.rdma_vers_high:
        return [failed, closed]
    rules = ("v2.5.2.version-is-picked-from-the-range",)
    return [may_react(Reaction.COMPLETED, rules, told, readings), failed, closed]


def _undecodable(fault: str, call: OutstandingCall | None, told: int) -> ReactionExpectation:
    waiting = may_react(Reaction.WAITING, (_UNDECODABLE,), told, ("D-10", "D-132"))
    if call is None:
        return ReactionExpectation(fault, (waiting,))
    failed = may_react(Reaction.FAILED, (_UNDECODABLE,), told, ("D-132",), warning=True)
    return ReactionExpectation(fault, (waiting, failed), call.xid)
