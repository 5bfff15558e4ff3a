"""The MOUNT protocol, version 3: where a client of NFSv3 gets its first file handle.

    RFC 1813 section 5      Appendix I: Mount protocol
    RFC 8267 section 5.1    it travels by TCP: nothing of it is DDP-eligible

Every directory of the store can be mounted by anybody.  Who has mounted what is not remembered, so
DUMP lists nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_node import FileError, FileKind, FileProblem
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.wire import _generated_mount3 as wire

if TYPE_CHECKING:
    from rpcrdma.ulp.file_node import FileNode
    from rpcrdma.ulp.file_store import FileStore

__all__ = ["KERBEROS_FLAVORS", "MountProgram", "mount_call"]

_V3: Final = wire.MOUNT_V3

FLAVORS: Final = (rpc.AUTH_SYS_FLAVOR, rpc.AUTH_NONE.flavor)
"""The credentials with which the server takes calls."""

KERBEROS_FLAVORS: Final = (390003, 390004, 390005)
"""Those of Kerberos, with each service (RFC 2623 section 2.2.1, as pseudo flavors)."""


class MountProgram(ProcedureTable):
    """MOUNT version 3.

    Args:
        store: what can be mounted.
        flavors: with which its server takes calls.
    """

    def __init__(self, store: FileStore, flavors: tuple[int, ...] = FLAVORS) -> None:
        self._store = store
        self._flavors = flavors
        procedures: dict[int, ProgramProcedure[Any]] = {
            _V3.MOUNTPROC3_NULL: _void(no_arguments),
            _V3.MOUNTPROC3_MNT: ProgramProcedure(wire.decode_mount_path, self._mount, _unbounded),
            _V3.MOUNTPROC3_DUMP: _constant(wire.encode_mount_list(wire.MountList(()))),
            _V3.MOUNTPROC3_UMNT: _void(wire.decode_mount_path),
            _V3.MOUNTPROC3_UMNTALL: _void(no_arguments),
            _V3.MOUNTPROC3_EXPORT: _constant(
                wire.encode_export_list(wire.ExportList((wire.Export(b"/", ()),)))
            ),
        }
        super().__init__(wire.MOUNT_PROGRAM, wire.MOUNT3_VERSION, procedures)

    def _mount(self, call: rpc.RpcCall, arguments: wire.MountPath) -> list[bytes]:
        result: wire.MountResult
        try:
            result = wire.MountDone(self._directory(arguments.path).handle, self._flavors)
        except FileError as error:
            result = wire.MountFailed(wire.Status[f"MNT3ERR_{error.problem.name}"])
        return [rpc.accepted(call.xid, wire.encode_mount_result(result))]

    def _directory(self, path: bytes) -> FileNode:
        node = self._store.root
        for name in path.decode("utf-8", "surrogateescape").split("/"):
            if name:
                node = node.child(name)
        if node.kind is not FileKind.DIRECTORY:
            raise FileError(FileProblem.NOTDIR)
        return node


def mount_call(xid: int, path: bytes, *, credential: rpc.Authentication) -> bytes:
    """A call of MNT."""
    arguments = wire.encode_mount_path(wire.MountPath(path))
    return rpc.encode_call(
        xid,
        wire.MOUNT_PROGRAM,
        wire.MOUNT3_VERSION,
        _V3.MOUNTPROC3_MNT,
        arguments,
        credential=credential,
    )


def _unbounded(_arguments: object) -> tuple[int, tuple[int, ...]]:
    """Nothing sets this protocol's replies a limit: by TCP they need none."""
    return 0, ()


def _void(decode: Any) -> ProgramProcedure[Any]:  # noqa: ANN401  # the type of what it decodes is not used
    return ProgramProcedure(decode, lambda call, _arguments: [rpc.accepted(call.xid)], _unbounded)


def _constant(results: bytes) -> ProgramProcedure[Any]:
    return ProgramProcedure(
        no_arguments, lambda call, _arguments: [rpc.accepted(call.xid, results)], _unbounded
    )
