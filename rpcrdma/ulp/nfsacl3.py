"""NFSACL, version 3: what a kernel client of NFSv3 asks for access control lists on its connection.

No document defines the protocol, and no Upper-Layer Binding names anything in it DDP-eligible; so
a SETACL of a long list is a call that is long and has nothing to reduce, the only one that a client
of NFSv3 makes.

Any list is taken for a file of the store, and none kept: GETACL tells of empty ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_node import FileError
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.wire import _generated_nfsacl3 as wire
from rpcrdma.wire._generated_nfs3 import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.ulp.file_store import FileStore

__all__ = ["NfsAclProgram"]

_V3: Final = wire.NFSACL_V3

_ATTRIBUTES: Final = 4 + wire.NFSACL_ATTRIBUTES
"""Octets of attributes that may be left out."""

_LISTS: Final = 4 + 2 * (4 + 4 + 12 * wire.NFSACL_ENTRIES)


class NfsAclProgram(ProcedureTable):
    """NFSACL version 3."""

    def __init__(self, store: FileStore) -> None:
        self._store = store
        procedures: dict[int, ProgramProcedure[Any]] = {
            _V3.NFSACLPROC3_NULL: ProgramProcedure(
                no_arguments, lambda call, _arguments: [rpc.accepted(call.xid)], _exactly(0)
            ),
            _V3.NFSACLPROC3_GETACL: ProgramProcedure(
                wire.decode_getacl_arguments, self._get, _exactly(4 + _ATTRIBUTES + _LISTS)
            ),
            _V3.NFSACLPROC3_SETACL: ProgramProcedure(
                wire.decode_setacl_arguments, self._set, _exactly(4 + _ATTRIBUTES)
            ),
        }
        super().__init__(wire.NFSACL_PROGRAM, wire.NFSACL3_VERSION, procedures)

    def _get(self, call: rpc.RpcCall, arguments: wire.GetaclArguments) -> list[bytes]:
        status = self._status(arguments.object)
        result: wire.GetaclResult = wire.GetaclFailed(status, None)
        if status is Status.NFS3_OK:
            result = wire.GetaclDone(None, wire.AclLists(arguments.mask, 0, (), 0, ()))
        return [rpc.accepted(call.xid, wire.encode_getacl_result(result))]

    def _set(self, call: rpc.RpcCall, arguments: wire.SetaclArguments) -> list[bytes]:
        result = wire.SetaclResult(self._status(arguments.object), None)
        return [rpc.accepted(call.xid, wire.encode_setacl_result(result))]

    def _status(self, handle: bytes) -> Status:
        try:
            self._store.find(handle)
        except FileError as error:
            return Status[f"NFS3ERR_{error.problem.name}"]
        return Status.NFS3_OK


def _exactly(octets: int) -> Callable[[object], tuple[int, tuple[int, ...]]]:
    """The largest results, whatever the arguments."""
    return lambda _arguments: (octets, ())
