"""xcharext section 3.3, Backward Request Support: whom a server calls back, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.backward import chunked
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from conformance.tester.client.message import option
from rpcrdma.ulp import rpc
from rpcrdma.ulp.backprog import Tally
from rpcrdma.wire import ErrChunk, ErrVers
from rpcrdma.wire.operations import ConnProp, UpdProp
from rpcrdma.wire.properties import BackwardRequestSupport, BackwardSupport, property_values
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from rpcrdma.wire import ErrorBody, RdmaSegment

SILENT = "xcharext.3.3.none-keeps-the-server-silent"
NO_CHUNKS = "xcharext.3.3.inline-keeps-chunks-away"

FENCED = "v2.2.2.memory-is-fenced-when-complete"
LONG_CALLS = "v2.1.long-calls-as-before"
TAKES = "v2.4.2.2.server-takes-backward-replies"

ERRORS = "v2.4.2.2.errors-count-as-replies"

REPLACE = "xcharext.4.4.new-values-replace-the-old"

MIXED: Final = (6000, 0, 6000)
"""Octets of Calls, the first and the last of which are too long for a Send."""

REFUSALS: Final[dict[str, ErrorBody]] = {"bad-header": ErrChunk(), "err-vers": ErrVers(2, 2)}

GENERAL = (BackwardRequestSupport(BackwardSupport.BKREQSUP_GENL),)
NONE = (BackwardRequestSupport(BackwardSupport.BKREQSUP_NONE),)
INLINE = (BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE),)


def _client(peer: Peer, values: tuple[BackwardRequestSupport, ...]) -> BackwardClient:
    """A client that takes backward Calls, and has told these properties."""
    client = BackwardClient.of(peer)
    peer.send(option(peer, ConnProp(property_values(*values), ())))
    client.serve(peer.workload.small())
    client.announce()
    return client


@requirement(SILENT, needs=("operations", "backward"), interpretations=("D-75",))
@pytest.mark.parametrize("length", [0, 100])
def test_server_does_not_call_a_client_without_support(peer_two: Peer, length: int) -> None:
    """A client that says NONE gets no backward Call, though its program asks for one."""
    client = _client(peer_two, NONE)

    client.provoke(1, length)

    client.no_call("the client takes no backward Calls", breaks=(SILENT,))
    client.serve(peer_two.workload.small())


@requirement(
    NO_CHUNKS,
    needs=("operations", "backward"),
    interpretations=("D-75", "D-131"),
    means={"v2.4.2.2.backward-messages-without-chunks": NO_CHUNKS},
)
@pytest.mark.parametrize("values", [INLINE, ()], ids=["inline", "nothing"])
@pytest.mark.parametrize("length", [100, 3000, 6000])
def test_server_uses_no_chunks_towards_an_inline_client(
    peer_two: Peer, values: tuple[BackwardRequestSupport, ...], length: int
) -> None:
    """Towards a client of INLINE a backward Call has no chunks, or is not made at all."""
    client = _client(peer_two, values)

    client.provoke(1, length)
    client.provoke(1)

    called = client.next_call(breaks=(NO_CHUNKS,))
    lists = (called.body.rdma_reads, called.body.rdma_writes, called.body.rdma_reply)
    verify.equal(lists, ((), (), None), "the chunk lists of the Call", breaks=(NO_CHUNKS,))


def _now(client: BackwardClient, values: tuple[BackwardRequestSupport, ...]) -> None:
    """The client tells that its support has changed, and a forward Call goes well after that."""
    if "updprop" not in client.peer.profile.claims.operations:
        raise Unsupported("the profile does not claim the operation updprop")
    client.peer.send(option(client.peer, UpdProp(property_values(*values))))
    client.serve(client.peer.workload.small())


@requirement(SILENT, REPLACE, needs=("operations", "backward"), interpretations=("D-75",))
@pytest.mark.parametrize("before", [INLINE, GENERAL], ids=["inline", "general"])
def test_server_does_not_call_a_client_any_more(
    peer_two: Peer, before: tuple[BackwardRequestSupport, ...]
) -> None:
    """A client that takes backward Calls says NONE by ROPT_UPDPROP: none comes from then on."""
    client = _client(peer_two, before)
    client.provoke(1)
    client.answer(client.next_call(breaks=(TAKES,)))
    _now(client, NONE)

    client.provoke(1)

    client.no_call("the client takes no backward Calls any more", breaks=(SILENT, REPLACE))
    client.serve(peer_two.workload.small())


@requirement(
    NO_CHUNKS,
    REPLACE,
    needs=("operations", "backward"),
    interpretations=("D-75", "D-131"),
    means={"v2.4.2.2.backward-messages-without-chunks": NO_CHUNKS},
)
def test_server_uses_no_chunks_any_more(peer_two: Peer) -> None:
    """A client of GENERAL says INLINE by ROPT_UPDPROP: from then on no backward Call has chunks."""
    client = _client(peer_two, GENERAL)
    peer_two.takes_chunks = True
    for length in MIXED:
        client.provoke(1, length)
    for number, _ in enumerate(MIXED):
        called = client.next_call(breaks=(TAKES,))
        if not number and not called.body.rdma_reads:
            raise Unsupported("the server makes no Calls with chunks")
        chunked.answer(client, called, chunked.fetched(client, called, breaks=(LONG_CALLS,)))
    _now(client, INLINE)
    peer_two.takes_chunks = False

    for length in MIXED:
        client.provoke(1, length)

    called = client.next_call(breaks=(NO_CHUNKS, REPLACE))
    lists = (called.body.rdma_reads, called.body.rdma_writes, called.body.rdma_reply)
    breaks = (NO_CHUNKS, REPLACE)
    verify.equal(lists, ((), (), None), "the chunk lists of the Call", breaks=breaks)


@requirement(
    LONG_CALLS, TAKES, FENCED, needs=("operations", "backward"), interpretations=("D-75", "D-131")
)
@pytest.mark.parametrize("length", [6000, 9000])
def test_server_calls_a_client_of_general_support_by_chunks(peer_two: Peer, length: int) -> None:
    """Calls that are too long for a Send may come by chunks: they are whole, and Replies end them.

    The memory of a Call cannot be reached any more once it is over.  A server need not make them;
    then the short one among them comes alone.
    """
    client = _client(peer_two, GENERAL)
    peer_two.takes_chunks = True
    client.provoke(1, length)
    client.provoke(1)
    client.provoke(1, length)

    called = client.next_call(breaks=(TAKES,))
    if not called.body.rdma_reads:
        raise Unsupported("the server makes no Calls with chunks")
    told: list[RdmaSegment] = []
    for left in (2, 1, 0):
        payload = chunked.fetched(client, called, breaks=(LONG_CALLS,))
        verify.equal(payload[:4], called.xid.to_bytes(4), "the XID", breaks=(LONG_CALLS,))
        if called.body.rdma_reads:
            _, start = rpc.decode_call(payload)
            verify.that(
                len(payload) - start >= length,
                f"the Call is whole, with {length} octets of arguments",
                actual=f"{len(payload) - start} octets of arguments came",
                breaks=(LONG_CALLS,),
            )
        chunked.answer(client, called, payload)
        told = [segment.target for segment in called.body.rdma_reads] or told
        if left:
            called = client.next_call(breaks=(TAKES,))

    client.serve(peer_two.workload.small(), breaks=(TAKES,))
    found = peer_two.fetch(told)
    verify.that(
        found is None,
        "the memory of a Call that is over is out of reach",
        actual=f"{0 if found is None else len(found)} octets of it could be read",
        breaks=(FENCED,),
    )


@requirement(
    TAKES, ERRORS, LONG_CALLS, needs=("operations", "backward"), interpretations=("D-75", "D-131")
)
@pytest.mark.parametrize("error", REFUSALS)
def test_server_takes_an_error_about_its_long_call(peer_two: Peer, error: str) -> None:
    """A backward Long Call is refused: it is over, and others come.

    It is one with an XID that no operation of the server has, about which the error would be, too.
    """
    client = _client(peer_two, GENERAL)
    peer_two.takes_chunks = True
    client.provoke(2, 6000)
    client.provoke(1)
    called = client.next_call(breaks=(TAKES,))
    if called.xid in {operation.xid for operation in peer_two.options}:
        payload = chunked.fetched(client, called, breaks=(LONG_CALLS,))
        chunked.answer(client, called, payload, credits=1)
        called = client.next_call(breaks=(TAKES,))
    if not called.body.rdma_reads:
        raise Unsupported("the server makes no Calls with chunks")

    peer_two.send(build.error(peer_two, REFUSALS[error], xid=called.xid, credits=1))

    client.in_flight.pop(called.xid)
    following = client.next_call(breaks=(ERRORS,))
    chunked.answer(client, following, chunked.fetched(client, following, breaks=(LONG_CALLS,)))
    client.serve(peer_two.workload.small(), breaks=(ERRORS,))


@requirement(ERRORS, needs=("operations", "backward"), interpretations=("D-75", "D-131"))
@pytest.mark.parametrize("error", REFUSALS)
def test_server_gives_an_error_to_the_long_call_that_it_answers(peer_two: Peer, error: str) -> None:
    """A backward Long Call is refused and the next Call answered: the server says just that.

    Whether it makes the refused Call again is its Upper-Layer Protocol's affair.
    """
    client = _client(peer_two, GENERAL)
    peer_two.takes_chunks = True
    client.provoke(2, 6000)
    called = client.next_call(breaks=(TAKES,))
    if called.xid in {operation.xid for operation in peer_two.options}:
        raise Unsupported("the error would be about an operation, too")
    if not called.body.rdma_reads:
        raise Unsupported("the server makes no Calls with chunks")

    peer_two.send(build.error(peer_two, REFUSALS[error], xid=called.xid, credits=1))

    client.in_flight.pop(called.xid)
    following = client.next_call(breaks=(ERRORS,))
    chunked.answer(client, following, chunked.fetched(client, following, breaks=(LONG_CALLS,)))
    ended = Tally(answered=1, failed=1)
    verify.equal(client.tally(), ended, "what became of the Calls", breaks=(ERRORS,))
