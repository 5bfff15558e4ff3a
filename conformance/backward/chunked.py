"""Backward Calls with chunks, to a tester that has announced that it takes them.

payload = chunked.fetched(client, called, breaks=ID)    the unreduced Call
chunked.answer(client, called, payload)                 the right Reply, which needs no chunk

xcharext section 3.3   Backward Request Support (BKREQSUP_GENL)
rfc8166 section 3.5.3  Long Messages (which hold then as in the forward direction, D-131)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.backward import build
from conformance.tester.case import Deviation
from conformance.tester.server.reply import filled
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import RdmaMsg, group_by_position

if TYPE_CHECKING:
    from conformance.backward.client import BackwardClient
    from conformance.oracle.outcome import Called
    from rpcrdma.wire import WriteChunk

__all__ = ["answer", "fetched", "unused"]


def fetched(client: BackwardClient, called: Called, *, breaks: tuple[str, ...]) -> bytes:
    """The unreduced Call, with what is read from the device's memory.

    Args:
        client: to whom it came.
        called: with Read chunks, or without.
        breaks: what a device breaks whose memory cannot be read.

    Raises:
        Deviation: it cannot.
    """
    pairs: list[tuple[int, bytes]] = []
    for chunk in sorted(group_by_position(called.body.rdma_reads), key=lambda one: one.position):
        data = client.peer.fetch(chunk.target)
        if data is None:
            raise Deviation(
                "The memory that a backward Call tells of cannot be read.",
                expected=(f"{chunk.length} octets",),
                actual=str(called),
                breaks=breaks,
            )
        pairs.append((chunk.position, data))
    base = called.payload
    if pairs and pairs[0][0] == 0:
        base = pairs.pop(0)[1]
    return restore(base, pairs)


def answer(
    client: BackwardClient,
    called: Called,
    payload: bytes,
    *,
    credits: int = build.CREDITS,  # noqa: A002  # the word of the documents
) -> None:
    """Send the right Reply to a Call inline, with its chunks for results returned unused.

    Args:
        client: to whom it came.
        called: the Call.
        payload: unreduced.
        credits: that are granted.
    """
    reply = build.reply(called, client.workload.answer(payload), credits=credits)
    writes = tuple(map(unused, called.body.rdma_writes))
    offered = called.body.rdma_reply
    body = RdmaMsg((), writes, None if offered is None else unused(offered))
    client.peer.send(replace(reply, body=body).octets)
    client.in_flight.pop(called.xid, None)
    client.granted = max(client.granted, reply.credits)


def unused(chunk: WriteChunk) -> WriteChunk:
    """A chunk as a Reply returns it that has written nothing to it."""
    return filled(chunk, b"")[0]
