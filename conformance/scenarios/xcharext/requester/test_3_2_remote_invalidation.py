"""xcharext section 3.2, Requester Remote Invalidation: what a client bears that announces it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server.reply import filled
from conformance.verify.announced import let_announce
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg
from rpcrdma.wire.operations import ConnProp, UpdProp
from rpcrdma.wire.optional import values_of
from rpcrdma.wire.properties import RequesterRemoteInvalidation, properties_of
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server import Line, ReceivedCall, ReplyDraft, Service
    from conformance.tester.server.acting import ActingClient
    from rpcrdma.wire import RdmaSegment
    from targets.base import RunningAct

Ids = tuple[str, ...]

BEARS = "xcharext.3.2.announcer-bears-invalidation"
EITHER = "xcharext.3.2.either-send-if-announced"
FENCED = "v2.2.2.memory-is-fenced-when-complete"

LENGTH: Final = 9000
"""Octets of arguments or results that no message of Version Two takes inline."""

MANY: Final = 700_000
"""Octets for which a client is likely to need several handles."""


def _write_chunks(call: ReceivedCall) -> tuple[RdmaSegment, ...]:
    return tuple(segment for chunk in call.writes for segment in chunk.target)


def _reply_chunk(call: ReceivedCall) -> tuple[RdmaSegment, ...]:
    return () if call.reply_chunk is None else call.reply_chunk.target


def _read_chunks(call: ReceivedCall) -> tuple[RdmaSegment, ...]:
    return tuple(read.target for read in call.reads if read.position)


def _long_call(call: ReceivedCall) -> tuple[RdmaSegment, ...]:
    return tuple(read.target for read in call.reads if not read.position)


CHUNKS: Final[dict[str, tuple[ActKind, Callable[[ReceivedCall], tuple[RdmaSegment, ...]]]]] = {
    "Write chunk": (ActKind.READ, _write_chunks),
    "Reply chunk": (ActKind.LONG_REPLY, _reply_chunk),
    "Read chunk": (ActKind.WRITE, _read_chunks),
    "Long Call": (ActKind.LONG_CALL, _long_call),
}
"""What memory can be offered for: which act has it offered, and where it is in the Call."""

FOR_RESULTS: Final = ("Write chunk", "Reply chunk")


def _bearing(service: Service, client: ActingClient) -> Line:
    """The newest connection, on which the client announces that it bears remote invalidation.

    Raises:
        Unsupported: it does not.
    """
    verify.calls.done(client.serve_good_act())
    let_announce(service, client)
    is_allowed = False
    for message in service.options.messages:
        if message.line is service.line and isinstance(message.option, ConnProp | UpdProp):
            for value in properties_of(values_of(message.option)):
                if isinstance(value, RequesterRemoteInvalidation):
                    is_allowed = value.allowed
    if not is_allowed:
        raise Unsupported("the client does not announce that it bears remote invalidation")
    return service.line


def _begun(
    service: Service, client: ActingClient, chunk: str, breaks: Ids, length: int = LENGTH
) -> tuple[RunningAct, ReceivedCall, tuple[RdmaSegment, ...]]:
    """An act, the Call of it that offers such a chunk, and what that consists of."""
    kind, segments = CHUNKS[chunk]
    act = client.begin(kind, length)
    call = service.next_call(lambda one: bool(segments(one)))
    verify.calls.stands(service.line_of(call), "fetching what a Call offers", breaks)
    return act, call, segments(call)


def _completed(
    service: Service, line: Line, act: RunningAct, breaks: Ids, read: int | None = None
) -> None:
    """An act ends well on the connection that it began on; data read are those that were placed."""
    result = service.serve_until(act)
    verify.calls.stands(line, "the Replies", breaks)
    verify.calls.done(result, breaks)
    if read is not None:
        verify.calls.reads(result, read)


def _failing(call: ReceivedCall, draft: ReplyDraft) -> ReplyDraft:
    """Instead of results the Reply has an error of RPC, so that no chunk is used."""
    writes = tuple(filled(chunk, b"")[0] for chunk in call.writes)
    reply = None if call.reply_chunk is None else filled(call.reply_chunk, b"")[0]
    error = rpc.system_error(call.xid)
    return draft.changed(body=RdmaMsg((), writes, reply), payload=error, placements=())


@requirement(BEARS, role="requester", needs=("operations",), interpretations=("D-80",))
@pytest.mark.parametrize("chunk", CHUNKS)
def test_client_takes_replies_that_invalidate(
    service_two: Service, client: ActingClient, chunk: str
) -> None:
    """A Reply may invalidate the handle of its Call: the results are there, and Calls go on."""
    line = _bearing(service_two, client)

    for _ in range(3):
        act, call, segments = _begun(service_two, client, chunk, (BEARS,))
        draft = service_two.draft(call).invalidating(segments[0].handle)
        service_two.reply(call, draft)
        read = LENGTH if chunk == "Write chunk" else None
        _completed(service_two, line, act, (BEARS,), read)

    _completed(service_two, line, client.good_act(), (BEARS,))


@requirement(BEARS, role="requester", needs=("operations",), interpretations=("D-80",))
@pytest.mark.parametrize("chunk", FOR_RESULTS)
def test_client_takes_replies_that_invalidate_what_they_do_not_use(
    service_two: Service, client: ActingClient, chunk: str
) -> None:
    """So may one with an error in place of the results, which leaves the chunk unused."""
    line = _bearing(service_two, client)

    act, call, segments = _begun(service_two, client, chunk, (BEARS,))
    draft = _failing(call, service_two.draft(call)).invalidating(segments[0].handle)
    service_two.reply(call, draft)

    service_two.serve_until(act)  # well or badly: that is for the application to say
    verify.calls.stands(line, "the Reply", (BEARS,))
    _completed(service_two, line, client.good_act(), (BEARS,))


@requirement(BEARS, FENCED, role="requester", needs=("operations",), interpretations=("D-80",))
@pytest.mark.parametrize("chunk", CHUNKS)
def test_client_invalidates_the_other_handles_itself(
    service_two: Service, client: ActingClient, chunk: str
) -> None:
    """Of several handles a Reply invalidates one; once the RPC is over, none can be reached."""
    line = _bearing(service_two, client)
    act, call, segments = _begun(service_two, client, chunk, (BEARS,), MANY)
    first, last = segments[0], segments[-1]
    if first.handle == last.handle:
        service_two.serve_until(act)
        raise Unsupported("the client offers such memory under one handle")

    service_two.reply(call, service_two.draft(call).invalidating(last.handle))

    read = MANY if chunk == "Write chunk" else None
    _completed(service_two, line, act, (BEARS,), read)
    verify.memory.unreachable(service_two, line, first, for_results=chunk in FOR_RESULTS)


@requirement(EITHER, role="requester", needs=("operations",), interpretations=("D-80",))
@pytest.mark.parametrize("chunk", CHUNKS)
def test_client_that_bears_invalidation_takes_plain_replies(
    service_two: Service, client: ActingClient, chunk: str
) -> None:
    """A Responder need not invalidate: plain Replies to Calls with chunks complete them as ever."""
    line = _bearing(service_two, client)

    for _ in range(3):
        act, call, _ = _begun(service_two, client, chunk, (EITHER,))
        service_two.reply(call)
        read = LENGTH if chunk == "Write chunk" else None
        _completed(service_two, line, act, (EITHER,), read)


@requirement(EITHER, BEARS, role="requester", needs=("operations",), interpretations=("D-80",))
def test_client_takes_replies_of_either_kind_in_any_order(
    service_two: Service, client: ActingClient
) -> None:
    """Of many Calls at once, the last is answered first, and every other Reply invalidates."""
    line = _bearing(service_two, client)
    lengths = [LENGTH + 1000 * number for number in range(6)]
    acts = [client.begin(ActKind.READ, length) for length in lengths]

    calls = verify.calls.some(service_two.waiting(), "although it was told to read")
    for number, call in enumerate(reversed(calls)):
        draft, segments = service_two.draft(call), _write_chunks(call)
        service_two.reply(
            call, draft.invalidating(segments[0].handle) if segments and number % 2 == 0 else draft
        )

    for act, length in zip(acts, lengths, strict=True):
        _completed(service_two, line, act, (EITHER, BEARS), length)
    _completed(service_two, line, client.good_act(), (EITHER,))
