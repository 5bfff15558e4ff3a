"""What may answer Sends that are no whole request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.outcome import ErrChunk, InvalidOption
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.groups import begun_group
from conformance.oracle.transmissions import Reported
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import BadContinuation, TransmissionId
from rpcrdma.wire.operations import ReptErr, UpdProp, XmtResp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType
from tests.conformance.oracle.group_fakes import XID, request, sends, state

if TYPE_CHECKING:
    from conformance.groups.draft import GroupDraft

CALL = testprog_calls.long_call(XID, bytes(200))
GROUP = request(CALL, sizes=(40, 100, len(CALL) - 140))
NULL = v2.encode_header(v2.Rdma2Header(9, 2, 1, v2.Rdma2Msg(MessageType.CALL, (), (), None)))


def option(contents: UpdProp | XmtResp | ReptErr, xid: int = 9) -> bytes:
    body = encode_option(MessageType.CALL, contents)
    return v2.encode_header(v2.Rdma2Header(xid, 2, 1, body))


def found(*octets: bytes) -> list[str]:
    expectation, parts = begun_group(octets, state())
    assert expectation is not None
    assert parts == ()
    return [str(one) for one in expectation.allowed]


def report(*codes: str) -> list[str]:
    return ["an error report of " + " or ".join(f"OPTRERR_{code}" for code in codes)]


def test_a_whole_group_is_its_parts() -> None:
    expectation, parts = begun_group(sends(GROUP), state())

    assert expectation is None
    assert b"".join(part.payload for part in parts) == CALL
    assert [part.length for part in parts] == [40, 100, len(CALL) - 140]


def test_a_group_that_is_not_whole_is_awaited() -> None:
    assert found(*sends(GROUP)[:2]) == ["silence"]
    assert found(*sends(GROUP)[:1]) == ["silence"]


@pytest.mark.parametrize(
    ("group", "codes"),
    [
        (GROUP.in_order(0, 2), ["BADSEQ"]),
        (GROUP.with_contents(1, optxc_xnum=0), ["BADSEQ"]),
        (GROUP.with_send(1, xid=7), ["BADXID"]),
        (GROUP.with_send(1, xid=7).with_contents(1, optxc_xnum=9), ["BADSEQ", "BADXID"]),
        (GROUP.with_send(1, direction=MessageType.REPLY), ["BADXID"]),
        (GROUP.in_order(1), ["BADCONT"]),
    ],
)
def test_what_does_not_continue_a_group_is_reported(group: GroupDraft, codes: list[str]) -> None:
    assert found(*sends(group)) == report(*codes)


@pytest.mark.parametrize(
    ("foreign", "codes"),
    [
        (NULL, ["BADHMT", "BADXID"]),
        (option(UpdProp(())), ["BADOMT", "BADXID"]),
        (option(UpdProp(()), XID), ["BADOMT"]),
        (sends(GROUP)[0], ["BADOMT"]),
        (b"no header", ["BADHMT", "BADXID"]),
    ],
)
def test_a_message_within_a_group_is_reported(foreign: bytes, codes: list[str]) -> None:
    assert found(sends(GROUP)[0], foreign) == report(*codes)


@pytest.mark.parametrize(("number", "name"), [(0, "optxrq_pslen"), (1, "optxc_pslen")])
def test_a_payload_beyond_its_send_is_reported_or_undecodable(number: int, name: str) -> None:
    group = GROUP.with_contents(number, **{name: 9999})
    assert found(*sends(group)) == [*report("BADPL"), "ERR_CHUNK"]


@pytest.mark.parametrize("count", [0, 5])
def test_a_count_that_is_not_taken_may_be_refused_in_any_way(count: int) -> None:
    allowed = found(*sends(GROUP.with_contents(0, optxrq_count=count)))

    assert allowed == [
        "ERR_CHUNK",
        "an error report",
        "a Reply of GARBAGE_ARGS",
        "a Reply by XMTRESP of GARBAGE_ARGS",
        "loss of the connection",
    ]


def test_contents_that_are_none_are_a_bad_header() -> None:
    odd = sends(GROUP.with_send(0, contents=b"odd!"))[:1]
    assert found(*odd) == ["ERR_CHUNK", "INVAL_OPTION (warning)"]

    either, _ = begun_group(odd, state(chosen={"D-59": "either"}))
    assert either is not None
    assert [(one.kind.outcome, one.warning) for one in either.allowed] == [
        (ErrChunk, False),
        (InvalidOption, False),
    ]


def test_what_begins_nothing_here_is_dropped() -> None:
    bad = TransmissionId(1, MessageType.REPLY, 0)
    assert found(option(ReptErr(bad, None, BadContinuation()))) == ["silence"]
    assert found(option(XmtResp((), 1, 0))) == ["silence", "ERR_CHUNK", "INVAL_OPTION"]


def test_only_who_supports_it_is_asked_for_it() -> None:
    alone = sends(GROUP)[0]
    supporting = {str(one) for one in expected(alone, state()).allowed}
    assert supporting == {"silence"}
    basic = expected(alone, state(operations=frozenset({"connprop"})))
    assert [str(one) for one in basic.allowed] == ["INVAL_OPTION"]
    assert Reported not in {one.kind.outcome for one in basic.allowed}
