"""The specification as an oracle: what a Requester may do about octets that arrive.

    rfc8166 section 4.5    Error Handling
    rfc8166 section 4.6    Protocol Elements No Longer Supported
    rfc8166 section 3.4.6  Write Chunks, and 4.3 Chunk Lists: what a Reply returns
    rfc8166 section 6.1    DDP-Eligibility (violations by a Responder)
    v2 section 4.2.3       Transport Errors, and 5.2 (an ERR_VERS that makes a Requester fall back)

`expected_reaction` takes any octets and says what may become of the Call that they are about, and
what must be delivered if it completes.  It judges in the order in which a Requester can learn of
faults: length, procedure, version, header, XID, chunks, RPC message, results.  Errors are judged in
`conformance.oracle.requester.errors`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_ONE, VERSION_TWO, as_one, is_two
from conformance.oracle.lenient_presence import with_lenient_presence
from conformance.oracle.requester.dropped import (
    BAD_HEADER,
    RETIRED,
    bad_header,
    dropped_short,
    dropped_unknown,
)
from conformance.oracle.requester.errors import is_report, judge_error, judge_report
from conformance.oracle.requester.expectation import (
    Contents,
    Reaction,
    ReactionExpectation,
    may_react,
)
from conformance.oracle.requester.reassembly import reassemble
from conformance.oracle.responder.reply_rules import broken_rules
from conformance.oracle.sizes import SHORTEST_MESSAGE
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.ulp.rpc import decode_reply
from rpcrdma.wire import (
    Procedure,
    RdmaMsg,
    RdmaNomsg,
    TransportHeader,
    decode_header,
    v2,
)
from rpcrdma.wire.operations import ROPT_XMTRESP
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.versions import FIXED_WORDS, FixedWords, fixed_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.oracle.requester.state import OutstandingCall, RequesterState
    from conformance.oracle.verdict import BrokenRule

__all__ = ["expected_reaction"]

_MATCHED: Final = ("rfc8166.2.2.2.reply-xid-is-the-calls", "rfc8166.3.3.1.replies-in-any-order")
_XID_RULE: Final = "rfc8166.4.2.1.xid-equals-payload-xid"
_UNANSWERED: Final = ("rtrext.7.4.every-direction-is-answered",)
_NO_ZERO_GRANT: Final = "rfc8166.3.3.1.grant-is-never-zero"

_AFTER_THE_HEADER: Final = (
    "rfc8166.4.rpc-layout-is-unchanged",
    "rfc8166.2.2.2.reply-msg-type",
)
"""Faults of the RPC message: the transport header, and the grant in it, are good."""

_DROPPED: Final[Mapping[int, tuple[str, str, tuple[str, ...]]]] = {
    Procedure.RDMA_MSGP: ("RDMA_MSGP", "rfc8166.4.6.1.requester-discards-msgp", ()),
    Procedure.RDMA_DONE: ("RDMA_DONE", "rfc8166.4.6.2.done-is-discarded", ("D-14",)),
}
"""Procedures that a Requester drops, whatever follows the fixed words."""

_READ_LIST: Final = "rfc8166.4.3.1.read-list-empty-in-replies"
"""What shows in the header by itself, whatever the Call has offered."""

_MISLEADING: Final = frozenset(
    {
        "rfc8166.3.4.6.segment-count-returned",
        "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused",
        "rfc8166.8.1.4.no-more-data-than-room",
    }
)
"""Faults of a Write list that tells too much: memory protection has it do no more than that."""

_HARMLESS: Final[Mapping[str, tuple[str, ...]]] = {
    "rfc8166.3.4.6.segments-returned": ("D-28",),
    "rfc8166.3.4.6.write-chunk-filled-in-order": ("D-28",),
    "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written": ("D-19", "D-28"),
    _NO_ZERO_GRANT: ("D-16",),
}
"""Rules for a Reply that bind the Responder, and whose breach leaves the result as it should be: a
Requester that takes the Reply gets a WARN at most."""


def expected_reaction(
    reply: bytes, state: RequesterState, contents: Contents | None = None
) -> ReactionExpectation:
    """What a Requester may do about a message.

    Args:
        reply: any octets, sent to a Receive that is large enough.
        state: before they were sent.
        contents: tells what the Requester's memory holds in given segments (what the tester wrote
            there before this message); None if nobody knows, in which case the payload that a
            completion delivers is not known either, where chunks carry it.
    """
    if len(reply) < FIXED_WORDS:
        return dropped_short(reply, VERSION_ONE)
    words = fixed_words(reply)
    call = state.call(words.xid)
    if state.serves_two and is_two(reply):
        return replace(_of_two(reply, words, call, state, contents), version=VERSION_TWO)
    return _of_one(reply, words, call, state, contents)


def _of_one(
    reply: bytes,
    words: FixedWords,
    call: OutstandingCall | None,
    state: RequesterState,
    contents: Contents | None,
) -> ReactionExpectation:
    version = VERSION_ONE
    # D-10: errors have 20 octets, so that a Requester looks at the procedure before the length, and
    # (D-11) before the version, which an ERR_VERS echoes.
    if words.procedure == Procedure.RDMA_ERROR:
        return _doubtful(judge_error(reply, words, call, version), call, version)
    if len(reply) < SHORTEST_MESSAGE:
        return dropped_short(reply, version)
    if words.procedure in _DROPPED and words.version == VERSION_ONE:
        name, rule, readings = _DROPPED[words.procedure]
        allowed = (may_react(Reaction.WAITING, rule, version, readings),)
        return ReactionExpectation(name, allowed, _xid(call))
    if words.version != VERSION_ONE:
        return bad_header(f"version {words.version}", call, version, ("D-11", "D-28"))
    try:
        header, end = decode_header(reply)
    except DecodeError as error:
        return _doubtful(_undecodable(reply, error, call, state, contents), call, version)
    result = _reply(header, reply[end:], call, state, contents, version)
    return _doubtful(result, call, version)


def _of_two(
    reply: bytes,
    words: FixedWords,
    call: OutstandingCall | None,
    state: RequesterState,
    contents: Contents | None,
) -> ReactionExpectation:
    version = VERSION_TWO
    if words.procedure == Procedure.RDMA_ERROR:
        # D-53: an error about an optional message is about no Call, if there is such a message.
        about = None if words.xid in state.asked_xids else call
        return _doubtful(judge_error(reply, words, about, version), about, version)
    if len(reply) < SHORTEST_MESSAGE:
        return dropped_short(reply, version)
    try:
        raw, end = v2.decode_header(reply)
    except DecodeError as error:
        return _doubtful(bad_header(str(error), call, version), call, version)
    if isinstance(raw.rdma_body, v2.Rdma2Optional):
        if is_report(raw.rdma_body):
            return judge_report(words, call)
        if raw.rdma_body.rdma_opttype == ROPT_XMTRESP:
            # One that can be decoded is judged by the Sends that bring it (`response_group`).
            fault = "an XMTRESP that cannot be decoded"
            bad = bad_header(fault, call, version, ("D-106",), tells_itself=False)
            return _doubtful(bad, call, version)
        # D-54: its credits count for its direction, and tell no first grant.
        answers = raw.rdma_body.rdma_optdir is MessageType.REPLY and words.xid in state.asked_xids
        waiting = may_react(Reaction.WAITING, "v2.3.2.xids-belong-to-a-direction", version)
        grant = words.credit if answers else None
        return ReactionExpectation("", (waiting,), grant=grant, may_be_first=answers)
    header = as_one(raw)
    if header is None or v2.direction_of(raw.rdma_body) is not MessageType.REPLY:
        rule = ("v2.4.2.3.wrong-direction-is-not-served",)
        result = bad_header("its direction is CALL", call, version, ("D-134",), rule)
        return _doubtful(result, call, version)
    # v2 5.3: a Reply has the version of its Call, so this one is wrong before its lists are read.
    if call is not None and call.header is not None and call.header.rdma_vers != words.version:
        return bad_header("another version than the Call has", call, version, ("D-56", "D-28"))
    return _doubtful(_reply(header, reply[end:], call, state, contents, version), call, version)


def _xid(call: OutstandingCall | None) -> int | None:
    return None if call is None else call.xid


def _doubtful(
    expectation: ReactionExpectation, call: OutstandingCall | None, version: int
) -> ReactionExpectation:
    """A Call that the Requester may be done with already may also just stay as it is."""
    if call is None or not call.doubtful:
        return expectation
    over = may_react(Reaction.WAITING, RETIRED, version, ("D-28", "D-132"))
    return replace(
        expectation,
        allowed=tuple(dict.fromkeys((*expectation.allowed, over))),
        settles=expectation.must_end,
        # Whoever is done with the Call drops the message, and its grant.
        is_valid_reply=False,
        may_be_first=expectation.is_valid_reply or expectation.may_be_first,
    )


def _undecodable(
    reply: bytes,
    error: DecodeError,
    call: OutstandingCall | None,
    state: RequesterState,
    contents: Contents | None,
) -> ReactionExpectation:
    # Headers of Version Two come to `_of_two`, which drops what it cannot decode.
    version = VERSION_ONE
    fault = bad_header(str(error), call, version)
    patched = with_lenient_presence(reply)
    if patched is None or call is None:
        return fault
    header, end = decode_header(patched)
    lenient = _reply(header, patched[end:], call, state, contents, version)
    tolerated = (
        replace(item, warning=True, readings=(*item.readings, "D-33"))
        for item in lenient.allowed
        if item.kind is Reaction.COMPLETED
    )
    return replace(fault, allowed=(*fault.allowed, *tolerated), payload=lenient.payload)


# -- Replies


def _reply(
    header: TransportHeader,
    payload: bytes,
    call: OutstandingCall | None,
    state: RequesterState,
    contents: Contents | None,
    version: int,
) -> ReactionExpectation:
    body = header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        raise TypeError(f"{type(body).__name__} is not judged here")
    if call is None:
        # rfc8166 2.2.2: the XID is all that ties a Reply to a Call.  3.3.1 counts its grant anyhow:
        # it is in every message of a Responder.
        fault = f"rdma_xid {header.rdma_xid:#010x} is of no outstanding Call"
        return replace(dropped_unknown(fault, version), grant=header.rdma_credit)
    if call.header is None:  # nothing is known of the chunks that the Call offered
        good = ReactionExpectation(
            "",
            (may_react(Reaction.COMPLETED, _MATCHED, version),),
            call.xid,
            grant=header.rdma_credit,
        )
        good = replace(good, may_be_first=True)
        return _also_bad(good, "a Reply to a Call that cannot be decoded", version, ("D-28",))
    whole = _whole(body, payload, contents)
    broken = broken_rules(call.header, header, whole)
    # rfc8166 4.5: a fault of the header spoils the Reply; what only its Responder must answer for,
    # and what one of the two XIDs says (D-12), need not (D-28).
    fatal = [rule for rule in broken if rule.origin not in (*_HARMLESS, _XID_RULE)]
    if fatal:
        faults = bad_header(
            "; ".join(rule.detail for rule in fatal),
            call,
            version,
            rules=tuple(dict.fromkeys(rule.origin for rule in fatal)),
            tells_itself=any(rule.origin == _READ_LIST for rule in fatal),
        )
        if _tells_too_much(call.header, header) and _MISLEADING.issuperset(
            rule.origin for rule in fatal
        ):
            # rfc8166 4.5 speaks of errors that are detected, and 3.4.6 binds the Responder.
            ids = faults.allowed[0].ids
            taken = may_react(Reaction.COMPLETED, (), version, ("D-28",), warning=True)
            faults = replace(faults, allowed=(*faults.allowed, replace(taken, ids=ids)))
        after = all(rule.origin in _AFTER_THE_HEADER for rule in fatal)
        return replace(faults, grant=header.rdma_credit, may_be_first=after)
    result = _results(header, body, whole, call, state, contents, version)
    result = _with_harmless(result, broken, version)
    if call.group is not None and call.group.directions:
        # D-116: only an XMTRESP answers directions.
        result = _also_bad(result, "directions are not answered", version, ("D-116",), _UNANSWERED)
    # rfc8166 4.2.4: the stream is in the Reply chunk; whether these octets are looked at is open.
    if isinstance(body, RdmaNomsg) and payload:
        result = _also_bad(result, "octets after an RDMA_NOMSG", version, ("D-32",))
    return result


def _tells_too_much(asked: TransportHeader, given: TransportHeader) -> bool:
    """Whether a Short Reply returns all of the Write list, and maybe further chunks or segments."""
    offered, body = asked.rdma_body, given.rdma_body
    if not (isinstance(offered, RdmaMsg | RdmaNomsg) and isinstance(body, RdmaMsg)):
        return False
    if body.rdma_reply is not None or len(offered.rdma_writes) > len(body.rdma_writes):
        return False
    return all(
        len(before.target) <= len(after.target)
        for before, after in zip(offered.rdma_writes, body.rdma_writes, strict=False)
    )


def _whole(body: RdmaMsg | RdmaNomsg, payload: bytes, contents: Contents | None) -> bytes | None:
    """The reduced Payload stream; None if nobody knows what is in the Reply chunk."""
    if isinstance(body, RdmaMsg):
        return payload
    if body.rdma_reply is None or contents is None:
        return None
    return contents(body.rdma_reply.target)


def _results(
    header: TransportHeader,
    body: RdmaMsg | RdmaNomsg,
    whole: bytes | None,
    call: OutstandingCall,
    state: RequesterState,
    contents: Contents | None,
    version: int,
) -> ReactionExpectation:
    """A Reply whose header is right: what its results are worth."""
    good = may_react(Reaction.COMPLETED, _MATCHED, version)
    result = ReactionExpectation(
        "", (good,), call.xid, grant=header.rdma_credit, is_valid_reply=True
    )
    if whole is None or state.upper_layer is None or call.unreduced is None:
        # Nobody can tell whether the results fit the chunks: an error is a possible answer, too.
        return replace(result, allowed=(good, may_react(Reaction.FAILED, _MATCHED, version)))
    # rfc8166 4.3.2: without a chunk that could hold a result the stream is the whole Reply.
    if not any(chunk.target for chunk in body.rdma_writes):
        return _outcome(replace(result, payload=whole), whole, version)
    # D-12: who goes by rdma_xid alone does not see another XID after it.
    seen = call.unreduced[:4] + whole[4:]
    try:
        found = reassemble(call.unreduced, seen, body.rdma_writes, contents, state.upper_layer)
    except DecodeError:  # the Call's own arguments were no good: there is no binding for them
        return replace(result, allowed=(good, may_react(Reaction.FAILED, _MATCHED, version)))
    if found.fault:
        # rfc8166 6.1: a permanent error, since asking again would bring the same.
        failed = may_react(Reaction.FAILED, found.requirements, version, ("D-28",))
        return replace(result, fault=found.fault, allowed=(failed,))
    if seen == whole:
        result = replace(result, payload=found.payload)
    return _outcome(result, whole, version)


def _outcome(result: ReactionExpectation, reply: bytes, version: int) -> ReactionExpectation:
    """Above the RPC layer an error Reply looks like any other error."""
    if decode_reply(reply)[0].outcome is RpcOutcome.SUCCESS:
        return result
    failed = may_react(Reaction.FAILED, _MATCHED, version)
    return replace(result, allowed=(*result.allowed, failed))


def _with_harmless(
    result: ReactionExpectation, broken: Iterable[BrokenRule], version: int
) -> ReactionExpectation:
    """A Reply that breaks rules without spoiling its result, added to what it gets otherwise."""
    for rule in broken:
        if rule.origin == _XID_RULE:
            ignored = ("rfc8166.4.2.1.payload-xid-may-be-ignored",)
            result = _also_bad(result, rule.detail, version, ("D-12",), ignored)
        else:
            result = _also_bad(result, rule.detail, version, _HARMLESS[rule.origin])
    return result


def _also_bad(
    result: ReactionExpectation,
    fault: str,
    version: int,
    readings: tuple[str, ...],
    rules: tuple[str, ...] = (BAD_HEADER,),
) -> ReactionExpectation:
    """The Reply may also be dropped, or end the RPC, for this fault."""
    more = tuple(
        may_react(reaction, rules, version, readings)
        for reaction in (Reaction.FAILED, Reaction.WAITING)
    )
    allowed = tuple(dict.fromkeys((*result.allowed, *more)))
    return replace(
        result,
        fault="; ".join(filter(None, (result.fault, fault))),
        allowed=allowed,
        # Who drops the Reply does not take its grant, either.
        is_valid_reply=False,
        may_be_first=True,
    )
