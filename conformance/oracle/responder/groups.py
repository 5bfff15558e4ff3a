"""The oracle's view of transmission groups at a Responder: what may answer one that is not whole.

    rtrext section 4.2  Message Continuation Changes
    rtrext section 5.4  Error Reporting
    rtrext section 9    New Operations (counts, numbers, lengths; what is wrong with them)

`expected_of_sends` takes the Sends of one message, or as many of them as there are; a request that
is whole is judged by `conformance.oracle.responder.group_requests`.  D-106, D-111 and D-119 leave
more than one answer to most faults.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from conformance.catalogue.interpretations import choice
from conformance.oracle.header import VERSION_TWO, is_two
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    InvalidOption,
    Silent,
)
from conformance.oracle.responder.expectation import (
    Expectation,
    ResponderState,
    may_answer,
)
from conformance.oracle.transmissions import GroupAnswered, Reported
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import ReportedError
from rpcrdma.wire.operations import ReptErr, TransmissionOption, XmtCont, XmtReq
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.transmission import payload_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.oracle.responder.expectation import Answer
    from conformance.oracle.verdict import Alternative, Ids
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.rpc import MessageType

__all__ = ["GroupSend", "begun_group", "reported", "uncoded"]

_GARBAGE: Final = frozenset({RpcOutcome.GARBAGE_ARGS})

_NO_CODE: Final = ("D-106",)

_BADHMT: Final = "rtrext.9.5.badhmt"
_BADOMT: Final = "rtrext.9.5.badomt"
_BADCONT: Final = "rtrext.9.5.badcont"
_BADSEQ: Final = "rtrext.9.5.badseq"
_BADXID: Final = "rtrext.9.5.badxid"
_BADPL: Final = "rtrext.9.5.badpl"
_FAULTY_GROUP: Final = "rtrext.5.4.faulty-groups-are-reported"
_WHOLE: Final = "rtrext.9.2.request-is-whole-with-its-count"
_LIMIT: Final = "rtrext.8.4.requests-up-to-the-limit-are-taken"
_XDR: Final = "rtrext.9.5.xdr-errors-are-not-reported-so"
_REFUSED: Final = "v2.3.1.unsupported-operation-is-answered"
_UNANSWERED: Final = "v2.3.2.optional-messages-tell-their-direction"


@dataclass(frozen=True, slots=True)
class GroupSend:
    """A Send of a group.

    Attributes:
        octets: all of it.
        xid: rdma_xid.
        way: rdma_optdir.
        contents: of its operation.
        end: of its header.
    """

    octets: bytes
    xid: int
    way: MessageType
    contents: Option
    end: int

    @property
    def length(self) -> int:
        """Octets of the Payload stream that it says it has (D-99)."""
        contents = self.contents
        return payload_length(contents) if isinstance(contents, TransmissionOption) else 0

    @property
    def front(self) -> int:
        """Octets of header and payload together."""
        return self.end + self.length

    @property
    def payload(self) -> bytes:
        """What it has of the Payload stream."""
        return self.octets[self.end : self.front]

    @property
    def is_too_short(self) -> bool:
        """Whether its payload goes beyond its end."""
        return self.front > len(self.octets)


def reported(
    rules: Ids, codes: Iterable[ReportedError], readings: tuple[str, ...] = ()
) -> Alternative[Answer]:
    """A report of one of these errors."""
    return may_answer(Reported, rules, VERSION_TWO, readings, codes=frozenset(codes))


def uncoded(rules: Ids) -> tuple[Alternative[Answer], ...]:
    """What may answer a request with a fault for which REPTERR has no code (D-106)."""
    return (
        may_answer(ErrChunk, rules, VERSION_TWO, _NO_CODE),
        may_answer(Reported, rules, VERSION_TWO, _NO_CODE),
        may_answer(Answered, rules, VERSION_TWO, _NO_CODE, statuses=_GARBAGE),
        may_answer(GroupAnswered, rules, VERSION_TWO, _NO_CODE, statuses=_GARBAGE),
        may_answer(Disconnected, rules, VERSION_TWO, _NO_CODE),
    )


def begun_group(
    sends: Sequence[bytes], state: ResponderState
) -> tuple[Expectation | None, tuple[GroupSend, ...]]:
    """What may answer Sends that are no whole request; None if they are one.

    Args:
        sends: the first is an RDMA2_OPTIONAL with an operation of rtrext that the device supports.
        state: what is known of the device and the connection.

    Returns:
        And the Sends as parts of the group, if they are one.
    """
    header, _ = v2.decode_header(sends[0])
    found, parts = _begun(sends, state)
    if found is not None:
        found = replace(found, xid=header.rdma_xid, version=VERSION_TWO)
    return found, parts


def _begun(
    sends: Sequence[bytes], state: ResponderState
) -> tuple[Expectation | None, tuple[GroupSend, ...]]:
    try:
        first = _part(sends[0])
    except DecodeError as error:
        return _undecodable(error, state), ()
    match first.contents:
        case XmtReq(optxrq_count=count):
            return _request(first, count, sends, state)
        case XmtCont():
            return Expectation("nothing to continue", (_not_expected(first),)), ()
        case ReptErr():
            dropped = may_answer(Silent, ("rtrext.9.1.code-of-repterr",), VERSION_TWO, ("D-110",))
            return Expectation("", (dropped,)), ()
        case _:
            odd = (
                may_answer(Silent, _UNANSWERED, VERSION_TWO),
                may_answer(ErrChunk, _UNANSWERED, VERSION_TWO),
                may_answer(InvalidOption, _UNANSWERED, VERSION_TWO),
            )
            return Expectation("a response that says that it begins something", odd), ()


def _part(send: bytes) -> GroupSend:
    """A Send as part of a group; raises DecodeError if it is no operation that can be read."""
    header, end = v2.decode_header(send)
    body = header.rdma_body
    if not isinstance(body, v2.Rdma2Optional):
        raise DecodeError(12, "rdma_body.rdma_proc", Reason.BAD_DISCRIMINANT, "no operation")
    return GroupSend(send, header.rdma_xid, body.rdma_optdir, decode_option(body), end)


def _undecodable(error: DecodeError, state: ResponderState) -> Expectation:
    """Contents that are none are a header that cannot be decoded (D-59, D-96, D-106)."""
    strict = choice("D-59", state.chosen) == "bad-header"
    readings = ("D-59", "D-106")
    allowed = (
        may_answer(ErrChunk, _XDR, VERSION_TWO, readings),
        may_answer(InvalidOption, _XDR, VERSION_TWO, readings, warning=strict),
    )
    return Expectation(str(error), allowed)


def _request(
    first: GroupSend, count: int, sends: Sequence[bytes], state: ResponderState
) -> tuple[Expectation | None, tuple[GroupSend, ...]]:
    if first.is_too_short:
        return _beyond(first), ()
    if not 1 <= count <= state.own.request_limit:
        fault = f"{count} transmissions, where {state.own.request_limit} are taken"
        return Expectation(fault, uncoded((_LIMIT,))), ()
    parts = [first]
    for number, send in enumerate(sends[1:count], 1):
        part = _continuation(send)
        broken = _break(first, number, send, part)
        if broken is not None or part is None:
            return broken, ()
        parts.append(part)
    if len(parts) < count:
        waits = may_answer(Silent, (_WHOLE,), VERSION_TWO, ("D-119",))
        return Expectation(f"{len(parts)} of {count} transmissions", (waits,)), ()
    return None, tuple(parts)


def _continuation(send: bytes) -> GroupSend | None:
    """A Send as a continuation; None if it is anything else."""
    try:
        part = _part(send) if is_two(send) else None
    except DecodeError:
        return None
    return part if part is not None and isinstance(part.contents, XmtCont) else None


def _break(
    first: GroupSend, number: int, send: bytes, part: GroupSend | None
) -> Expectation | None:
    """What may be reported of a Send after the first; None if it continues the group."""
    other_xid = int.from_bytes(send[:4]) != first.xid
    if part is None:
        is_operation = is_two(send) and send[12:16] == v2.Rdma2Procedure.RDMA2_OPTIONAL.to_bytes(4)
        rule = _BADOMT if is_operation else _BADHMT
        fits = ReportedError.OPTRERR_BADOMT if is_operation else ReportedError.OPTRERR_BADHMT
        codes = {fits} | ({ReportedError.OPTRERR_BADXID} if other_xid else set())
        allowed = reported((rule, _FAULTY_GROUP), codes, ("D-119",))
        return Expectation("a group that is not continued", (allowed,))
    assert isinstance(part.contents, XmtCont)  # noqa: S101  # what `_continuation` returns
    codes = set()
    if other_xid or part.way is not first.way:
        codes.add(ReportedError.OPTRERR_BADXID)
    if part.contents.optxc_xnum != number:
        codes.add(ReportedError.OPTRERR_BADSEQ)
    if codes:
        rule = _BADXID if ReportedError.OPTRERR_BADXID in codes else _BADSEQ
        allowed = reported((rule, _FAULTY_GROUP), codes, ("D-119",))
        return Expectation(f"a group without its transmission {number}", (allowed,))
    return _beyond(part) if part.is_too_short else None


def _not_expected(part: GroupSend) -> Alternative[Answer]:
    """A continuation where there is nothing to continue."""
    return reported((_BADCONT, _FAULTY_GROUP), {ReportedError.OPTRERR_BADCONT})


def _beyond(part: GroupSend) -> Expectation:
    """A payload that is longer than what there is of its Send (D-111)."""
    fault = f"{part.length} octets of payload in {len(part.octets) - part.end}"
    allowed = (
        reported((_BADPL, _FAULTY_GROUP), {ReportedError.OPTRERR_BADPL}, ("D-111",)),
        may_answer(ErrChunk, (_BADPL,), VERSION_TWO, ("D-111",)),
    )
    return Expectation(fault, allowed)
