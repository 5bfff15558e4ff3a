"""What a Requester's messages must be: fixed words, length and framing, rule by rule."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance import oracle
from conformance.catalogue.entries import load_catalogue
from conformance.catalogue.interpretations import load_interpretations
from conformance.oracle.requester.calls import judge_call
from conformance.oracle.requester.state import CreditView, OutstandingCall, RequesterState
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import ErrChunk as ErrChunkBody
from rpcrdma.wire import (
    RdmaDone,
    RdmaError,
    RdmaMsgp,
    TransportHeader,
    encode_header,
    rpc,
)
from tests.conformance.oracle.oracle_fakes import (
    FETCH,
    NULL,
    STORE,
    XID,
    TinyProgram,
    chunk,
    msg,
    nomsg,
    reading,
    rpc_call,
)

if TYPE_CHECKING:
    from conformance.oracle.verdict import BrokenRule


PLAIN = RequesterState(upper_layer=TinyProgram())


def ids(broken: tuple[BrokenRule, ...]) -> list[str]:
    """The first requirement of each, without the document."""
    return [item.ids[0].removeprefix("rfc8166.") for item in broken]


def judged(message: bytes, unreduced: bytes | None = None, **known: object) -> list[str]:
    state = replace(PLAIN, **known)
    return ids(judge_call(message, rpc_call() if unreduced is None else unreduced, state))


def word(message: bytes, index: int, value: int) -> bytes:
    return message[: 4 * index] + value.to_bytes(4) + message[4 * index + 4 :]


def whole(call: bytes, handle: int = 7) -> bytes:
    return nomsg(reads=(reading(0, handle, len(call)),))


@pytest.mark.parametrize(
    ("message", "unreduced"),
    [
        (msg(), rpc_call()),
        (whole(rpc_call()), rpc_call()),
        (msg(rpc_call(STORE, b"\0\0\0\3abc\0")), rpc_call(STORE, b"\0\0\0\3abc\0")),
        (
            msg(rpc_call(STORE, b"\0\0\0\3"), reads=(reading(44, 7, 3),)),
            rpc_call(STORE, b"\0\0\0\3abc\0"),
        ),
        (msg(rpc_call(FETCH, b"\0\0\1\0")), rpc_call(FETCH, b"\0\0\1\0")),
        (
            msg(rpc_call(FETCH, b"\0\1\0\0"), writes=(chunk(65536),)),
            rpc_call(FETCH, b"\0\1\0\0"),
        ),
        (
            msg(rpc_call(FETCH, b"\0\1\0\0"), reply=chunk(65564)),
            rpc_call(FETCH, b"\0\1\0\0"),
        ),
    ],
    ids=[
        "null",
        "long",
        "inline-store",
        "read-chunk",
        "inline-fetch",
        "write-chunk",
        "reply-chunk",
    ],
)
def test_good_call_breaks_nothing(message: bytes, unreduced: bytes) -> None:
    assert judge_call(message, unreduced, PLAIN) == ()


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (b"", ["4.1.2.header-layout"]),
        (msg()[:27], ["4.1.2.header-layout"]),
        (word(msg(), 1, 2), ["4.2.2.version-is-one"]),
        (word(msg(), 2, 0), ["4.2.3.call-carries-requested-credits"]),
        (word(msg(), 3, 9), ["4.2.4.msg-is-zero"]),
        (word(msg(), 4, 2), ["4.3.three-optional-lists"]),
        (word(msg(), 6, 2), ["4.3.three-optional-lists"]),
        (
            encode_header(TransportHeader(XID, 1, 1, RdmaMsgp(0, 0, (), (), None))) + rpc_call(),
            ["4.6.1.msgp-is-not-sent"],
        ),
        (
            encode_header(TransportHeader(XID, 1, 1, RdmaDone())) + bytes(12),
            ["4.6.2.done-is-not-sent"],
        ),
        (
            encode_header(TransportHeader(XID, 1, 1, RdmaError(ErrChunkBody()))) + bytes(8),
            ["4.2.4.requester-sends-no-error"],
        ),
        (word(msg(), 0, XID + 1), ["4.2.1.xid-equals-payload-xid"]),
        (nomsg(), ["4.2.4.nomsg-has-a-list"]),
        (nomsg(reply=chunk(100)), ["4.2.4.nomsg-lists-hold-the-payload"]),
        (nomsg(reads=(reading(0, 7, 40),), behind=b"more"), ["4.2.4.nomsg-is-one"]),
        (nomsg(reads=(reading(0, 7, 39),)), ["3.5.3.long-message-keeps-roundup"]),
        (msg(reads=(reading(0, 7, 40),)), ["4.3.1.position-zero-chunk-carries-the-call"]),
    ],
)
def test_message_that_breaks_one_rule(message: bytes, wanted: list[str]) -> None:
    assert [item for item in judged(message) if item != "4.3.3.reply-chunk-absent-otherwise"] == (
        wanted
    )


def test_error_is_one_however_short_it_is() -> None:
    error = encode_header(TransportHeader(XID, 1, 1, RdmaError(ErrChunkBody())))

    assert len(error) == 20
    assert judged(error) == ["4.2.4.requester-sends-no-error"]


def test_call_whose_msg_type_is_that_of_a_reply() -> None:
    unreduced = word(rpc_call(), 1, 1)

    (broken,) = judge_call(msg(unreduced), unreduced, PLAIN)

    assert broken.ids == ("rfc8166.2.2.2.call-msg-type",)


def test_gap_before_a_call() -> None:
    unreduced = bytes(8) + rpc_call()

    broken, *_ = judge_call(msg(unreduced), unreduced, PLAIN)

    assert broken.ids == (
        "rfc8166.3.2.payload-follows-the-header",
        "rfc8166.3.2.payload-begins-with-xid",
    )
    assert broken.detail == "8 octets stand before the XID"


def test_long_call_without_an_rpc_header() -> None:
    arguments = bytes(range(40))

    (broken,) = judge_call(whole(arguments), arguments, PLAIN)

    assert broken.ids[0] == "rfc8166.4.3.1.position-zero-chunk-carries-the-call"
    assert "rfc8166.4.2.4.msg-payload-follows-the-lists" not in broken.ids


def test_lengths_of_a_version_that_was_fallen_back_on() -> None:
    message = msg(rpc_call(STORE, (1000).to_bytes(4) + bytes(1000)))
    fallen_back = replace(PLAIN, serves_two=True, versions=frozenset({1}))

    (broken,) = judge_call(message, message[28:], fallen_back)

    assert "v2.5.2.thresholds-follow-the-version" in broken.ids


def test_message_beyond_the_threshold() -> None:
    message = msg(rpc_call(STORE, (1000).to_bytes(4) + bytes(1000)))
    unreduced = message[28:]

    assert judged(message, unreduced) == ["3.3.2.message-within-inline-threshold"]
    assert judged(message, unreduced, call_threshold=4096) == []


def test_message_of_exactly_the_threshold() -> None:
    unreduced = rpc_call(STORE, (952).to_bytes(4) + bytes(952))

    assert len(msg(unreduced)) == 1024
    assert judged(msg(unreduced), unreduced) == []


def test_payload_that_is_no_rpc_message() -> None:
    assert judged(msg(b"\0\0\5\x1d"), b"\0\0\5\x1d") == ["4.rpc-layout-is-unchanged"]


def test_payload_without_an_xid() -> None:
    payload = rpc_call()[4:]
    (found,) = judge_call(msg(payload), payload, PLAIN)
    assert "rfc8166.3.2.payload-begins-with-xid" in found.ids


def test_header_without_a_payload() -> None:
    assert judged(msg(b""), b"") == ["3.5.1.short-message-is-one-send"]
    assert judged(msg(b"", reads=(reading(44, 1, 5),)), b"") == [
        "3.4.5.position-counts-the-unreduced-stream",
        "3.5.2.reduced-stream-in-one-send",
    ]


def test_payload_behind_a_record_mark() -> None:
    marked = b"\x80\0\0\x28" + rpc_call()

    assert judged(msg(marked), marked) == ["3.2.no-other-framing"]


def test_payload_that_is_a_reply() -> None:
    reply = rpc.encode_message(rpc.accepted(XID))

    assert judged(msg(reply), reply) == ["2.2.2.call-msg-type"]


def test_lists_that_make_another_sense_than_their_sender_meant() -> None:
    with_write_list = msg(writes=(chunk(100),))
    doubled = with_write_list[:16] + bytes(4) + with_write_list[16:]
    long_call = nomsg(reads=(reading(0, 7, 40),))

    assert judged(doubled)[-1] == "4.7.empty-read-list-encoding"
    assert judged(long_call + bytes(4))[-1] == "4.7.empty-write-list-encoding"


def test_two_rpc_messages_in_one() -> None:
    twice = calls.null(XID) * 2

    assert judged(msg(twice), twice, upper_layer=TestProgram()) == ["3.2.one-rpc-message-each"]


def test_a_requester_sends_no_error() -> None:
    error = encode_header(TransportHeader(9, 1, 0, RdmaError(ErrChunkBody()))) + bytes(8)

    assert judged(error) == ["4.2.4.requester-sends-no-error"]


def test_xid_of_a_call_that_awaits_its_reply() -> None:
    views = (CreditView(1, 8),)

    assert judged(msg(), outstanding=(OutstandingCall(XID),), views=views, requested=8) == [
        "2.2.2.call-xid-is-unique"
    ]
    assert judged(msg(), outstanding=(OutstandingCall(XID + 1),), views=views, requested=8) == []


def test_xid_of_a_call_that_may_be_over() -> None:
    outstanding = (OutstandingCall(XID, doubtful=True),)

    assert judged(msg(), outstanding=outstanding, views=(CreditView(0, 8),)) == []


def test_call_that_was_refused_for_good() -> None:
    assert judged(msg(), refused=frozenset({rpc_call()})) == ["4.5.error-is-permanent"]


def test_nothing_is_said_about_arguments_that_could_not_be_fetched() -> None:
    message = msg(rpc_call(NULL), reads=(reading(40, 7, 3),))

    assert judge_call(message, None, PLAIN) == ()


@given(st.binary(max_size=200), st.binary(max_size=80) | st.none())
def test_any_octets_are_judged(tail: bytes, unreduced: bytes | None) -> None:
    for message in (tail, word(msg(), 3, 0)[:28] + tail, word(msg(), 3, 1)[:28] + tail):
        assert all(item.ids for item in judge_call(message, unreduced, PLAIN))


MODULES = sorted(Path(oracle.__path__[0]).rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_every_id_that_a_module_names_exists(module: Path) -> None:
    source = module.read_text()
    catalogue, register = load_catalogue(), load_interpretations()

    for names in re.findall(r'"(rfc8166\.[^"]+)"', source):
        assert [catalogue[name].id for name in names.split()] == names.split()
    assert set(re.findall(r'"(D-\d+)"', source)) <= set(register)
