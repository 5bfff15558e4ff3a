"""A small NFSv4.0 server in memory, so that NFS scenarios run without a kernel.

    RFC 7530 section 14.2  COMPOUND: operations in order, up to the first that fails
    RFC 7530 section 16    the operations; each error here is one that its section lists

It serves `rpcrdma.ulp.file_store.FileStore` to anybody: credentials are not looked at.  Operations
that `rpcrdma/spec/nfs4.x` lacks are answered by NFS4ERR_NOTSUPP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_node import Kind, Node
from rpcrdma.ulp.nfs4 import ANONYMOUS
from rpcrdma.ulp.nfs4_attributes import encode_attributes
from rpcrdma.ulp.nfs4_binding import compound_items, compound_maximum, walk_compound
from rpcrdma.ulp.program import Procedure, ProcedureTable, no_arguments
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Operation, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.ulp.file_store import FileStore

__all__ = ["READ_MAXIMUM", "Nfs4Program"]

READ_MAXIMUM: Final = 1024 * 1024
"""Octets that one READ returns at most."""

OPERATIONS_MAXIMUM: Final = 64
"""Operations in one COMPOUND; with `READ_MAXIMUM` this bounds a reply."""

BYPASS: Final = wire.StateId(0xFFFFFFFF, b"\xff" * wire.NFS4_OTHER_SIZE)
"""The other special stateid that needs no OPEN (RFC 7530 9.1.4.3)."""

VERIFIER: Final = b"one-life"
"""Of written data: this server never loses any while it runs."""

COOKIE_VERIFIER: Final = b"fixedset"
"""Of directory cookies: directories never change."""

FIRST_COOKIE: Final = 3
"""RFC 7530 16.24.4: 0, 1 and 2 have meanings of their own."""


class Refused(Exception):
    """An operation ends with this status."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status = status


class Compound:
    """One COMPOUND in execution: the current file, and what each operation does."""

    def __init__(self, store: FileStore) -> None:
        self._store = store
        self._current: Node | None = None

    def run(self, operation: wire.ArgumentOperation) -> tuple[wire.ResultOperation, Status]:
        """Execute one operation; returns its result, and whether to go on (NFS4_OK)."""
        row = OPERATIONS.get(type(operation))
        if row is None:
            number = getattr(operation, "argop", Operation.OP_ILLEGAL)
            illegal = number is Operation.OP_ILLEGAL
            status = Status.NFS4ERR_OP_ILLEGAL if illegal else Status.NFS4ERR_NOTSUPP
            return wire.OtherResult(number, wire.OtherStatus(status)), status
        execute, failed = row
        try:
            return execute(self, operation), Status.NFS4_OK
        except Refused as refused:
            return failed(refused.status), refused.status

    def put_root(self, _arguments: wire.PutrootfhArguments) -> wire.ResultOperation:
        """PUTROOTFH."""
        self._current = self._store.root
        return wire.PutrootfhResult(Status.NFS4_OK)

    def put_handle(self, arguments: wire.PutfhArguments) -> wire.ResultOperation:
        """PUTFH."""
        node = self._store.by_handle(arguments.object)
        if node is None:
            raise Refused(Status.NFS4ERR_BADHANDLE)
        self._current = node
        return wire.PutfhResult(Status.NFS4_OK)

    def get_handle(self, _arguments: wire.GetfhArguments) -> wire.ResultOperation:
        """GETFH."""
        return wire.GetfhResult(wire.GetfhDone(self._node().handle))

    def lookup(self, arguments: wire.LookupArguments) -> wire.ResultOperation:
        """LOOKUP."""
        directory = self._node()
        if directory.kind is Kind.LINK:
            raise Refused(Status.NFS4ERR_SYMLINK)
        if directory.kind is not Kind.DIRECTORY:
            raise Refused(Status.NFS4ERR_NOTDIR)
        if not arguments.objname:
            raise Refused(Status.NFS4ERR_INVAL)
        child = directory.children.get(arguments.objname.decode("utf-8", "replace"))
        if child is None:
            raise Refused(Status.NFS4ERR_NOENT)
        self._current = child
        return wire.LookupResult(Status.NFS4_OK)

    def get_attributes(self, arguments: wire.GetattrArguments) -> wire.ResultOperation:
        """GETATTR."""
        attributes = encode_attributes(self._node(), arguments.attr_request)
        return wire.GetattrResult(wire.GetattrDone(attributes))

    def read(self, arguments: wire.ReadArguments) -> wire.ResultOperation:
        """READ."""
        node = self._file(arguments.stateid)
        data, at_end = node.read(arguments.offset, min(arguments.count, READ_MAXIMUM))
        return wire.ReadResult(wire.ReadDone(at_end, data))

    def write(self, arguments: wire.WriteArguments) -> wire.ResultOperation:
        """WRITE; everything is stable at once."""
        node = self._file(arguments.stateid)
        if not node.writable:
            raise Refused(Status.NFS4ERR_ACCESS)
        if not node.write(arguments.offset, arguments.data):
            raise Refused(Status.NFS4ERR_FBIG)
        done = wire.WriteDone(len(arguments.data), wire.StableHow.FILE_SYNC4, VERIFIER)
        return wire.WriteResult(done)

    def read_link(self, _arguments: wire.ReadlinkArguments) -> wire.ResultOperation:
        """READLINK."""
        node = self._node()
        if node.kind is not Kind.LINK:
            raise Refused(Status.NFS4ERR_INVAL)
        return wire.ReadlinkResult(wire.ReadlinkDone(bytes(node.content)))

    def read_directory(self, arguments: wire.ReaddirArguments) -> wire.ResultOperation:
        """READDIR: as many entries as `maxcount` has room for."""
        node = self._node()
        if node.kind is not Kind.DIRECTORY:
            raise Refused(Status.NFS4ERR_NOTDIR)
        children = list(node.children.items())
        first = arguments.cookie - FIRST_COOKIE + 1 if arguments.cookie else 0
        if not 0 <= first <= len(children):
            raise Refused(Status.NFS4ERR_BAD_COOKIE)
        entries: list[wire.DirectoryEntry] = []
        done = wire.ReaddirDone(COOKIE_VERIFIER, wire.DirectoryList((), eof=True))
        room = arguments.maxcount - len(wire.encode_readdir_done(done))
        for index, (name, child) in enumerate(children[first:], start=first):
            entry = wire.DirectoryEntry(
                FIRST_COOKIE + index,
                name.encode(),
                encode_attributes(child, arguments.attr_request),
            )
            room -= 4 + len(wire.encode_directory_entry(entry))
            if room < 0:
                break
            entries.append(entry)
        complete = first + len(entries) == len(children)
        if room < 0 and not entries:
            raise Refused(Status.NFS4ERR_TOOSMALL)
        listing = wire.DirectoryList(tuple(entries), complete)
        return wire.ReaddirResult(wire.ReaddirDone(COOKIE_VERIFIER, listing))

    def _node(self) -> Node:
        if self._current is None:
            raise Refused(Status.NFS4ERR_NOFILEHANDLE)
        return self._current

    def _file(self, stateid: wire.StateId) -> Node:
        node = self._node()
        if node.kind is Kind.DIRECTORY:
            raise Refused(Status.NFS4ERR_ISDIR)
        if node.kind is not Kind.FILE:
            raise Refused(Status.NFS4ERR_INVAL)
        if stateid not in {ANONYMOUS, BYPASS}:
            raise Refused(Status.NFS4ERR_BAD_STATEID)
        return node


# The type of a row's arguments is the key of the row, which no annotation can say: hence Any.
Execute: TypeAlias = Callable[[Compound, Any], wire.ResultOperation]
Failed: TypeAlias = Callable[[Status], wire.ResultOperation]

OPERATIONS: Final[Mapping[type, tuple[Execute, Failed]]] = {
    wire.PutrootfhArguments: (Compound.put_root, wire.PutrootfhResult),
    wire.PutfhArguments: (Compound.put_handle, wire.PutfhResult),
    wire.GetfhArguments: (
        Compound.get_handle,
        lambda status: wire.GetfhResult(wire.GetfhFailed(status)),
    ),
    wire.LookupArguments: (Compound.lookup, wire.LookupResult),
    wire.GetattrArguments: (
        Compound.get_attributes,
        lambda status: wire.GetattrResult(wire.GetattrFailed(status)),
    ),
    wire.ReadArguments: (Compound.read, lambda status: wire.ReadResult(wire.ReadFailed(status))),
    wire.WriteArguments: (
        Compound.write,
        lambda status: wire.WriteResult(wire.WriteFailed(status)),
    ),
    wire.ReadlinkArguments: (
        Compound.read_link,
        lambda status: wire.ReadlinkResult(wire.ReadlinkFailed(status)),
    ),
    wire.ReaddirArguments: (
        Compound.read_directory,
        lambda status: wire.ReaddirResult(wire.ReaddirFailed(status)),
    ),
}
"""What executes each operation, and the result that says it failed."""


class Nfs4Program(ProcedureTable):
    """NFSv4.0 on one connection."""

    def __init__(self, store: FileStore) -> None:
        self._store = store
        v4 = wire.NFS_V4
        null = Procedure(no_arguments, self._null, lambda _arguments: (0, ()))
        compound = Procedure(
            wire.decode_compound_arguments,
            self._compound,
            compound_maximum,
            items=compound_items,
            walk=walk_compound,
        )
        procedures: dict[int, Procedure[Any]] = {
            v4.NFSPROC4_NULL: null,
            v4.NFSPROC4_COMPOUND: compound,
        }
        super().__init__(wire.NFS4_PROGRAM, wire.NFS4_VERSION, procedures)

    def _null(self, call: rpc.Call, _arguments: None) -> list[bytes]:
        return [rpc.accepted(call.xid)]

    def _compound(self, call: rpc.Call, arguments: wire.CompoundArguments) -> list[bytes]:
        status = Status.NFS4_OK
        results: list[wire.ResultOperation] = []
        if arguments.minorversion:
            status = Status.NFS4ERR_MINOR_VERS_MISMATCH
        elif len(arguments.argarray) > OPERATIONS_MAXIMUM:
            status = Status.NFS4ERR_RESOURCE
        else:
            compound = Compound(self._store)
            for operation in arguments.argarray:
                result, status = compound.run(operation)
                results.append(result)
                if status is not Status.NFS4_OK:
                    break
        encoded = wire.encode_compound_result(
            wire.CompoundResult(status, arguments.tag, tuple(results))
        )
        return [rpc.accepted(call.xid, encoded)]
