"""A small server of NFSv4.0, 4.1 and 4.2 in memory, for scenarios and for kernel clients.

    RFC 7530 section 14.2       COMPOUND: operations in order, up to the first that fails
    RFC 5661 section 2.10.6     sessions: exactly-once execution
    RFC 5661 section 18.46.3    where SEQUENCE must stand
    RFC 7862 section 15         the operations of NFSv4.2, which may each be left out

It serves `rpcrdma.ulp.file_store.FileStore` to anybody: credentials are not looked at.  Here is the
engine alone; `OPERATIONS` says what executes each operation.  Operations that are not there (locks,
named attributes, directory delegations, parallel NFS) are answered by NFS4ERR_NOTSUPP.  Of NFSv4.2
there is nothing but the minor version: its own operations are not even decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from typing_extensions import override

from rpcrdma.ulp import (
    nfs4_clients,
    nfs4_data,
    nfs4_extended,
    nfs4_files,
    nfs4_opens,
    nfs4_sessions,
    rpc,
)
from rpcrdma.ulp.file_node import FileError
from rpcrdma.ulp.nfs4_binding import (
    compound_is_guessed,
    compound_items,
    compound_maximum,
    compound_origins,
    walk_compound,
)
from rpcrdma.ulp.nfs4_compound import Compound, Nfs4Refused
from rpcrdma.ulp.nfs4_data import READ_MAXIMUM
from rpcrdma.ulp.nfs4_operations import existence, failure, number_of
from rpcrdma.ulp.nfs4_sessions import OPERATIONS_MAXIMUM, Repeated
from rpcrdma.ulp.nfs4_state import ConnectionBinding, Nfs4State
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Operation, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.ulp.file_store import FileStore
    from rpcrdma.ulp.nfs4_callback import Nfs4Backchannel
    from rpcrdma.ulp.nfs4_state import Nfs4Session

__all__ = ["OPERATIONS_MAXIMUM", "READ_MAXIMUM", "Nfs4Program"]

MINOR_VERSIONS: Final = (0, 1, 2)

# The type of a row's arguments is the key of the row, which no annotation can say: hence Any.
Nfs4Execute: TypeAlias = Callable[[Compound, Any], wire.ResultOperation]

OPERATIONS: Final[Mapping[Operation, Nfs4Execute]] = {
    Operation.OP_ACCESS: nfs4_files.access,
    Operation.OP_CLOSE: nfs4_opens.close,
    Operation.OP_COMMIT: nfs4_data.commit,
    Operation.OP_CREATE: nfs4_files.create,
    Operation.OP_DELEGPURGE: nfs4_opens.delegation_purge,
    Operation.OP_DELEGRETURN: nfs4_opens.delegation_return,
    Operation.OP_GETATTR: nfs4_files.get_attributes,
    Operation.OP_GETFH: nfs4_files.get_handle,
    Operation.OP_LINK: nfs4_files.link,
    Operation.OP_LOOKUP: nfs4_files.lookup,
    Operation.OP_LOOKUPP: nfs4_files.lookup_parent,
    Operation.OP_NVERIFY: nfs4_files.not_verify,
    Operation.OP_OPEN: nfs4_opens.open_file,
    Operation.OP_OPEN_CONFIRM: nfs4_opens.open_confirm,
    Operation.OP_OPEN_DOWNGRADE: nfs4_opens.open_downgrade,
    Operation.OP_PUTFH: nfs4_files.put_handle,
    Operation.OP_PUTPUBFH: nfs4_files.put_public,
    Operation.OP_PUTROOTFH: nfs4_files.put_root,
    Operation.OP_READ: nfs4_data.read,
    Operation.OP_READDIR: nfs4_files.read_directory,
    Operation.OP_READLINK: nfs4_files.read_link,
    Operation.OP_REMOVE: nfs4_files.remove,
    Operation.OP_RENAME: nfs4_files.rename,
    Operation.OP_RENEW: nfs4_clients.renew,
    Operation.OP_RESTOREFH: nfs4_files.restore_handle,
    Operation.OP_SAVEFH: nfs4_files.save_handle,
    Operation.OP_SECINFO: nfs4_files.security,
    Operation.OP_SETATTR: nfs4_files.set_attributes,
    Operation.OP_SETCLIENTID: nfs4_clients.set_client_id,
    Operation.OP_SETCLIENTID_CONFIRM: nfs4_clients.confirm_client_id,
    Operation.OP_VERIFY: nfs4_files.verify,
    Operation.OP_WRITE: nfs4_data.write,
    Operation.OP_RELEASE_LOCKOWNER: nfs4_clients.release_lock_owner,
    Operation.OP_BACKCHANNEL_CTL: nfs4_sessions.control_backchannel,
    Operation.OP_BIND_CONN_TO_SESSION: nfs4_sessions.bind_connection,
    Operation.OP_EXCHANGE_ID: nfs4_sessions.exchange_id,
    Operation.OP_CREATE_SESSION: nfs4_sessions.create_session,
    Operation.OP_DESTROY_SESSION: nfs4_sessions.destroy_session,
    Operation.OP_FREE_STATEID: nfs4_opens.free_stateid,
    Operation.OP_SECINFO_NO_NAME: nfs4_files.security_without_name,
    Operation.OP_SEQUENCE: nfs4_sessions.sequence,
    Operation.OP_TEST_STATEID: nfs4_opens.test_stateids,
    Operation.OP_DESTROY_CLIENTID: nfs4_sessions.destroy_client_id,
    Operation.OP_RECLAIM_COMPLETE: nfs4_sessions.reclaim_complete,
    Operation.OP_GETXATTR: nfs4_extended.get,
    Operation.OP_SETXATTR: nfs4_extended.keep,
    Operation.OP_LISTXATTRS: nfs4_extended.names,
    Operation.OP_REMOVEXATTR: nfs4_extended.remove,
}
"""What executes each operation, whichever minor version it belongs to."""

WITHOUT_SEQUENCE: Final = frozenset(
    {
        Operation.OP_EXCHANGE_ID,
        Operation.OP_CREATE_SESSION,
        Operation.OP_BIND_CONN_TO_SESSION,
        Operation.OP_DESTROY_SESSION,
        Operation.OP_DESTROY_CLIENTID,
    }
)
"""What may come first in NFSv4.1, and then must be alone (RFC 5661 18.34 to 18.37, 18.50)."""


class Nfs4Program(ProcedureTable):
    """NFSv4.0, 4.1 and 4.2 on one connection.

    Attributes:
        state: clients, opens and sessions; shared by every connection of a server.
    """

    def __init__(self, store: FileStore, state: Nfs4State | None = None) -> None:
        self._store = store
        self.state = state if state is not None else Nfs4State()
        self._binding = ConnectionBinding()
        null = ProgramProcedure(no_arguments, self._null, lambda _arguments: (0, ()))
        compound = ProgramProcedure(
            wire.decode_compound_arguments,
            self._compound,
            self._maximum,
            items=compound_items,
            origins=compound_origins,
            walk=walk_compound,
            guessed=compound_is_guessed,
        )
        procedures: dict[int, ProgramProcedure[Any]] = {
            wire.NFS_V4.NFSPROC4_NULL: null,
            wire.NFS_V4.NFSPROC4_COMPOUND: compound,
        }
        super().__init__(wire.NFS4_PROGRAM, wire.NFS4_VERSION, procedures)
        self._size = 0

    @property
    def backchannel(self) -> Nfs4Backchannel | None:
        """What callbacks on this connection are built with; None: the client wants none on it."""
        return self._binding.backchannel

    def disconnected(self) -> None:
        """The connection is gone: it is the backchannel of no session any more."""
        for session in self.state.sessions.values():
            if session.back_connection is self._binding:
                session.back_connection = None
        self._binding.backchannel = None

    @override
    def execute(self, call: bytes) -> list[bytes]:
        self._size = len(call)
        return super().execute(call)

    def _null(self, call: rpc.RpcCall, _arguments: None) -> list[bytes]:
        return [rpc.accepted(call.xid)]

    def _maximum(self, arguments: wire.CompoundArguments) -> tuple[int, tuple[int, ...]]:
        session = self._session_of(arguments)
        if session is None:
            return compound_maximum(arguments)
        return compound_maximum(
            arguments, session.fore.ca_maxresponsesize - rpc.REPLY_HEADER_LENGTH
        )

    def _session_of(self, arguments: wire.CompoundArguments) -> Nfs4Session | None:
        first = arguments.argarray[0] if arguments.argarray else None
        if not isinstance(first, wire.SequenceArguments):
            return None
        return self.state.sessions.get(first.sa_sessionid)

    def _compound(self, call: rpc.RpcCall, arguments: wire.CompoundArguments) -> list[bytes]:
        if arguments.minorversion not in MINOR_VERSIONS:
            return [_reply(call, arguments, Status.NFS4ERR_MINOR_VERS_MISMATCH)]
        minor = arguments.minorversion
        if len(arguments.argarray) > OPERATIONS_MAXIMUM:
            many = Status.NFS4ERR_TOO_MANY_OPS if minor else Status.NFS4ERR_RESOURCE
            return [_reply(call, arguments, many)]
        compound = Compound(self._store, self.state, self._binding, minor)
        compound.operations = len(arguments.argarray)
        compound.size = self._size
        compound.digest = _digest(arguments)
        try:
            status, results = _run(compound, arguments)
        except Repeated as repeated:
            return [rpc.accepted(call.xid, repeated.results)]
        encoded = _encode(arguments, status, results)
        if compound.session is not None:
            encoded = _fit(compound, arguments, results, encoded)
        if compound.slot is not None and not compound.repeats:
            compound.slot.finish(encoded)
        return [rpc.accepted(call.xid, encoded)]


def _run(
    compound: Compound, arguments: wire.CompoundArguments
) -> tuple[Status, list[wire.ResultOperation]]:
    """Execute operations up to the first that fails."""
    status = Status.NFS4_OK
    results: list[wire.ResultOperation] = []
    for position, operation in enumerate(arguments.argarray):
        number = number_of(operation)
        try:
            _judge_place(compound, number, position)
            repeated = None if compound.minor else nfs4_opens.repeated(compound, operation)
        except Nfs4Refused as refused:
            status = refused.status
            results.append(failure(number, status))
            break
        status, result = repeated or _execute(compound, number, operation)
        results.append(result)
        if compound.minor == 0 and repeated is None:
            nfs4_opens.remember(compound, operation, status, result)
        if status is not Status.NFS4_OK:
            break
    return status, results


def _judge_place(compound: Compound, number: Operation, position: int) -> None:
    """Whether an operation exists and may stand here."""
    status = existence(number, compound.minor)
    if status is not Status.NFS4_OK:
        raise Nfs4Refused(status)
    if compound.minor == 0:
        return
    if position:
        if number is Operation.OP_SEQUENCE:
            raise Nfs4Refused(Status.NFS4ERR_SEQUENCE_POS)
        if compound.repeats:
            raise Nfs4Refused(Status.NFS4ERR_RETRY_UNCACHED_REP)
        if compound.session is None:
            raise Nfs4Refused(Status.NFS4ERR_NOT_ONLY_OP)
    elif number is not Operation.OP_SEQUENCE:
        if number not in WITHOUT_SEQUENCE:
            raise Nfs4Refused(Status.NFS4ERR_OP_NOT_IN_SESSION)
        if compound.operations > 1:
            raise Nfs4Refused(Status.NFS4ERR_NOT_ONLY_OP)


def _execute(
    compound: Compound, number: Operation, operation: wire.ArgumentOperation
) -> tuple[Status, wire.ResultOperation]:
    execute = OPERATIONS.get(number)
    status = Status.NFS4ERR_NOTSUPP
    try:
        if execute is not None:
            return Status.NFS4_OK, execute(compound, operation)
    except Nfs4Refused as refused:
        status = refused.status
    except FileError as error:
        status = Status[f"NFS4ERR_{error.problem.name}"]
    return status, failure(number, status)


def _fit(
    compound: Compound,
    arguments: wire.CompoundArguments,
    results: list[wire.ResultOperation],
    encoded: bytes,
) -> bytes:
    """The results, cut before the operation that makes them larger than the session allows."""
    session = compound.session
    if session is None or compound.slot is None:
        return encoded
    keeps = compound.slot.keeps
    fore = session.fore
    limit = fore.ca_maxresponsesize_cached if keeps else fore.ca_maxresponsesize
    status = Status.NFS4ERR_REP_TOO_BIG_TO_CACHE if keeps else Status.NFS4ERR_REP_TOO_BIG
    while len(encoded) + rpc.REPLY_HEADER_LENGTH > limit and len(results) > 1:
        results.pop()
        number = number_of(arguments.argarray[len(results)])
        cut = [*results, failure(number, status)]
        encoded = _encode(arguments, status, cut)
    return encoded


def _digest(arguments: wire.CompoundArguments) -> int:
    """What tells this COMPOUND from another; only replies that are kept are worth the work."""
    first = arguments.argarray[0] if arguments.argarray else None
    if isinstance(first, wire.SequenceArguments) and first.sa_cachethis:
        return hash(arguments.argarray)
    return 0


def _encode(
    arguments: wire.CompoundArguments, status: Status, results: list[wire.ResultOperation]
) -> bytes:
    return wire.encode_compound_result(wire.CompoundResult(status, arguments.tag, tuple(results)))


def _reply(call: rpc.RpcCall, arguments: wire.CompoundArguments, status: Status) -> bytes:
    return rpc.accepted(call.xid, _encode(arguments, status, []))
