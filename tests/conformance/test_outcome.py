"""Every way in which a device can answer, told apart."""

from __future__ import annotations

import pytest

from conformance.outcome import (
    Answered,
    ErrChunk,
    ErrVers,
    Outcome,
    Undecodable,
    Unexpected,
    read_outcome,
)
from rpcrdma import wire
from rpcrdma.ulp import rpc


def message(body: wire.Body, payload: bytes = b"") -> bytes:
    return wire.encode_header(wire.TransportHeader(5, 1, 3, body)) + payload


REPLY = rpc.encode_reply(rpc.Reply(5, rpc.Outcome.SUCCESS))
CHUNK = wire.WriteChunk((wire.RdmaSegment(1, 2, 3),))


@pytest.mark.parametrize(
    ("octets", "kind", "told"),
    [
        (message(wire.RdmaMsg((), (), None), REPLY), Answered, "RDMA_MSG xid 0x00000005 credits 3"),
        (message(wire.RdmaNomsg((), (), CHUNK)), Answered, "RDMA_NOMSG xid 0x00000005"),
        (message(wire.RdmaError(wire.ErrVers(1, 2))), ErrVers, "credits 3, range 1..2"),
        (message(wire.RdmaError(wire.ErrChunk())), ErrChunk, "ERR_CHUNK xid 0x00000005 version 1"),
        (message(wire.RdmaDone()), Unexpected, "RdmaDone xid 0x00000005: a procedure that no"),
        (message(wire.RdmaMsgp(8, 8, (), (), None)), Unexpected, "RdmaMsgp xid 0x00000005"),
        (b"\xff" * 40, Undecodable, "40 octets that are no transport header"),
        (b"", Undecodable, "0 octets that are no transport header"),
    ],
)
def test_a_message_is_told_for_what_it_is(octets: bytes, kind: type[Outcome], told: str) -> None:
    outcome = read_outcome(octets)

    assert type(outcome) is kind
    assert told in str(outcome)


def test_an_answer_knows_its_rpc_header_if_it_has_one() -> None:
    whole = read_outcome(message(wire.RdmaMsg((), (), None), REPLY))
    cut = read_outcome(message(wire.RdmaMsg((), (), None), REPLY[:10]))

    assert isinstance(whole, Answered)
    assert isinstance(cut, Answered)
    assert whole.rpc == rpc.Reply(5, rpc.Outcome.SUCCESS)
    assert cut.rpc is None
