from __future__ import annotations

import pytest

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp import nfs4, rpc
from rpcrdma.wire import _generated_nfs4 as wire

COMPOUND = wire.NFS_V4.NFSPROC4_COMPOUND


def operations_of(call: bytes) -> tuple[wire.ArgumentOperation, ...]:
    _, start = rpc.decode_call(call)
    arguments, end = wire.decode_compound_arguments(call, start)
    assert end == len(call)
    return arguments.argarray


def test_null_is_procedure_0_of_version_4() -> None:
    header, _ = rpc.decode_call(nfs4.null(9))

    assert header == rpc.RpcCall(9, 100003, 4, 0)


def test_compound_is_sent_as_root_by_default() -> None:
    header, _ = rpc.decode_call(nfs4.compound(9, nfs4.put_root()))

    assert header == rpc.RpcCall(9, 100003, 4, COMPOUND, credential=rpc.auth_sys(0, 0))


def test_operations_are_those_of_the_document() -> None:
    handle = b"h" * 5
    call = nfs4.compound(
        9,
        *nfs4.at("/a/b"),
        nfs4.get_handle(),
        nfs4.put_handle(handle),
        nfs4.get_attributes(1, 33),
        nfs4.read(10, 20),
        nfs4.write(30, b"data"),
        nfs4.read_directory(4096, 20, cookie=5),
        nfs4.read_link(),
        tag=b"tag",
    )
    anonymous = wire.StateId(0, bytes(12))

    assert operations_of(call) == (
        wire.PutrootfhArguments(),
        wire.LookupArguments(b"a"),
        wire.LookupArguments(b"b"),
        wire.GetfhArguments(),
        wire.PutfhArguments(handle),
        wire.GetattrArguments((2, 2)),
        wire.ReadArguments(anonymous, 10, 20),
        wire.WriteArguments(anonymous, 30, wire.StableHow.FILE_SYNC4, b"data"),
        wire.ReaddirArguments(5, bytes(8), 4096, 4096, (1 << 20,)),
        wire.ReadlinkArguments(),
    )


def test_compound_is_laid_out_as_rfc_7531_says() -> None:
    call = nfs4.compound(9, nfs4.put_root(), nfs4.read(1, 2), credential=rpc.AUTH_NONE)

    assert call[40:] == bytes.fromhex(
        "00000000 00000000 00000002"  # no tag, minor version 0, two operations
        "00000018"  # PUTROOTFH
        "00000019 00000000 00000000 00000000 00000000 0000000000000001 00000002"  # READ
    )


def test_results_are_parsed() -> None:
    result = wire.CompoundResult(
        wire.Status.NFS4_OK, b"", (wire.PutrootfhResult(wire.Status.NFS4_OK),)
    )

    reply = rpc.accepted(9, wire.encode_compound_result(result))

    assert nfs4.parse(reply) == result


def test_error_reply_is_not_parsed() -> None:
    with pytest.raises(DecodeError) as caught:
        nfs4.parse(rpc.garbage_args(9))

    assert caught.value.detail == rpc.RpcOutcome.GARBAGE_ARGS.value


def test_octets_behind_the_results_are_refused() -> None:
    result = wire.encode_compound_result(wire.CompoundResult(wire.Status.NFS4_OK, b"", ()))

    with pytest.raises(DecodeError) as caught:
        nfs4.parse(rpc.accepted(9, result + b"more"))

    assert (caught.value.reason, caught.value.offset) == (Reason.TRAILING, 36)
