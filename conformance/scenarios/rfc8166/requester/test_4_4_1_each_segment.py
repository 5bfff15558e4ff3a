"""rfc8166 section 4.4.1 Registration Longevity: each segment of a call, however the call ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Inconclusive
from conformance.tester.server.received import offers_memory
from conformance.tester.server.reply import filled
from rpcrdma.ulp import rpc
from rpcrdma.wire import ErrChunk, ErrVers, RdmaMsg, WriteChunk
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from rpcrdma.wire import ErrorBody
    from targets.base import RunningAct

PROTECTED: Final = "rfc8166.4.4.1.memory-protected-before-upper-layer-access"
COMPLETE: Final = "rfc8166.8.1.3.invalidated-when-complete"
ABNORMAL: Final = "rfc8166.8.1.3.invalidated-after-abnormal-end"

ACTS: Final = {
    "read": (ActKind.READ, 6000),
    "two-reads": (ActKind.READ_TWO, 6000),
    "write": (ActKind.WRITE, 6000),
    "long-call": (ActKind.LONG_CALL, 6000),
    "long-reply": (ActKind.LONG_REPLY, 6000),
}
LONG: Final = {"long-read": (ActKind.READ, 150000), "long-write": (ActKind.WRITE, 1200000)}
"""Those for which a client may offer several segments."""

ERRORS: Final[dict[str, ErrorBody]] = {"err-chunk": ErrChunk(), "err-vers": ErrVers(1, 1)}


def begin(client: ActingClient, name: str) -> RunningAct:
    """An act, which has begun.

    Raises:
        Unsupported: the client has no such act.
    """
    kind, length = {**ACTS, **LONG}[name]
    if kind not in client.acts:
        raise Unsupported(f"the client has no act `{kind.value}`")
    return client.begin(kind, length)


def begun(service: Service, client: ActingClient, name: str) -> tuple[RunningAct, ReceivedCall]:
    """An act, and its first call that offers memory.

    Raises:
        Unsupported: the client has no such act.
    """
    act = begin(client, name)
    deadline, connecting = service.profile.deadline, service.profile.connect_deadline
    return act, service.next_call(offers_memory, deadline + connecting)


def another(service: Service, client: ActingClient, name: str) -> RunningAct:
    """An act whose call is in flight beside another one.

    Raises:
        Unsupported: it does not come while that one waits.
    """
    act = begin(client, name)
    try:
        service.next_call(offers_memory, service.profile.grace)
    except Inconclusive as error:
        raise Unsupported(f"the client has one such call in flight at a time ({error})") from error
    return act


@requirement(PROTECTED, COMPLETE, role="requester")
@pytest.mark.parametrize("name", [*ACTS, *LONG])
def test_requester_takes_back_each_segment(
    service: Service, client: ActingClient, name: str
) -> None:
    """Calls are answered as they should be; then none of their segments can be reached."""

    def make_and_end() -> ReceivedCall:
        act, call = begun(service, client, name)
        service.reply(call)
        verify.calls.done(service.serve_until(act))
        return call

    verify.memory.all_unreachable(service, make_and_end, breaks=(PROTECTED,))


@requirement(PROTECTED, COMPLETE, role="requester")
@pytest.mark.parametrize("name", ACTS)
def test_requester_takes_back_what_its_reply_left_unused(
    service: Service, client: ActingClient, name: str
) -> None:
    """The Reply says that the RPC failed, and uses no chunk: no segment can be reached."""

    def make_and_end() -> ReceivedCall:
        act, call = begun(service, client, name)
        writes = tuple(filled(chunk, b"")[0] for chunk in call.writes)
        offered = call.reply_chunk
        reply = None if offered is None else filled(offered, b"")[0]
        error = service.replies.protected(call, rpc.system_error(call.xid))
        draft = service.draft(call).changed(
            body=RdmaMsg((), writes, reply), payload=error, placements=()
        )
        service.reply(call, draft)
        _ended(service, act)
        return call

    verify.memory.all_unreachable(service, make_and_end, breaks=(PROTECTED,))


@requirement(ABNORMAL, role="requester")
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", ACTS)
def test_requester_takes_back_each_segment_of_a_refused_call(
    service: Service, client: ActingClient, name: str, error: str
) -> None:
    """Calls are refused by an error; then none of their segments can be reached."""
    answer = ERRORS[error]

    def make_and_end() -> ReceivedCall:
        act, call = begun(service, client, name)
        service.error(call, answer)
        verify.calls.failed(service.serve_until(act))
        return call

    verify.memory.all_unreachable(service, make_and_end, breaks=(ABNORMAL,))


@requirement(ABNORMAL, role="requester", interpretations=("D-28",))
@pytest.mark.parametrize("name", ACTS)
def test_requester_takes_back_each_segment_of_a_call_with_a_bad_reply(
    service: Service, client: ActingClient, name: str
) -> None:
    """A Reply has a Write chunk too many: if that ends the call, no segment can be reached."""

    def make_and_end() -> ReceivedCall:
        act, call = begun(service, client, name)
        draft = service.draft(call)
        surplus = draft.with_writes(*draft.lists.rdma_writes, WriteChunk(()))
        service.send(surplus.octets, service.line_of(call))
        service.waiting()
        if act.poll() is None:
            service.reply(call)
            _ended(service, act)
            raise Unsupported("a bad Reply does not end a call")
        call.answered = True
        _ended(service, act)
        return call

    verify.memory.all_unreachable(service, make_and_end, breaks=(ABNORMAL,))


@requirement(PROTECTED, COMPLETE, role="requester")
@pytest.mark.parametrize("name", ACTS)
def test_requester_takes_back_each_segment_beside_other_calls(
    service: Service, client: ActingClient, name: str
) -> None:
    """Of three calls in flight the first is answered; then none of its segments can be reached."""
    waiting: list[RunningAct] = []

    def make_and_end() -> ReceivedCall:
        while waiting:  # those that a connection has gone down with
            _ended(service, waiting.pop())
        act, call = begun(service, client, name)
        waiting.extend(another(service, client, name) for _ in range(2))
        service.reply(call)
        verify.calls.done(service.serve_until(act))
        return call

    verify.memory.all_unreachable(service, make_and_end, breaks=(PROTECTED,))


@requirement(PROTECTED, COMPLETE, role="requester")
@pytest.mark.parametrize("name", ACTS)
def test_requester_takes_back_the_memory_of_every_call(
    service: Service, client: ActingClient, name: str
) -> None:
    """Of several calls on one connection the last is tried, once more each time."""
    calls = 0

    def make_and_end() -> ReceivedCall:
        nonlocal calls
        calls += 1
        for _ in range(calls):
            act, call = begun(service, client, name)
            service.reply(call)
            verify.calls.done(service.serve_until(act))
        return call

    for _ in range(4):
        verify.memory.last_unreachable(service, make_and_end(), breaks=(PROTECTED,))


def _ended(service: Service, act: RunningAct) -> None:
    """However an act ends, that is for other cases."""
    result = service.serve_until(act)
    result.accepted.update(result.allowed)
