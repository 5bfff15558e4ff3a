"""What the tester serves to a device in the Requester role: programs by the profile's binding.

The programs of NFS are imported where they are served: their codecs are large, and who tests
anything else in a virtual machine without KVM would wait many seconds for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.ulp.testprog import TestProgram
from targets.base import TargetError
from targets.profile import Binding

if TYPE_CHECKING:
    from rpcrdma.ulp.bindings import Program, UpperLayerFactory
    from rpcrdma.ulp.gss_context import GssMechanism
    from targets.profile import Profile

__all__ = ["program_factory"]


def program_factory(profile: Profile, mechanism: GssMechanism | None = None) -> UpperLayerFactory:
    """What makes the program of each connection; files, and what clients hold, are shared by all.

    Args:
        profile: the client's.
        mechanism: of RPCSEC_GSS, for programs of NFS; None if there is none.

    Raises:
        TargetError: the tester has no program for the profile's binding.
    """
    match profile.binding:
        case Binding.TESTPROG:
            return TestProgram
        case Binding.NFS4:
            return _nfs4(profile, mechanism)
        case Binding.NFS3:
            return _nfs3(mechanism)
        case Binding.NULL_ONLY:
            raise TargetError(
                f"profile `{profile.name}`: the tester cannot serve a client of the binding"
                f" `{profile.binding.value}`"
            )


def _nfs4(profile: Profile, mechanism: GssMechanism | None) -> UpperLayerFactory:
    from rpcrdma.ulp.file_store import FileStore
    from rpcrdma.ulp.file_tree import CLIENT_TREE
    from rpcrdma.ulp.nfs4_server import Nfs4Program
    from rpcrdma.ulp.nfs4_state import Nfs4Options, Nfs4State

    store = FileStore(CLIENT_TREE)
    # What cannot be recalled is not delegated.
    backward = profile.claims.backward
    options = Nfs4Options(backchannel=backward, delegations=backward)
    state = Nfs4State(options)  # a client that reconnects finds its sessions and opens
    return lambda: _protected(Nfs4Program(store, state), mechanism)


def _nfs3(mechanism: GssMechanism | None) -> UpperLayerFactory:
    from rpcrdma.ulp.file_store import FileStore
    from rpcrdma.ulp.file_tree import CLIENT_TREE
    from rpcrdma.ulp.nfs3_server import Nfs3Program
    from rpcrdma.ulp.nfsacl3 import NfsAclProgram
    from rpcrdma.ulp.program import Programs

    store = FileStore(CLIENT_TREE)
    return lambda: Programs(
        [_protected(one(store), mechanism) for one in (Nfs3Program, NfsAclProgram)]
    )


def _protected(program: Program, mechanism: GssMechanism | None) -> Program:
    """The program, which takes calls under RPCSEC_GSS as well if there is a mechanism."""
    if mechanism is None:
        return program
    from rpcrdma.ulp.gss_program import GssProgram

    return GssProgram(program, mechanism)
