from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp import nfs3, rpc
from rpcrdma.wire import _generated_nfs3 as wire

if TYPE_CHECKING:
    from rpcrdma.ulp.cursor import Decoder

V3 = wire.NFS_V3


def test_call_is_for_version_three_and_bears_the_credential() -> None:
    header, start = rpc.decode_call(
        nfs3.call(7, nfs3.get_attributes(b"handle"), credential=rpc.AUTH_NONE)
    )

    assert (header.xid, header.program, header.version) == (7, 100003, 3)
    assert (header.procedure, header.credential) == (V3.NFSPROC3_GETATTR, rpc.AUTH_NONE)
    assert start == 40


@pytest.mark.parametrize(
    ("ask", "procedure", "decode"),
    [
        (nfs3.lookup(b"h", b"n"), V3.NFSPROC3_LOOKUP, wire.decode_lookup_arguments),
        (nfs3.read_link(b"h"), V3.NFSPROC3_READLINK, wire.decode_readlink_arguments),
        (nfs3.read(b"h", 1, 2), V3.NFSPROC3_READ, wire.decode_read_arguments),
        (nfs3.write(b"h", 1, b"d"), V3.NFSPROC3_WRITE, wire.decode_write_arguments),
        (nfs3.create(b"h", b"n"), V3.NFSPROC3_CREATE, wire.decode_create_arguments),
        (nfs3.symbolic_link(b"h", b"n", b"t"), V3.NFSPROC3_SYMLINK, wire.decode_symlink_arguments),
        (nfs3.remove(b"h", b"n"), V3.NFSPROC3_REMOVE, wire.decode_remove_arguments),
        (nfs3.read_directory(b"h", 9), V3.NFSPROC3_READDIR, wire.decode_readdir_arguments),
        (
            nfs3.read_directory_plus(b"h", 9),
            V3.NFSPROC3_READDIRPLUS,
            wire.decode_readdir_plus_arguments,
        ),
    ],
)
def test_arguments_are_those_of_the_procedure(
    ask: nfs3.Ask, procedure: int, decode: Decoder[object]
) -> None:
    _, end = decode(ask.arguments, 0)

    assert (ask.procedure, end) == (procedure, len(ask.arguments))


def test_results_are_read() -> None:
    result = wire.GetattrFailed(wire.Status.NFS3ERR_STALE)
    reply = rpc.accepted(1, wire.encode_getattr_result(result))

    assert nfs3.parse(reply, wire.decode_getattr_result) == result


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (rpc.garbage_args(1), Reason.TRUNCATED),
        (rpc.accepted(1, bytes(3) + b"\x46" + bytes(4)), Reason.TRAILING),
        (rpc.accepted(1), Reason.TRUNCATED),
    ],
)
def test_reply_that_is_no_success_is_refused(reply: bytes, reason: Reason) -> None:
    with pytest.raises(DecodeError) as caught:
        nfs3.parse(reply, wire.decode_getattr_result)

    assert caught.value.reason is reason
