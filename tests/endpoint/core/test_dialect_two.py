"""Version One's objects in Version Two's octets, and back."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.dialect import NO_CHUNKS
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.group_bodies import GroupedMsg, GroupError, OptionRefused
from rpcrdma.endpoint.core.group_sends import option_message
from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.wire import (
    Body,
    ErrChunk,
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    v2,
)
from rpcrdma.wire._generated_rtrext import BadContinuation, ReptErr, TransmissionId
from rpcrdma.wire.operations import KnownOption, XmtCont, XmtReq, XmtResp
from rpcrdma.wire.rpc import MessageType

SEGMENT = RdmaSegment(7, 64, 4096)
READS, WRITES = (ReadSegment(4, SEGMENT),), (WriteChunk((SEGMENT,)),)
REPLY = WriteChunk((SEGMENT, SEGMENT))


@pytest.mark.parametrize(
    "body",
    [
        NO_CHUNKS,
        RdmaMsg(READS, WRITES, REPLY),
        RdmaMsg((), WRITES, None),
        RdmaNomsg(READS, (), REPLY),
        RdmaError(ErrVers(1, 2)),
        RdmaError(ErrChunk()),
    ],
)
@pytest.mark.parametrize("direction", MessageType)
def test_what_both_versions_have_survives(body: Body, direction: MessageType) -> None:
    """v2 4.2: the same lists and errors; the direction is the version's own."""
    header = TransportHeader(0x5EED, 2, 32, body)
    octets = TWO.encode(header, direction)

    assert TWO.decode(octets + b"rest") == (header, len(octets))
    if not isinstance(body, RdmaError):
        assert v2.direction_of(v2.decode_header(octets)[0].rdma_body) is direction


def test_a_message_without_chunks_is_told_by_identity() -> None:
    octets = TWO.encode(TransportHeader(7, 2, 1, NO_CHUNKS), MessageType.CALL)

    assert len(octets) == TWO.header == 32
    assert TWO.decode(octets)[0].rdma_body is TWO.plain


def test_inval_option_that_reaches_a_role_ends_its_call() -> None:
    """D-53: it is kept from the roles if it is about an operation."""
    refusal = v2.encode_header(v2.Rdma2Header(7, 2, 1, v2.Rdma2Error(v2.ErrInvalidOption())))

    body = TWO.decode(refusal)[0].rdma_body
    assert isinstance(body, OptionRefused)
    assert isinstance(body, RdmaError)


def test_inval_option_is_none_in_another_version() -> None:
    """An error echoes the version of what it is about (D-11), which has no such error."""
    refusal = v2.Rdma2Header(7, 1, 4, v2.Rdma2Error(v2.ErrInvalidOption()))

    with pytest.raises(DecodeError):
        TWO.decode(v2.encode_header(refusal))


def test_an_optional_message_is_no_header_for_a_role() -> None:
    body = v2.Rdma2Optional(MessageType.CALL, 1, b"")

    with pytest.raises(DecodeError) as caught:
        TWO.decode(v2.encode_header(v2.Rdma2Header(7, 2, 1, body)))

    assert (caught.value.path, caught.value.reason) == ("rdma_body", Reason.BAD_DISCRIMINANT)


REPORT = ReptErr(TransmissionId(7, MessageType.CALL, 1), None, BadContinuation())


@pytest.mark.parametrize(
    ("option", "way", "kind"),
    [
        (XmtReq((), (), 1, 0, 4), MessageType.CALL, GroupedMsg),
        (XmtResp((), 1, 4), MessageType.REPLY, GroupedMsg),
        (REPORT, MessageType.REPLY, GroupError),
    ],
)
def test_operations_that_carry_rpcs_or_are_about_one_are_for_the_roles(
    option: KnownOption, way: MessageType, kind: type
) -> None:
    """rtrext 9: and what follows their header is payload."""
    octets = option_message(7, 3, way, option)
    header, end = TWO.decode(octets + b"more")

    assert isinstance(header.rdma_body, kind)
    assert (header.rdma_xid, header.rdma_credit, end) == (7, 3, len(octets))


def test_continuation_is_no_message_by_itself() -> None:
    """rtrext 9.4."""
    with pytest.raises(DecodeError):
        TWO.decode(option_message(7, 1, MessageType.CALL, XmtCont(1, 5, 0)))


@pytest.mark.parametrize("body", [RdmaDone(), RdmaMsgp(4, 0, (), (), None)])
def test_what_version_two_has_dropped_cannot_be_said_in_it(body: Body) -> None:
    with pytest.raises(LocalProtocolError, match=f"has no {type(body).__name__}"):
        TWO.encode(TransportHeader(7, 2, 1, body), MessageType.CALL)
