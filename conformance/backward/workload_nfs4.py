"""What has an NFSv4.1 server call back: delegations of files that somebody else then writes to.

    RFC 5661 section 10.4    Open Delegation: a conflicting WRITE has the server recall it
    RFC 5661 section 18.36   CREATE_SESSION makes the connection the session's backchannel
    RFC 5661 section 18.34   BIND_CONN_TO_SESSION, after a reconnection
    RFC 5661 section 18.37   DESTROY_SESSION; 18.50, DESTROY_CLIENTID
    RFC 8267 section 6.5     nothing in a callback is DDP-eligible
    bidir section 2.2.3      the session says that the client is prepared

Each Call is a CB_COMPOUND of CB_SEQUENCE and CB_RECALL, whose size nobody can choose; nobody counts
them either.  The writer belongs to no client (it is NFSv4.0's, with the anonymous stateid) and
writes nothing: no octet of a file changes.
"""

from __future__ import annotations

import secrets
from functools import cache
from itertools import count, cycle
from multiprocessing import current_process
from typing import TYPE_CHECKING, Final, TypeVar

from typing_extensions import override

from conformance.backward.workload import BackwardWorkload, Pause
from conformance.tester.case import Inconclusive
from conformance.tester.sent import Request
from rpcrdma.errors import DecodeError, RemoteProtocolError
from rpcrdma.ulp import nfs4, rpc
from rpcrdma.ulp.file_tree import DIRECTORY
from rpcrdma.ulp.nfs4_session_client import SessionClient, opened
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.backward.workload import Steps
    from rpcrdma.ulp.backprog import Tally
    from targets.profile import Profile

__all__ = ["Nfs4Backward"]

T = TypeVar("T")

_FILES: Final = cycle(DIRECTORY.entries)
"""Each delegation is of another file: what was recalled a short while ago is not given again."""

_TRIES: Final = len(DIRECTORY.entries)
"""OPENs until it is clear that there are no delegations: one that has recalled many gives few."""

_FORGOTTEN: Final = 31.0
"""Seconds after which a server gives again what it has recalled.  Linux keeps two sets of what it
has recalled, fills one of them for 30 s, and empties the other (`delegation_blocked`); both are
small enough to be full after some hundred files."""

_PAUSES: Final = 2
"""After both sets were emptied, nothing of before is remembered."""

_GIVEN: Final[set[str]] = set()
"""Profiles whose server has given a delegation to this process: one that gives none now will."""

_OWNERS: Final = count(1)
"""In the names of clients, beside the name of the process: in `certify -n` there are several at the
same time, and they are called the same in the next run."""

_INSTANCE: Final = secrets.token_bytes(8)
"""Of this run: a server forgets what clients of these names had in an earlier one."""


class Nfs4Backward(BackwardWorkload):
    """A client with one session, and a writer who gets in its way.

    Attributes:
        client: the session's.
        many: see `BackwardWorkload`.  Few, since a server remembers for a while what it recalled,
            and refuses delegations of these files, and of others that it takes for them.
    """

    many = 24

    def __init__(self, profile: Profile) -> None:
        self._name = profile.name
        self._folder = f"{profile.extra.export}/{DIRECTORY.name}"
        self._credential = rpc.auth_sys(profile.extra.uid, profile.extra.gid)
        self._replies: dict[bytes, bytes] = {}
        owner = f"backward tester {next(_OWNERS)} of {current_process().name}"
        self.client = SessionClient(owner.encode(), _INSTANCE, credential=self._credential)

    def introduce(self) -> Steps:
        """A client id, without a session.

        Raises:
            Inconclusive: the server gives none.
        """
        reply = yield self._request("EXCHANGE_ID", self.client.exchange_id)
        _taken(self.client.take_client_id, reply)

    def announce(self) -> Steps:
        """A session with the connection as backchannel, or the connection for the session.

        Raises:
            Inconclusive: the server gives none.
        """
        client = self.client
        if client.session is not None:
            reply = yield self._request("BIND_CONN_TO_SESSION", client.bind_connection)
            _taken(client.take_binding, reply)
        else:
            if client.client_id is None:
                yield from self.introduce()
            reply = yield self._request("CREATE_SESSION", client.create_session)
            _taken(client.take_session, reply)
            reply = yield self._request("RECLAIM_COMPLETE", client.reclaim_complete)
            _taken(client.take, reply)
        if not client.has_backchannel:
            raise Inconclusive("the server does not take the connection for a backchannel")

    def provoke(self, calls: int, length: int = 0) -> Steps:
        """Get delegations, then have each recalled.

        Raises:
            Unsupported: there is no session yet, or Calls of some size are wanted.
            Inconclusive: the server gives fewer delegations than Calls are wanted.
        """
        if length:
            raise Unsupported("the Upper-Layer Protocol chooses how large a callback is")
        if self.client.session is None:
            raise Unsupported("without a session there is nothing to call back about")
        handles: list[bytes] = []
        pauses = tries = 0
        while len(handles) < calls:
            if tries == _TRIES:
                if pauses == _PAUSES or self._name not in _GIVEN:
                    raise Inconclusive(f"the server gave {len(handles)} of {calls} delegations")
                yield Pause(_FORGOTTEN)
                pauses, tries = pauses + 1, 0
            tries += 1
            reply = yield self._request("OPEN that wants a delegation", self._open(next(_FILES)))
            result = _taken(lambda payload: opened(self.client.take(payload)), reply)
            if result.delegation is not None:
                _GIVEN.add(self._name)
                self.client.callbacks.hold(result.delegation, result.handle)
                handles.append(result.handle)
        for handle in handles:
            yield self._request("WRITE in the way of a delegation", self._write(handle))

    def leave(self) -> Steps:
        """Neither a session nor a client id any more; what is open is the server's to forget.

        Raises:
            Unsupported: the server does not know this client.
            Inconclusive: the server refuses, as it may while something is open.
        """
        client = self.client
        if client.client_id is None:
            raise Unsupported("the server does not know this client")
        if client.session is not None:
            reply = yield self._request("DESTROY_SESSION", client.destroy_session)
            _taken(client.take_end, reply)
        yield self._request("DESTROY_CLIENTID", client.destroy_client_id)
        client.client_id = None

    @override
    def tally(self) -> Request:
        raise Unsupported("an NFSv4.1 server does not tell what became of its callbacks")

    @override
    def read_tally(self, reply: bytes) -> Tally:
        raise Unsupported(f"there is no count of callbacks, nor in {len(reply)} octets")

    def answer(self, call: bytes) -> bytes:
        """Of the callback program; a Call that came before gets the Reply that it got."""
        if call not in self._replies:
            self._replies[call] = b"".join(self.client.callbacks.execute(call))
        return self._replies[call]

    @override
    def longest(self, threshold: int) -> int:
        raise Unsupported(f"nobody can have a server make a callback of {threshold} octets")

    def _open(self, name: str) -> Callable[[int], bytes]:
        return lambda xid: self.client.open_wanting_delegation(xid, self._folder, name)

    def _write(self, handle: bytes) -> Callable[[int], bytes]:
        operations = nfs4.put_handle(handle), nfs4.write(0, b"")
        return lambda xid: nfs4.compound(xid, *operations, credential=self._credential)

    def _request(self, title: str, encode: Callable[[int], bytes]) -> Request:
        """A request whose call is made once: each takes a slot of the session."""
        return Request(title, cache(encode), lambda _call, _reply: "", self.client.layer)


def _taken(take: Callable[[bytes], T], reply: bytes) -> T:
    """What the session makes of a reply."""
    try:
        return take(reply)
    except (DecodeError, RemoteProtocolError) as error:
        raise Inconclusive(f"the server gives no session with callbacks: {error}") from error
