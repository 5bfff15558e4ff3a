"""The workload of NFSv3: READ, WRITE, READDIRPLUS and friends on the suite's file tree.

    RFC 8267 section 4    Upper-Layer Binding for NFS Versions 2 and 3

Calls need file handles, which only the server can give: `Nfs3Workload.prepare` asks for them by
LOOKUP when the run begins, from the export's root on.  That one's handle is in the profile, or
comes from the MOUNT protocol by TCP.

A call of NFSv3 has one DDP-eligible item at most, and none besides a long argument or result that
is not eligible: what scenarios ask for beyond that stays refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from conformance.tester.case import Inconclusive
from conformance.tester.data import differing
from conformance.tester.sent import Request
from conformance.tester.workload import pages
from conformance.tester.workload.base import NullWorkload
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import gss, nfs3, rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import DIRECTORY, LINK, WRITABLE, pieces
from rpcrdma.ulp.gss_mechanism import MOCK
from rpcrdma.ulp.gss_program import GssLayer
from rpcrdma.ulp.nfs3_binding import LARGEST_FIXED
from rpcrdma.ulp.nfs3_server import Nfs3Program
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire.words import in_words
from targets.base import TargetError
from targets.nfs.mount_client import export_handle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.workload.base import Caller
    from rpcrdma.ulp.bindings import ReplyExpectation
    from rpcrdma.ulp.gss_context import GssInitiator
    from targets.profile import Profile

__all__ = ["Nfs3Workload"]


class _RoomForListings(Nfs3Program):
    """The binding, with more room for READDIRPLUS than the call allows the server to fill.

    RFC 1813 3.3.17 has `maxcount` bound all of READDIRPLUS3resok.  Linux's server (6.1) bounds the
    list of entries by it, and sends the attributes of the directory and the verifier on top; its
    client provides for that.  A Reply chunk without that room would get ERR_CHUNK, which says
    nothing about the transport.
    """

    @override
    def expectation(self, call: bytes) -> ReplyExpectation:
        strict = super().expectation(call)
        return replace(strict, maximum=strict.maximum + _ON_TOP)


_ON_TOP: Final = LARGEST_FIXED[wire.NFS_V3.NFSPROC3_GETATTR] + wire.NFS3_COOKIEVERFSIZE
"""Octets of optional attributes (as many as those of GETATTR after its status) and a verifier."""


class Nfs3Workload(NullWorkload):
    """NFSv3 calls on the export; what the base class refuses and is not here stays refused."""

    def __init__(
        self, profile: Profile, initiator: Callable[[], GssInitiator | None] = lambda: None
    ) -> None:
        super().__init__(profile)
        self._initiator = initiator
        self._layer = Nfs3Program(FileStore(()))  # asked for its binding only
        self._listings = _RoomForListings(FileStore(()))
        self._profile = profile
        self._credential = rpc.auth_sys(profile.extra.uid, profile.extra.gid)
        self._handles: dict[str, bytes] = {}

    def prepare(self, caller: Caller) -> None:
        """Get the file handles, on a connection that does not belong to a case.

        Raises:
            Inconclusive: the server does not give them.
        """
        root = self._root()
        found = {"": root}
        watched = (file.name for file, _, _ in pieces(pages.PIECE))
        named = (pages.LARGEST.name, WRITABLE.name, DIRECTORY.name, LINK.name, *watched)
        for name in dict.fromkeys(named):
            request = self._request(f"LOOKUP of {name}", nfs3.lookup(root, name.encode()), _any)
            problem, found[name] = _looked_up(caller.reply_to(request))
            if problem:
                raise Inconclusive(f"the server has no `{name}` in its export: {problem}")
        self._handles = found

    def null(self) -> Request:
        """NULL."""
        return self._request("NULL", nfs3.null(), _any)

    def small(self) -> Request:
        """The root's attributes."""
        ask = nfs3.get_attributes(self._handle(""))
        return self._request(
            "GETATTR", ask, _parsed(wire.decode_getattr_result, _is(wire.GetattrDone))
        )

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

    def read_link(self) -> Request:
        """READLINK of the suite's link."""
        ask = nfs3.read_link(self._handle(LINK.name))
        check = _parsed(wire.decode_readlink_result, _points_to)
        return self._request("READLINK", ask, check)

    def fetch_nothing(self) -> Request:
        """READ of a directory, which fails."""
        ask = nfs3.read(self._handle(DIRECTORY.name), 0, 512)
        check = _parsed(wire.decode_read_result, _is(wire.ReadFailed))
        return self._request("READ of a directory", ask, check)

    def store(self, data: bytes) -> Request:
        """WRITE."""
        ask = nfs3.write(self._handle(WRITABLE.name), self._profile.extra.write_offset, data)
        check = _parsed(wire.decode_write_result, _is(wire.WriteDone))
        request = self._request(f"WRITE of {len(data)} octets", ask, check)
        return replace(request, fails=_ends(wire.decode_write_result, wire.WriteFailed))

    def stored(self, data: bytes, start: int = 0) -> Request | None:
        """READ of what WRITE wrote."""
        content, first = data[start:], self._profile.extra.write_offset + start
        return self._read(WRITABLE.name, first, len(content), content)

    def long_call(self, length: int) -> Request:
        """WRITE, whose data stay in the stream unless a scenario reduces them.

        NFSv3 has no large argument that is not DDP-eligible.  Any item may stay in a Long Call
        (rfc8166 3.5.3), so WRITE will do.
        """
        return self.store(pattern(length, 3))

    def long_reply(self, length: int) -> Request:
        """READDIRPLUS of the large directory."""
        maximum = max(length * 2, 4096)
        ask = nfs3.read_directory_plus(self._handle(DIRECTORY.name), maximum)
        check = _parsed(wire.decode_readdir_plus_result, _is(wire.ReaddirPlusDone))
        title = f"READDIRPLUS of at most {maximum} octets"
        fails = _ends(wire.decode_readdir_plus_result, wire.ReaddirPlusFailed)
        return replace(self._request(title, ask, check), layer=self._listings, fails=fails)

    def initiator(self) -> GssInitiator | None:
        """By Kerberos, if the session has a ticket."""
        return self._initiator()

    def ask_for_context(self, token: bytes) -> Request:
        """RPCSEC_GSS_INIT."""
        initiator = self.initiator()
        mechanism = MOCK if initiator is None else initiator.mechanism
        number, version = wire.NFS_PROGRAM, wire.NFS3_VERSION
        return Request(
            "RPCSEC_GSS_INIT",
            lambda xid: gss.init_call(xid, number, version, token),
            lambda _call, reply: _gives_a_context(reply),
            GssLayer(self._layer, mechanism),
        )

    def exchange(self, length: int) -> Request:
        """WRITE: NFSv3 has no procedure with data both ways."""
        return self.store(pattern(length, 8))

    def garbage(self) -> Request:
        """GETATTR without its arguments."""
        return self._request(
            "GETATTR without arguments", nfs3.Ask(wire.NFS_V3.NFSPROC3_GETATTR), _any
        )

    def _read(self, name: str, start: int, length: int, content: bytes) -> Request:
        ask = nfs3.read(self._handle(name), start, length)
        check = _parsed(wire.decode_read_result, lambda result: _reads(result, content))
        request = self._request(f"READ of {length} octets", ask, check)
        return replace(request, fails=_ends(wire.decode_read_result, wire.ReadFailed))

    def _handle(self, name: str) -> bytes:
        if not self._handles:
            raise Inconclusive("no file handles were got from the server")
        return self._handles[name]

    def _root(self) -> bytes:
        extra = self._profile.extra
        if extra.root_handle:
            return bytes.fromhex(extra.root_handle)
        try:
            return export_handle(
                extra.address,
                extra.mount_port,
                extra.export,
                self._credential,
                self._profile.deadline,
            )
        except TargetError as error:
            raise Inconclusive(str(error)) from error

    def _request(self, title: str, ask: nfs3.Ask, check: Callable[[bytes], str]) -> Request:
        return Request(
            title,
            lambda xid: nfs3.call(xid, ask, credential=self._credential),
            lambda _call, reply: check(reply),
            self._layer,
        )


def _gives_a_context(reply: bytes) -> str:
    try:
        gss.given(reply)
    except DecodeError as error:
        return f"it gives no context: {error}"
    return ""


def _any(_reply: bytes) -> str:
    return ""


def _parsed(
    decode: Callable[[bytes, int], tuple[object, int]], check: Callable[[object], str]
) -> Callable[[bytes], str]:
    def checked(reply: bytes) -> str:
        try:
            return check(nfs3.parse(reply, decode))
        except DecodeError as error:
            return f"the results cannot be decoded: {error}"

    return checked


def _ends(
    decode: Callable[[bytes, int], tuple[object, int]], failure: type
) -> Callable[[bytes], bool]:
    """Whether results can be decoded, and are the arm of a failure."""

    def fails(reply: bytes) -> bool:
        try:
            return isinstance(nfs3.parse(reply, decode), failure)
        except DecodeError:
            return False

    return fails


def _is(wanted: type) -> Callable[[object], str]:
    def check(result: object) -> str:
        if isinstance(result, wanted):
            return ""
        status = getattr(result, "status", wire.Status.NFS3_OK)
        return f"the procedure ended with status {in_words(status)}"

    return check


def _reads(result: object, content: bytes) -> str:
    """Whether the results are those of a READ that returned `content`."""
    if not isinstance(result, wire.ReadDone):
        return _is(wire.ReadDone)(result)
    problem = differing(result.data, content)
    return problem and f"the READ returned other data than the file's: {problem}"


def _points_to(result: object) -> str:
    """Whether the results are those of a READLINK of the suite's link."""
    if not isinstance(result, wire.ReadlinkDone):
        return _is(wire.ReadlinkDone)(result)
    problem = differing(result.data, LINK.target.encode())
    return problem and f"the READLINK returned another path: {problem}"


def _looked_up(reply: bytes) -> tuple[str, bytes]:
    """What is wrong with a reply to LOOKUP, if anything, and the handle in it."""
    try:
        result = nfs3.parse(reply, wire.decode_lookup_result)
    except DecodeError as error:
        return f"the reply to LOOKUP cannot be decoded: {error}", b""
    if isinstance(result, wire.LookupFailed):
        return f"LOOKUP ended with status {in_words(result.status)}", b""
    return "", result.object.data
