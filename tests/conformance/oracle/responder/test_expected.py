"""The oracle, fault class by fault class."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.bad_input import BadInput
from conformance.catalogue.entries import load_catalogue
from conformance.catalogue.interpretations import load_interpretations
from conformance.oracle.limits import Limits
from conformance.oracle.responder.expectation import Expectation, ResponderState
from conformance.oracle.responder.expected import expected
from rpcrdma.ulp.rpc import RpcOutcome, RpcReply, encode_reply
from rpcrdma.wire import (
    ErrChunk,
    RdmaDone,
    RdmaError,
    RdmaMsgp,
    TransportHeader,
    encode_header,
)
from tests.conformance.oracle.oracle_fakes import (
    FETCH,
    NULL,
    STORE,
    XID,
    TinyMemory,
    TinyProgram,
    chunk,
    msg,
    nomsg,
    reading,
    rpc_call,
)

PLAIN = ResponderState(upper_layer=TinyProgram())


def answers(expectation: Expectation) -> list[str]:
    return [str(item) for item in expectation.allowed]


def readings(expectation: Expectation) -> set[str]:
    return {name for item in expectation.allowed for name in item.readings}


def with_words(message: bytes, **words: int) -> bytes:
    names = ("xid", "version", "credits", "procedure")
    octets = bytearray(message)
    for name, value in words.items():
        place = 4 * names.index(name)
        octets[place : place + 4] = value.to_bytes(4)
    return bytes(octets)


@pytest.mark.parametrize("length", range(28))
def test_message_under_28_octets_is_dropped(length: int) -> None:
    result = expected(with_words(msg(), version=9)[:length], PLAIN)

    assert answers(result) == ["silence"]
    assert result.ids == ("rfc8166.4.5.short-message-discarded",)


@pytest.mark.parametrize("version", [0, 2, 3, 0xFFFFFFFF])
def test_unknown_version_gets_err_vers_whatever_follows(version: int) -> None:
    garbage = with_words(msg() + b"\xff" * 9, version=version, procedure=77)
    result = expected(garbage, ResponderState(frozenset({1, 5})))

    assert answers(result) == ["ERR_VERS"]
    assert (result.xid, result.version, result.versions) == (XID, version, (1, 5))


def test_error_of_unknown_version_may_be_dropped_or_refused() -> None:
    result = expected(with_words(msg(), version=7, procedure=4), PLAIN)

    assert answers(result) == ["silence", "ERR_VERS"]
    assert "D-27" in readings(result)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (RdmaError(ErrChunk()), ["silence"]),
        (RdmaDone(), ["silence"]),
        (RdmaMsgp(0, 0, (), (), None), ["ERR_CHUNK", "silence (warning)"]),
    ],
)
def test_procedures_answered_one_way(
    body: RdmaError | RdmaDone | RdmaMsgp, wanted: list[str]
) -> None:
    message = encode_header(TransportHeader(XID, 1, 1, body)).ljust(28, b"\0")

    assert answers(expected(message, PLAIN)) == wanted


@pytest.mark.parametrize("procedure", [5, 0x100, 0xFFFFFFFF])
def test_procedure_without_meaning_gets_err_chunk(procedure: int) -> None:
    assert answers(expected(with_words(msg(), procedure=procedure), PLAIN)) == ["ERR_CHUNK"]


@pytest.mark.parametrize("cut", range(28, 60, 4))
def test_cut_header_gets_err_chunk(cut: int) -> None:
    message = msg(b"", writes=(chunk(8),), reply=chunk(16))

    assert answers(expected(message[:cut], PLAIN)) == ["ERR_CHUNK"]


def test_cut_header_may_be_dropped_by_a_device_with_backward_direction() -> None:
    message = msg(b"", writes=(chunk(8),))[:40]
    result = expected(message, ResponderState(backward=True))

    assert answers(result) == ["ERR_CHUNK", "silence"]
    assert "D-40" in readings(result)


def test_presence_word_of_two_may_be_taken_for_one_with_a_warning() -> None:
    octets = bytearray(msg(reply=chunk(64)))
    octets[27] = 2
    state = ResponderState(upper_layer=TinyProgram(), memory=TinyMemory(writable=frozenset({9})))
    result = expected(bytes(octets), state)

    assert answers(result) == ["ERR_CHUNK", "a Reply (warning)"]
    assert "D-33" in readings(result)


def test_good_call_gets_a_reply_and_nothing_else() -> None:
    result = expected(msg(), PLAIN)

    assert (answers(result), result.fault) == (["a Reply"], "")


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        (None, ["ERR_CHUNK", "a Reply"]),
        ("err-chunk", ["ERR_CHUNK"]),
        ("rdma-xid", ["a Reply"]),
    ],
)
def test_two_xids_that_differ(choice: str | None, wanted: list[str]) -> None:
    chosen = {} if choice is None else {"D-12": choice}
    state = ResponderState(upper_layer=TinyProgram(), chosen=chosen)
    result = expected(msg(rpc_call(xid=XID + 1)), state)

    assert answers(result) == wanted
    assert readings(result) == {"D-12"}


def test_unknown_reading_is_refused() -> None:
    with pytest.raises(BadInput, match="D-19 = 'perhaps'"):
        expected(msg(), ResponderState(chosen={"D-19": "perhaps"}))


def test_version_claimed_beyond_two_is_not_judged() -> None:
    with pytest.raises(ValueError, match="no oracle for version 3"):
        expected(with_words(msg(), version=3), ResponderState(frozenset({1, 3})))


@pytest.mark.parametrize("length", [0, 3, 8, 36])
def test_cut_rpc_header_is_not_executed(length: int) -> None:
    result = expected(msg(rpc_call()[:length]), PLAIN)

    assert answers(result) == [
        "silence",
        "ERR_CHUNK",
        "a Reply of GARBAGE_ARGS",
        "an RPC error reply (warning)",
        "loss of the connection (warning)",
    ]


def test_reply_sent_to_a_responder_is_dropped() -> None:
    result = expected(msg(encode_reply(RpcReply(XID, RpcOutcome.SUCCESS))), PLAIN)

    assert answers(result) == ["silence", "ERR_CHUNK (warning)"]


def test_cut_arguments_get_garbage_args() -> None:
    result = expected(msg(rpc_call(STORE, b"\0\0\0\x09abc")), PLAIN)

    assert answers(result) == [
        "a Reply of GARBAGE_ARGS",
        "an RPC error reply (warning)",
        "ERR_CHUNK (warning)",
        "silence (warning)",
        "loss of the connection (warning)",
    ]


@pytest.mark.parametrize("call", [rpc_call(NULL, bytes(8)), rpc_call(STORE, b"\0\0\0\x04abcdefgh")])
def test_what_follows_the_arguments_may_be_read_over(call: bytes) -> None:
    assert answers(expected(msg(call), PLAIN))[:2] == ["a Reply of GARBAGE_ARGS", "a Reply"]


def test_an_argument_is_eligible_whatever_follows() -> None:
    call = rpc_call(STORE, b"\0\0\0\x04")
    state = ResponderState(upper_layer=TinyProgram(), memory=TinyMemory({3: b"abcd"}))
    message = msg(call + b"more", reads=(reading(len(call), 3, 4),))

    assert answers(expected(message, state))[:2] == ["a Reply of GARBAGE_ARGS", "a Reply"]


def test_a_refusal_of_what_is_no_message_has_the_one_xid_or_the_other() -> None:
    call = rpc_call(NULL)
    state = ResponderState(upper_layer=TinyProgram(), memory=TinyMemory({3: call}))
    turned = nomsg(reads=(reading(0, 3, len(call) - 20, offset=20), reading(0, 3, 20)))

    assert expected(turned, state).payload_xid_differs
    assert not expected(msg(call[:8]), state).payload_xid_differs


@pytest.mark.parametrize(
    ("message", "fits"),
    [
        (msg(rpc_call(FETCH, (100).to_bytes(4))), True),
        (msg(rpc_call(FETCH, (5000).to_bytes(4))), False),
        (msg(rpc_call(FETCH, (5000).to_bytes(4)), writes=(chunk(5000),)), True),
        (msg(rpc_call(FETCH, (5000).to_bytes(4)), writes=(chunk(4999),)), False),
        (msg(rpc_call(FETCH, (5000).to_bytes(4)), writes=(chunk(),)), False),
        (msg(rpc_call(FETCH, (5000).to_bytes(4)), reply=chunk(3000, 2028)), True),
        (msg(rpc_call(FETCH, (5000).to_bytes(4)), reply=chunk(3000, 2024)), False),
    ],
)
def test_reply_without_room_may_be_refused(message: bytes, fits: object) -> None:
    memory = TinyMemory(writable=frozenset({9}))
    result = expected(message, ResponderState(upper_layer=TinyProgram(), memory=memory))

    refused = [] if fits else ["ERR_CHUNK", "loss of the connection"]
    assert answers(result) == ["a Reply", *refused]


def test_position_zero_chunk_alone_is_a_good_long_call() -> None:
    call = rpc_call(NULL)
    state = ResponderState(upper_layer=TinyProgram(), memory=TinyMemory({3: call}))
    message = nomsg(reads=(reading(0, 3, 20), reading(0, 3, len(call) - 20, offset=20)))

    assert answers(expected(message, state)) == ["a Reply"]


@given(st.binary(max_size=160), st.integers(0, 5), st.booleans())
def test_any_octets_have_an_answer_that_the_registers_know(
    octets: bytes, procedure: int, bound: object
) -> None:
    message = with_words(octets, version=1, procedure=procedure) if len(octets) > 28 else octets
    layer = TinyProgram() if bound else None
    result = expected(message, ResponderState(upper_layer=layer, limits=Limits(segments=2)))
    catalogue, register = load_catalogue(), load_interpretations()

    assert result.allowed
    assert all(name in catalogue for name in result.ids)
    assert readings(result) <= set(register)


def test_message_of_nothing_but_bad_presence_words_is_judged_at_once() -> None:
    words = b"\0\0\0\x02" + bytes(20)

    assert answers(expected(msg()[:16] + words * 5000, PLAIN)) == ["ERR_CHUNK"]


@given(st.data())
def test_damaged_chunk_lists_have_an_answer(data: st.DataObject) -> None:
    message = bytearray(
        msg(reads=(reading(44, 1, 7),), writes=(chunk(8, 8), chunk()), reply=chunk(64))
    )
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(4, len(message) - 1))
        message[place] = data.draw(st.sampled_from((0, 1, 2, 4, 128, 255)))
    cut = data.draw(st.integers(28, len(message)))

    result = expected(bytes(message[:cut]), PLAIN)

    assert result.allowed
    assert not result.allowed[0].warning


@pytest.mark.parametrize(("mtype", "may_be_dropped"), [(0, False), (1, True), (544, True)])
def test_a_wrong_list_of_what_is_no_call_may_be_found_wrong_in_either_way(
    mtype: int, may_be_dropped: bool
) -> None:
    """D-40: nothing says which of two faults a Responder has to find first."""
    call = rpc_call()
    payload = call[:4] + mtype.to_bytes(4) + call[8:]
    result = expected(msg(payload, reads=(reading(6, 9, 64),)), PLAIN)

    assert "ERR_CHUNK" in answers(result)
    assert ("silence" in answers(result)) is may_be_dropped
