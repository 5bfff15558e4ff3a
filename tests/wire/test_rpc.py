"""RPC headers have the octets of rfc5531; AUTH_SYS credentials are checked to their end."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN201

from __future__ import annotations

import pytest

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import rpc
from rpcrdma.wire._generated_rpc import decode_rpc_message


def test_null_call_has_ten_words():
    octets = rpc.encode_message(rpc.call(9, 100003, 3, 0))

    assert octets.hex(" ", 4) == (
        "00000009 00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000"
    )


def test_accepted_reply_ends_where_the_results_begin():
    octets = rpc.encode_message(rpc.accepted(9)) + b"results!"

    assert rpc.decode_message(octets) == (rpc.accepted(9), len(octets) - 8)


@pytest.mark.parametrize("results", [b"", b"results!", bytes(40)])
def test_a_successful_reply_is_what_the_generated_codec_makes_of_it(results: bytes) -> None:
    octets = rpc.encode_message(rpc.accepted(9)) + results

    assert repr(rpc.decode_message(octets)) == repr(decode_rpc_message(octets))


def test_the_message_type_is_the_second_word_if_there_is_one():
    reply = rpc.encode_message(rpc.accepted(9))

    assert rpc.message_type_of(rpc.encode_message(rpc.call(9, 100003, 3, 0))) == 0
    assert rpc.message_type_of(reply[:8]) == rpc.MessageType.REPLY
    assert rpc.message_type_of(reply[:7]) is None
    assert rpc.message_type_of(reply[:4] + b"\xff" * 4) == 0xFFFFFFFF


def test_unknown_flavor_is_well_formed():
    message = rpc.call(9, 1, 1, 0, cred=rpc.OpaqueAuth(390003, b"abc"))

    assert rpc.decode_message(rpc.encode_message(message))[0] == message


def test_body_of_an_authenticator_is_limited_to_400_octets():
    octets = bytearray(rpc.encode_message(rpc.call(9, 1, 1, 0)))
    octets[28:32] = (401).to_bytes(4, "big")

    with pytest.raises(DecodeError) as caught:
        rpc.decode_message(bytes(octets))

    assert (caught.value.offset, caught.value.path) == (28, "body.cred.body")
    assert caught.value.reason is Reason.TOO_LONG


def test_credential_with_octets_left_is_refused():
    credential = rpc.auth_sys(rpc.AuthSys(1, "host", 0, 0, (1, 2)))
    longer = rpc.OpaqueAuth(credential.flavor, credential.body + b"\0\0\0\0")

    with pytest.raises(DecodeError) as caught:
        rpc.parse_auth_sys(longer)

    assert (caught.value.offset, caught.value.reason) == (len(credential.body), Reason.TRAILING)
