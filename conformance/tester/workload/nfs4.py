"""The workload of NFSv4.0: READ, WRITE, READDIR and friends on the suite's file tree.

    RFC 8267                NFS Upper-Layer Binding to RPC-over-RDMA Version 1
    RFC 7530 section 9.6.2  the grace period of a server that has just started

In its grace period a server refuses READ and WRITE, whatever the transport did: a run begins when
it is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.case import Inconclusive
from conformance.tester.data import differing
from conformance.tester.sent import Request
from conformance.tester.workload import pages
from conformance.tester.workload.base import NullWorkload
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import nfs4, rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import DIRECTORY, LINK, WRITABLE
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire.words import constant_of, in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.workload.base import Caller
    from targets.profile import Profile

__all__ = ["Nfs4Workload"]

_LOOK: Final = 0.2
"""Seconds between two questions whether the grace period is over."""

_LOOKS: Final = 600
"""Two minutes in all: grace periods are as long as leases, 90 seconds in most servers."""


class Nfs4Workload(NullWorkload):
    """NFSv4.0 calls on the export; what the base class refuses and is not here stays refused."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(profile)
        self._layer = Nfs4Program(FileStore(()))  # asked for its binding only
        self._export = profile.extra.export
        self._written = profile.extra.write_offset
        self._credential = rpc.auth_sys(profile.extra.uid, profile.extra.gid)

    def prepare(self, caller: Caller) -> None:
        """Wait until the server's grace period is over, on a connection that belongs to no case.

        Raises:
            Inconclusive: it goes on for two minutes.
        """
        for _ in range(_LOOKS):
            if _status(caller.reply_to(self.store(b""))) is not wire.Status.NFS4ERR_GRACE:
                return  # what else may be wrong is for the cases to find
            caller.wait(_LOOK)
        raise Inconclusive("the server is in its grace period, and does not leave it")

    def null(self) -> Request:
        """NULL."""
        return Request("NULL", nfs4.null, lambda _call, _reply: "", self._layer)

    def small(self) -> Request:
        """The root's file handle."""
        return self._compound("PUTROOTFH, GETFH", (nfs4.put_root(), nfs4.get_handle()), _succeeds)

    def fetch(self, length: int) -> Request:
        """READ of the beginning of the largest file."""
        return self._read(pages.LARGEST.name, 0, length, pages.LARGEST.content[:length])

    def fetch_aside(self, length: int, page: int) -> Request:
        """READ of one of the last pages of the largest file."""
        start = pages.start_of(page, pages.LARGEST.size)
        return self._read(
            pages.LARGEST.name, start, length, pages.LARGEST.content[start : start + length]
        )

    def untouched(self) -> Mapping[str, Request]:
        """READs of the files that only READs are about."""
        return pages.untouched(self._read)

    def fetch_two(self, first: int, second: int) -> Request:
        """Two READs of the largest file's beginning."""
        content = pages.LARGEST.content
        return self._compound(
            f"READs of {first} and {second} octets",
            (*self._at(pages.LARGEST.name), nfs4.read(0, first), nfs4.read(0, second)),
            lambda reply: _reads(reply, content[:second]) or _reads(reply, content[:first], -2),
        )

    def read_link(self) -> Request:
        """READLINK of the suite's link."""
        return self._compound(
            "READLINK",
            (*self._at(LINK.name), nfs4.read_link()),
            lambda reply: _points_to(reply, LINK.target.encode()),
        )

    def fetch_nothing(self) -> Request:
        """READ after a LOOKUP that fails: the READ is not reached."""
        return self._compound(
            "READ after a failing LOOKUP", (*self._at("no-such-file"), nfs4.read(0, 512)), _fails
        )

    def store(self, data: bytes) -> Request:
        """WRITE."""
        return self._compound(
            f"WRITE of {len(data)} octets",
            (*self._at(WRITABLE.name), nfs4.write(self._written, data)),
            _succeeds,
        )

    def store_two(self, first: bytes, second: bytes) -> Request:
        """Two WRITEs, the second after the octets of the first."""
        return self._compound(
            f"WRITEs of {len(first)} and {len(second)} octets",
            self._two_writes(first, second),
            _succeeds,
        )

    def store_two_and_more(self, first: bytes, second: bytes) -> Request:
        """Two WRITEs, and GETFH."""
        return self._compound(
            f"WRITEs of {len(first)} and {len(second)} octets, and GETFH",
            (*self._two_writes(first, second), nfs4.get_handle()),
            _succeeds,
        )

    def stored(self, data: bytes, start: int = 0) -> Request | None:
        """READ of what WRITE wrote."""
        content = data[start:]
        return self._compound(
            f"READ of the {len(content)} octets written",
            (*self._at(WRITABLE.name), nfs4.read(self._written + start, len(content))),
            lambda reply: _reads(reply, content),
        )

    def refusal(self, reply: bytes) -> str:
        """NFS4ERR_BADXDR, which a server may give where RPC has GARBAGE_ARGS."""
        status = _status(reply)
        return status.name if status is wire.Status.NFS4ERR_BADXDR else ""

    def long_call(self, length: int) -> Request:
        """WRITE, whose data stays in the stream unless a scenario reduces it.

        NFSv4.0 has no large argument that is not DDP-eligible: compounds of many operations end in
        NFS4ERR_RESOURCE.  Any item may stay in a Long Call (rfc8166 3.5.3), so WRITE will do.
        """
        return self.store(pattern(length, 3))

    def long_reply(self, length: int) -> Request:
        """READDIR of the large directory."""
        maximum = max(length * 2, 4096)
        return self._compound(
            f"READDIR of at most {maximum} octets",
            (*self._at(DIRECTORY.name), nfs4.read_directory(maximum, 1)),
            _succeeds,
        )

    def long_fetch(self, length: int, data: int) -> Request:
        """READDIR of the large directory, and READ."""
        maximum = max(length * 2, 4096)
        content = pages.LARGEST.content[:data]
        return self._compound(
            f"READDIR of at most {maximum} octets, READ of {data}",
            (
                *self._at(DIRECTORY.name),
                nfs4.read_directory(maximum, 1),
                *self._at(pages.LARGEST.name),
                nfs4.read(0, data),
            ),
            lambda reply: _reads(reply, content),
        )

    def garbage(self) -> Request:
        """A COMPOUND whose arguments are cut off."""
        whole = self._compound("", (nfs4.put_root(),), _succeeds).encode
        head = len(nfs4.compound(0, credential=self._credential)) - 12
        return Request(
            "COMPOUND without arguments",
            lambda xid: whole(xid)[:head],
            lambda _call, _reply: "",
            self._layer,
        )

    def _read(self, name: str, start: int, length: int, content: bytes) -> Request:
        return self._compound(
            f"READ of {length} octets",
            (*self._at(name), nfs4.read(start, length)),
            lambda reply: _reads(reply, content),
        )

    def _two_writes(self, first: bytes, second: bytes) -> tuple[wire.ArgumentOperation, ...]:
        start = self._written
        writes = nfs4.write(start, first), nfs4.write(start + len(first), second)
        return (*self._at(WRITABLE.name), *writes)

    def _at(self, name: str) -> tuple[wire.ArgumentOperation, ...]:
        return nfs4.at(f"{self._export}/{name}")

    def _compound(
        self,
        title: str,
        operations: tuple[wire.ArgumentOperation, ...],
        check: Callable[[wire.CompoundResult], str],
    ) -> Request:
        return Request(
            title,
            lambda xid: nfs4.compound(xid, *operations, credential=self._credential),
            lambda _call, reply: _parsed(reply, check),
            self._layer,
            lambda reply: _status(reply) not in (None, wire.Status.NFS4_OK),
        )


def _status(reply: bytes) -> wire.Status | None:
    """Of a COMPOUND; None if the reply is no such thing."""
    try:
        return nfs4.parse(reply).status
    except DecodeError:
        return None


def _parsed(reply: bytes, check: Callable[[wire.CompoundResult], str]) -> str:
    try:
        result = nfs4.parse(reply)
    except DecodeError as error:
        return f"the results cannot be decoded: {error}"
    if result.status == wire.Status.NFS4ERR_GRACE:
        # RFC 7530 9.6.2: what a server that has just started may say, whatever the transport did.
        raise Inconclusive("the server is in its grace period, as it is for a while after a start")
    return check(result)


def _succeeds(result: wire.CompoundResult) -> str:
    return "" if result.status == 0 else f"the COMPOUND ended with status {in_words(result.status)}"


def _fails(result: wire.CompoundResult) -> str:
    return "" if result.status != 0 else "the COMPOUND succeeded where it must fail"


def _points_to(result: wire.CompoundResult, path: bytes) -> str:
    """Whether the last operation is a READLINK that returned the path."""
    if problem := _succeeds(result):
        return problem
    found = result.resarray[-1] if result.resarray else None
    if not isinstance(found, wire.ReadlinkResult) or not isinstance(
        found.outcome, wire.ReadlinkDone
    ):
        return f"the result is {_kind(found)}, not that of a READLINK"
    problem = differing(found.outcome.link, path)
    return problem and f"the READLINK returned another path: {problem}"


def _reads(result: wire.CompoundResult, content: bytes, index: int = -1) -> str:
    """Whether the operation at `index` is a READ that returned `content`."""
    if problem := _succeeds(result):
        return problem
    if len(result.resarray) < abs(index):
        return f"there are {len(result.resarray)} results, and none of a READ"
    found = result.resarray[index]
    if not isinstance(found, wire.ReadResult) or not isinstance(found.outcome, wire.ReadDone):
        return f"the result is {_kind(found)}, not that of a READ"
    problem = differing(found.outcome.data, content)
    return problem and f"the READ returned other data than the file's: {problem}"


def _kind(result: wire.ResultOperation | None) -> str:
    return "none" if result is None else constant_of(type(result))
