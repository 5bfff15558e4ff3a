from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.ulp import nfs3, rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs3_attributes import NOBODY
from rpcrdma.ulp.nfs3_server import ROWS, Nfs3Program
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire._generated_nfs3 import Status

PROGRAM = Nfs3Program(FileStore())


def test_null_has_an_empty_reply() -> None:
    assert PROGRAM.execute(nfs3.call(9, nfs3.null())) == [rpc.accepted(9)]


def test_every_procedure_of_the_version_is_served() -> None:
    assert {wire.NFS_V3.NFSPROC3_NULL, *ROWS} == set(wire.NFS_V3)


@pytest.mark.parametrize("procedure", ROWS, ids=lambda procedure: procedure.name)
def test_every_procedure_can_say_that_it_failed(procedure: wire.NFS_V3) -> None:
    row = ROWS[procedure]

    octets = row.encode(row.failed(Status.NFS3ERR_IO, NOBODY))

    assert octets[:4] == Status.NFS3ERR_IO.to_bytes(4, "big")


@pytest.mark.parametrize("procedure", ROWS, ids=lambda procedure: procedure.name)
def test_arguments_that_are_cut_are_garbage(procedure: wire.NFS_V3) -> None:
    call = nfs3.call(9, nfs3.Ask(procedure, b"\0\0\0\x05tree"))

    assert PROGRAM.execute(call) == [rpc.garbage_args(9)]


def test_procedure_beyond_the_last_is_unavailable() -> None:
    assert PROGRAM.execute(nfs3.call(9, nfs3.Ask(22))) == [rpc.procedure_unavailable(9)]


@given(st.sampled_from(sorted(ROWS)), st.binary(max_size=200).map(lambda octets: octets * 2))
def test_any_octets_are_answered_once(procedure: wire.NFS_V3, octets: bytes) -> None:
    (reply,) = PROGRAM.execute(nfs3.call(9, nfs3.Ask(procedure, octets)))

    header, _ = rpc.decode_reply(reply)
    assert header.xid == 9
