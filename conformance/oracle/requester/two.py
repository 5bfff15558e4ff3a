"""The oracle's view of a Requester's messages in Version Two.

    v2 section 2.3    Default Values
    v2 section 3.1    Optional Features
    v2 section 4.2    RPC-Over-RDMA Version Two XDR
    v2 section 4.2.3  Transport Errors
    v2 section 5      Protocol Version Negotiation

What Version Two has of its own is judged here.  The lists, the credits and the RPC message are
judged by the rules of Version One, since they are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.requester.reports import judge_reductions
from conformance.oracle.sizes import FIRST_MESSAGE_TWO, THRESHOLD_TWO
from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import v2
from rpcrdma.wire.versions import FixedWords, fixed_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.requester.state import RequesterState

__all__ = ["judge_length", "judge_option", "judge_version", "judge_words"]

_LISTS: Final = (v2.Rdma2Procedure.RDMA2_MSG, v2.Rdma2Procedure.RDMA2_NOMSG)


def judge_version(words: FixedWords, state: RequesterState) -> Iterator[BrokenRule]:
    """Whether a message has a version that may be spoken on the connection now."""
    # v2 5.2: both versions may come until one of them is settled on, then only that one.
    if words.version in state.versions or not state.serves_two:
        return
    spoken = " or ".join(str(version) for version in sorted(state.versions))
    rules: Ids = ("v2.5.2.picked-version-is-used-from-then-on",)
    if words.version != VERSION_TWO:
        rules = (*rules, "v2.5.2.version-is-picked-from-the-range")
    detail = f"rdma_vers is {words.version} on a connection of version {spoken}"
    yield broken_rule(rules, detail, VERSION_TWO, ("D-56", "D-64"))


def judge_words(message: bytes, state: RequesterState) -> Iterator[BrokenRule]:
    """What shows in the length and the fixed words of a Call in Version Two."""
    yield from judge_length(len(message), state)
    if fixed_words(message).procedure not in _LISTS:
        rules: Ids = ("v2.4.2.procedure-numbers",)
        detail = f"the procedure is {fixed_words(message).procedure}"
        yield broken_rule(rules, detail, VERSION_TWO, ("D-57", "D-58"))


def judge_option(message: bytes, state: RequesterState) -> tuple[BrokenRule, ...]:
    """The rules that an RDMA2_OPTIONAL or RDMA2_ERROR of a Requester breaks."""
    return tuple(_judge_option(message, state))


def judge_length(length: int, state: RequesterState) -> Iterator[BrokenRule]:
    """Whether a Send of so many octets may go to the tester."""
    # xcharext 3.1: a property that is on its way may have been read or not, so the largest counts.
    most = max(state.lengths)
    if length <= most:
        return
    newest = state.announced[-1]
    rules: Ids
    nothing_told = newest.structure is None and newest.octets is None
    # D-142: every receiver has to support 4096 octets, whatever it has told.
    if not nothing_told and length <= THRESHOLD_TWO:
        return
    if nothing_told and state.lengths == (FIRST_MESSAGE_TWO,):
        rules = ("v2.5.first-message-fits-1024-octets",)
    elif newest.structure is not None and newest.octets is None:
        rules = ("rtrext.8.3.size-follows-from-the-structure",)
    elif most == THRESHOLD_TWO:
        rules = ("v2.2.3.no-send-beyond-4096-octets", "xcharext.3.default-without-information")
    else:
        rules = ("xcharext.3.1.no-send-beyond-the-announced-size",)
    readings = ("D-55",) if newest.structure is None else ("D-55", "D-101")
    detail = f"{length} octets, {most} are allowed"
    yield broken_rule(rules, detail, VERSION_TWO, readings)


def _judge_option(message: bytes, state: RequesterState) -> Iterator[BrokenRule]:
    words = fixed_words(message)
    yield from judge_version(words, state)
    yield from judge_length(len(message), state)
    is_error = words.procedure == v2.Rdma2Procedure.RDMA2_ERROR
    try:
        header, end = v2.decode_header(message)
    except DecodeError as error:
        yield _undecodable(error, is_error=is_error)
        return
    if is_error:
        yield from _error(words, len(message) - end, state)
    elif end != len(message):
        rules: Ids = ("xcharext.4.no-payload-follows",)
        detail = f"{len(message) - end} octets after an optional message"
        yield broken_rule(rules, detail, VERSION_TWO, ("D-60",))
    if isinstance(header.rdma_body, v2.Rdma2Optional):
        yield from judge_reductions(header, header.rdma_body, message[end:], state)
    newest = state.views[-1]
    # v2 5: one message of any kind, until an answer has told the credits (D-54, D-62).
    if not is_error and newest.granted is None and newest.in_flight:
        rules = ("v2.5.one-message-until-the-first-answer",)
        detail = "an optional message beside a Call before the first answer"
        yield broken_rule(rules, detail, VERSION_TWO, ("D-54", "D-62"))


def _undecodable(error: DecodeError, *, is_error: bool) -> BrokenRule:
    rules: Ids = ("v2.4.2.header-layout",)
    if is_error:
        rules = ("v2.3.2.errors-keep-the-fixed-layout", *rules)
    elif error.reason is Reason.BAD_ENUM:
        rules = ("v2.4.2.2.optional-direction-without-payload", *rules)
    detail = f"the header cannot be decoded: {error}"
    return broken_rule(rules, detail, VERSION_TWO, where=error.path)


def _error(words: FixedWords, after: int, state: RequesterState) -> Iterator[BrokenRule]:
    # D-53: an error is the only way to refuse an optional message, for either end.
    if words.xid not in state.option_xids:
        rules: Ids = ("v2.4.2.3.requester-sends-no-other-error",)
        detail = f"an RDMA2_ERROR under {words.xid:#010x}, which is no optional message"
        yield broken_rule(rules, detail, VERSION_TWO, ("D-53",))
    if after:
        rules = ("v2.4.2.1.error-has-no-payload",)
        yield broken_rule(rules, f"{after} octets after an RDMA2_ERROR", VERSION_TWO)
