"""xcharext section 3.3, Backward Request Support: what a client serves that announces it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from conformance.oracle.header import encode_as
from conformance.oracle.outcome import Answered
from conformance.verify.announced import let_announce
from rpcrdma.wire import RdmaNomsg, ReadSegment, TransportHeader, v2
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.properties import BackwardRequestSupport, BackwardSupport, properties_of
from rpcrdma.wire.rpc import MessageType
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

THERE = "xcharext.3.3.announced-support-is-there"
ANSWERS = "v2.4.2.2.client-answers-backward-calls"
CHUNKS = "xcharext.3.3.general-support-includes-chunks"
NO_WIDER = "xcharext.3.3.reply-no-wider-than-its-call"


def _announced(service: Service, client: ActingClient) -> BackwardSupport:
    """The level that the client announces on the newest connection; the default without a word."""
    verify.calls.done(client.serve_good_act())
    let_announce(service, client)
    level = BackwardSupport.BKREQSUP_INLINE
    for message in service.options.messages:
        if message.line is service.line and isinstance(message.option, ConnProp):
            for value in properties_of(message.option.opticonnpr_start):
                if isinstance(value, BackwardRequestSupport):
                    level = value.level
    if level is BackwardSupport.BKREQSUP_NONE:
        raise Unsupported("the client announces that it takes no backward Calls")
    return level


@requirement(THERE, role="requester", needs=("operations", "backward"), interpretations=("D-75",))
@pytest.mark.parametrize("length", [0, 100, 400])
def test_client_serves_backward_calls_as_announced(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """A client that does not say NONE answers backward Calls without chunks."""
    _announced(service_two, client)
    server = BackwardServer.of(service_two)
    calls = server.calls

    xid = server.call(lambda xid: calls.note(xid, length) if length else calls.null(xid))

    server.answered(xid, breaks=(THERE, ANSWERS))


@requirement(
    NO_WIDER,
    role="requester",
    needs=("operations", "backward"),
    interpretations=("D-75", "D-131"),
    means={"v2.4.2.2.backward-messages-without-chunks": NO_WIDER},
)
@pytest.mark.parametrize("length", [100, 3000])
def test_client_replies_without_chunks_to_calls_without_them(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """The Reply to a backward Call without chunks has none, whatever the client could take."""
    _announced(service_two, client)
    server = BackwardServer.of(service_two)

    xid = server.call(lambda xid: server.calls.long_reply(xid, length))

    answer = server.answered(xid, breaks=(NO_WIDER, ANSWERS))
    lists = (answer.body.rdma_reads, answer.body.rdma_writes, answer.body.rdma_reply)
    verify.equal(lists, ((), (), None), "the chunk lists of the Reply", breaks=(NO_WIDER,))


@requirement(CHUNKS, role="requester", needs=("operations", "backward"), interpretations=("D-131",))
@pytest.mark.parametrize("length", [100, 6000])
def test_client_of_general_support_serves_calls_with_chunks(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """A backward Long Call is fetched and answered where the client announces GENL."""
    if _announced(service_two, client) is not BackwardSupport.BKREQSUP_GENL:
        raise Unsupported("the client announces no support for backward Calls with chunks")
    server = BackwardServer.of(service_two)
    xid = server.next_xid()
    payload = server.calls.long_call(xid, length)
    reads = (ReadSegment(0, service_two.line.expose(payload)),)
    header = TransportHeader(xid, v2.VERSION, 8, RdmaNomsg(reads, (), None))

    server.send(encode_as(v2.VERSION, header, MessageType.CALL), xid)

    service_two.serve_while(lambda: not server.answers(xid))
    found = server.answers(xid)
    answered = [one for one in found if isinstance(one, Answered)]
    verify.that(
        len(answered) == len(found) == 1,
        "a Reply answers the Call",
        actual=", ".join(map(str, found)),
        breaks=(CHUNKS, ANSWERS),
    )
    problem = server.calls.problem(payload, answered[0].payload)
    verify.equal(problem, "", "the problem with the results", breaks=(CHUNKS,))
