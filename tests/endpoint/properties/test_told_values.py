"""What the peer has been told: a refused message takes back what it said, and nothing else."""

from __future__ import annotations

from rpcrdma.endpoint.properties.told_values import REMEMBERED, ToldValues
from rpcrdma.endpoint.properties.values import PropertyValues
from rpcrdma.wire.operations import ROPT_CONNPROP, ROPT_REQPROP, ROPT_RESPROP, ROPT_UPDPROP
from rpcrdma.wire.properties import (
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequesterRemoteInvalidation,
)
from tests.endpoint.properties.property_ends import LENGTH, STRUCTURE

ALLOWED = RequesterRemoteInvalidation(allowed=True)


def test_nothing_told_means_the_defaults() -> None:
    """xcharext 3."""
    told = ToldValues()
    assert told.now == PropertyValues()
    assert told.xids == frozenset()
    assert told.take_back(1) is None


def test_a_structure_that_is_told_alone_tells_the_size() -> None:
    """rtrext 8.3: for the peer it follows, until the size is told."""
    told = ToldValues()
    told.tell(1, ROPT_UPDPROP, [ReceiveBufferStructure(STRUCTURE)])
    assert told.now.receive_buffer == LENGTH
    told.tell(2, ROPT_UPDPROP, [ReceiveBufferSize(2048)])
    assert told.now.receive_buffer == 2048


def test_a_refused_message_has_told_nothing() -> None:
    """What was said before and after it holds, and one refusal is enough."""
    told = ToldValues()
    told.tell(1, ROPT_CONNPROP, PropertyValues(8192).properties())
    told.tell(2, ROPT_UPDPROP, [ALLOWED])
    assert told.now == PropertyValues(8192, remote_invalidation=True)
    assert told.take_back(1) == ROPT_CONNPROP
    assert told.now == PropertyValues(4096, remote_invalidation=True)
    assert told.take_back(1) is None
    assert told.take_back(2) == ROPT_UPDPROP
    assert told.now == PropertyValues()


def test_an_answer_is_not_taken_back() -> None:
    """The peer asked for it; whether it understands the answer or not, it was done."""
    told = ToldValues()
    told.tell(7, ROPT_RESPROP, [ReceiveBufferSize(2048)])
    assert told.take_back(7) == ROPT_RESPROP
    assert told.now == PropertyValues(2048)


def test_of_two_messages_with_one_xid_that_of_this_end_is_meant() -> None:
    """xcharext 4.2: the peer may choose the same XID for its request."""
    told = ToldValues()
    told.tell(7, ROPT_RESPROP, [ReceiveBufferSize(2048)])
    told.tell(7, ROPT_REQPROP)
    assert told.xids == {7}
    assert told.take_back(7) == ROPT_REQPROP
    assert told.xids == frozenset()


def test_what_was_told_long_ago_counts_as_understood() -> None:
    """The memory is bounded; the values stay."""
    told = ToldValues()
    told.tell(0, ROPT_CONNPROP, [ALLOWED])
    for xid in range(1, REMEMBERED):
        told.tell(xid, ROPT_UPDPROP, [ReceiveBufferSize(4096 + xid)])
    assert 0 in told.xids
    told.tell(REMEMBERED, ROPT_UPDPROP, [ReceiveBufferSize(9000)])
    assert told.take_back(0) is None
    assert told.now == PropertyValues(9000, remote_invalidation=True)
    assert told.take_back(REMEMBERED) == ROPT_UPDPROP
    assert told.now == PropertyValues(4096 + REMEMBERED - 1, remote_invalidation=True)
