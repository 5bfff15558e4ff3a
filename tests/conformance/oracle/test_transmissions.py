"""What comes back in groups is told from what comes in one Send."""

from __future__ import annotations

from conformance.oracle.outcome import Answered, OptionReceived, answered_xid, read_outcome
from conformance.oracle.transmissions import GroupAnswered, Reported, Scattered, read_arrived
from rpcrdma.ulp import rpc
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    MessageItem,
    NoItem,
    ReportedError,
    TransmissionId,
)
from rpcrdma.wire.operations import (
    RTREXT,
    ReptErr,
    XmtCont,
    XmtResp,
    among,
    operations_of,
)
from rpcrdma.wire.optional import Option, UnknownOption, encode_option
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Assembler, Transmission

CALL, REPLY = MessageType.CALL, MessageType.REPLY
XID = 0x99
REPORT = ReptErr(TransmissionId(XID, CALL, 1), None, BadContinuation())
PAYLOAD = rpc.encode_reply(rpc.RpcReply(XID, rpc.RpcOutcome.SUCCESS), b"results!")
ITEM = MessageItem(0, 0, NoItem())


def send(option: Option, payload: bytes = b"", way: MessageType = REPLY) -> bytes:
    return v2.encode_header(v2.Rdma2Header(XID, 2, 7, encode_option(way, option))) + payload


def of_one(octets: bytes) -> object:
    return read_arrived(Transmission.of_one(octets))


def test_a_response_keeps_the_sends_that_carried_it() -> None:
    assembler = Assembler(among({one.code for one in operations_of(RTREXT)}))
    first = send(XmtResp((ITEM,), 2, 20), PAYLOAD[:20] + b"bulk")
    assert assembler.take(first) == ()
    (arrived,) = assembler.take(send(XmtCont(1, 6, len(PAYLOAD) - 20), PAYLOAD[20:]))

    answer = read_arrived(arrived)

    assert isinstance(answer, GroupAnswered)
    assert (answer.xid, answered_xid(answer), answer.credits, answer.sends) == (XID, XID, 7, 2)
    assert answer.contents.optxrs_ddp == (ITEM,)
    assert answer.payload == PAYLOAD
    assert answer.transmission.parts[0] == first
    assert answer.rpc is not None
    assert answer.rpc.succeeded
    assert str(answer) == (
        "XMTRESP REPLY xid 0x00000099 credits 7, 2 transmissions, 1 items, "
        f"{len(PAYLOAD)} octets of payload, {rpc.RpcOutcome.SUCCESS.value}"
    )


def test_a_response_may_have_no_rpc_message() -> None:
    answer = of_one(send(XmtResp((), 1, 3), b"odd", CALL))

    assert isinstance(answer, GroupAnswered)
    assert answer.rpc is None
    assert str(answer).startswith("XMTRESP CALL")


def test_a_report_is_an_operation_of_its_own() -> None:
    octets = send(REPORT)

    reported = of_one(octets)

    assert isinstance(reported, Reported)
    assert reported.report == REPORT
    assert reported.code is ReportedError.OPTRERR_BADCONT
    assert reported.xid == XID
    assert str(reported) == str(read_outcome(octets))


def test_sends_that_make_no_message_say_what_is_wrong() -> None:
    (broken,) = Assembler(among({7})).take(send(XmtCont(1, 6, 0)))

    outcome = read_arrived(broken)

    assert isinstance(outcome, Scattered)
    assert outcome.xid == XID
    assert answered_xid(outcome) is None
    assert str(outcome).startswith("1 transmissions that make no message")


def test_everything_else_is_what_it_was() -> None:
    unknown = of_one(send(UnknownOption(99, b"")))
    assert type(unknown) is OptionReceived
    header = v2.encode_header(v2.Rdma2Header(XID, 2, 7, v2.Rdma2Msg(REPLY, (), (), None)))
    assert isinstance(of_one(header + PAYLOAD), Answered)
