"""How a Requester judges what a reply returns, and puts results back."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.requester.reply_parsing import Offer, judge_returned, reassemble
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import reduce
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, ReadSegment, WriteChunk

LAYER = TestProgram()
EMPTY = WriteChunk(())


def chunk(*lengths: int, handle: int = 1) -> WriteChunk:
    return WriteChunk(tuple(RdmaSegment(handle, length, 64) for length in lengths))


OFFER = Offer((chunk(8, 8),), chunk(16, handle=2))
READ = (ReadSegment(8, RdmaSegment(1, 4, 0)),)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (RdmaMsg(READ, OFFER.writes, None), Fault.READ_LIST_IN_REPLY),
        (RdmaNomsg((), OFFER.writes, None), Fault.NOMSG_WITHOUT_REPLY),
        (RdmaNomsg((), OFFER.writes, chunk(0, handle=2)), Fault.NOMSG_WITHOUT_REPLY),
        (RdmaMsg((), (), None), Fault.RETURNED_CHUNKS),
        (RdmaMsg((), OFFER.writes * 2, None), Fault.RETURNED_CHUNKS),
        (RdmaMsg((), (chunk(8),), None), Fault.RETURNED_CHUNKS),
        (RdmaMsg((), (chunk(8, 9),), None), Fault.RETURNED_CHUNKS),
        (RdmaMsg((), (chunk(8, 8, handle=3),), None), Fault.RETURNED_CHUNKS),
        (RdmaNomsg((), OFFER.writes, chunk(17, handle=2)), Fault.RETURNED_CHUNKS),
        (RdmaMsg((), OFFER.writes, chunk(4, handle=2)), Fault.REPLY_CHUNK_IN_MSG),
    ],
)
def test_a_reply_that_returns_something_else_is_a_fault(
    body: RdmaMsg | RdmaNomsg, fault: Fault
) -> None:
    """rfc8166 4.3: count, segments, handles and offsets as offered, and no more octets."""
    with pytest.raises(FaultFound) as found:
        judge_returned(OFFER, body)
    assert found.value.fault is fault


@pytest.mark.parametrize(
    "body",
    [
        RdmaMsg((), (chunk(8, 3),), None),
        RdmaMsg((), (chunk(0, 0),), chunk(0, handle=2)),
        RdmaNomsg((), (chunk(0, 0),), chunk(16, handle=2)),
    ],
)
def test_a_reply_may_use_less_than_was_offered(body: RdmaMsg | RdmaNomsg) -> None:
    """Unused chunks come back empty; in an RDMA_MSG the Reply chunk may be left out (D-19)."""
    judge_returned(OFFER, body)


def test_a_reply_chunk_that_was_not_offered_is_a_fault() -> None:
    """rfc8166 4.3.3."""
    with pytest.raises(FaultFound) as found:
        judge_returned(Offer(), RdmaNomsg((), (), chunk(4)))
    assert found.value.fault is Fault.RETURNED_CHUNKS


def union(first: int | None, second: int | None) -> tuple[bytes, bytes, bytes, list[bytes]]:
    """Call, whole reply, reduced reply and data of a FETCH_UNION."""
    call = calls.fetch_union(1, first, second)
    reply = calls.expected_reply(call)
    items = [item for item in LAYER.results(call, reply) if item is not None]
    payload, data = reduce(reply, items)
    return call, reply, payload, list(data)


@pytest.mark.parametrize("lengths", [(5, 7), (5, None), (None, 7), (None, None)])
def test_the_next_item_is_in_the_chunk_of_a_slot_without_one(
    lengths: tuple[int | None, int | None],
) -> None:
    """rfc8166 4.3.2.2: whichever arms the unions have, the reply is the unreduced one."""
    call, reply, payload, data = union(*lengths)
    data += [b""] * (2 - len(data))
    writes = tuple(chunk(len(octets)) for octets in data)
    assert reassemble(call, payload, writes, tuple(data), 2, LAYER) == reply


def test_the_result_of_an_empty_chunk_is_inline() -> None:
    """rfc8166 4.3.2.3."""
    call = calls.fetch(1, 6)
    reply = calls.expected_reply(call)
    assert reassemble(call, reply, (EMPTY,), (b"",), 1, LAYER) == reply


def fetched(length: int, written: bytes, *, reduced: bool) -> Fault:
    """The fault of a FETCH reply whose chunk holds `written`."""
    call = calls.fetch(1, length)
    reply = calls.expected_reply(call)
    items = [item for item in LAYER.results(call, reply) if item is not None]
    payload = reduce(reply, items)[0] if reduced else reply
    with pytest.raises(FaultFound) as found:
        reassemble(call, payload, (chunk(len(written)),), (written,), 1, LAYER)
    return found.value.fault


def test_a_result_that_was_not_reduced_although_a_chunk_was_offered_is_a_fault() -> None:
    """rfc8166 6.1: nothing in the chunk, the count word tells of octets that are not inline."""
    assert fetched(8, b"", reduced=True) is Fault.UNREDUCED_RESULT


def test_a_chunk_of_another_length_than_its_item_is_a_fault() -> None:
    """rfc8166 3.4.6.2."""
    assert fetched(8, b"seven..", reduced=True) is Fault.RETURNED_CHUNKS


def test_a_reply_in_which_no_result_fits_is_undecodable() -> None:
    """rfc8166 6.1: the data is inline and a chunk with room says otherwise."""
    assert fetched(8, b"", reduced=False) is Fault.UNDECODABLE_REPLY


def test_octets_in_a_chunk_that_no_result_can_have_are_ineligible() -> None:
    """rfc8166 6.1: NULL has no eligible result."""
    call = calls.null(1)
    with pytest.raises(FaultFound) as found:
        reassemble(call, calls.expected_reply(call), (chunk(4),), (b"data",), 0, LAYER)
    assert found.value.fault is Fault.INELIGIBLE_RESULT
