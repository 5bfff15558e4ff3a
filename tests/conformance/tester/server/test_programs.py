"""What the tester serves to clients: a program by the binding, its files shared by connections."""

from __future__ import annotations

import msgspec
import pytest

from conformance.tester.server.programs import program_factory
from rpcrdma.ulp import gss, nfs3, nfs4, rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.gss_mechanism import MOCK, accept
from rpcrdma.ulp.nfs4_session_client import SessionClient
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire._generated_gss import GssService
from targets.base import TargetError
from targets.profile import Binding, Profile
from targets.registry import find_profile

ROOT = FileStore().root.handle


def profile_with(binding: Binding) -> Profile:
    return msgspec.structs.replace(find_profile("linux-client"), binding=binding)


def test_the_test_program_is_one() -> None:
    assert isinstance(program_factory(profile_with(Binding.TESTPROG))(), TestProgram)


def test_connections_of_nfs3_share_their_files() -> None:
    make = program_factory(profile_with(Binding.NFS3))
    one, other = make(), make()
    (found,) = one.execute(nfs3.call(1, nfs3.lookup(ROOT, b"writable")))
    result = nfs3.parse(found, wire.decode_lookup_result)
    assert isinstance(result, wire.LookupDone)
    handle = result.object.data

    one.execute(nfs3.call(2, nfs3.write(handle, 0, b"written by one")))

    (read,) = other.execute(nfs3.call(3, nfs3.read(handle, 0, 14)))
    data = nfs3.parse(read, wire.decode_read_result)
    assert isinstance(data, wire.ReadDone)
    assert data.data == b"written by one"


def test_nfs4_is_served() -> None:
    program = program_factory(profile_with(Binding.NFS4))()

    (reply,) = program.execute(nfs4.null(7))

    assert rpc.decode_reply(reply)[0].succeeded


@pytest.mark.parametrize("claimed", [False, True])
def test_sessions_of_nfs4_have_a_backchannel_if_the_client_claims_to_take_one(
    *, claimed: bool
) -> None:
    profile = profile_with(Binding.NFS4)
    claims = msgspec.structs.replace(profile.claims, backward=claimed)
    program = program_factory(msgspec.structs.replace(profile, claims=claims))()
    client = SessionClient(b"client", b"verifier")

    client.take_client_id(*program.execute(client.exchange_id(1)))
    client.take_session(*program.execute(client.create_session(2)))

    assert client.has_backchannel is claimed


@pytest.mark.parametrize(
    ("binding", "number", "version"),
    [(Binding.NFS3, 100003, 3), (Binding.NFS3, 100227, 3), (Binding.NFS4, 100003, 4)],
)
def test_programs_of_nfs_take_calls_under_a_mechanism(
    binding: Binding, number: int, version: int
) -> None:
    call = rpc.encode_call(5, number, version, 0)
    protected = gss.protect_call(call, accept(b"token"), GssService.RPC_GSS_SVC_PRIVACY, 1)

    for mechanism, served in ((MOCK, True), (None, False)):
        program = program_factory(profile_with(binding), mechanism)()
        (reply,) = program.execute(protected)
        assert (rpc.decode_reply(reply)[0].verifier != rpc.AUTH_NONE) is served
        (reply,) = program.execute(call)
        assert rpc.decode_reply(reply)[0].succeeded


def test_a_binding_without_a_program_is_said_so() -> None:
    with pytest.raises(TargetError, match=r"`linux-client`: the tester cannot serve.*`null-only`"):
        program_factory(profile_with(Binding.NULL_ONLY))
