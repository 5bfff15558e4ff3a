"""What an NFSv4 server remembers of its clients: opens, delegations, sessions and their stateids.

    RFC 7530 section 9      File Locking and Share Reservations
    RFC 7530 section 9.1.7  Sequencing of Lock Requests
    RFC 5661 section 2.4    Client Identifiers and Client Owners
    RFC 5661 section 8.2    Stateid Definition

One `Nfs4State` is shared by every connection of a server, as the file store is; a
`ConnectionBinding` belongs to one connection.  There is no clock, so leases never end; instead the
number of clients is bounded, and a new one displaces the oldest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.nfs4_compound import Nfs4Refused
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.ulp.file_node import FileNode
    from rpcrdma.ulp.nfs4_callback import Nfs4Backchannel
    from rpcrdma.ulp.nfs4_slots import Slot

__all__ = [
    "CLIENTS_MAXIMUM",
    "OPENS_MAXIMUM",
    "ConnectionBinding",
    "Delegation",
    "Nfs4Client",
    "Nfs4Options",
    "Nfs4Session",
    "Nfs4State",
    "Open",
    "OpenOwner",
]

CLIENTS_MAXIMUM: Final = 64
"""Clients, confirmed or not, that are remembered at one time."""

OPENS_MAXIMUM: Final = 4096
"""Opens and delegations of all clients together."""

EXCLUSIVE_REMEMBERED: Final = 64
"""Files created exclusively whose creation may still be repeated."""

CLOSED_REMEMBERED: Final = 64
"""Closed opens whose CLOSE may still be repeated."""


@dataclass(frozen=True, slots=True)
class Nfs4Options:
    """What a server grants that not every transport can carry.

    Attributes:
        backchannel: whether a connection may become the backchannel of a session.
        delegations: whether an OPEN for reading alone gets a delegation, if its session has a
            backchannel on which it could be recalled.
    """

    backchannel: bool = False
    delegations: bool = False


@dataclass(slots=True, eq=False)
class ConnectionBinding:
    """What NFS made of one connection.

    Attributes:
        backchannel: the backchannel that this connection is bound to; None while there is none, and
            then no callback may be sent on it (bidir section 2.2.3).
    """

    backchannel: Nfs4Backchannel | None = None


@dataclass(slots=True, eq=False)
class Nfs4Session:
    """A session of NFSv4.1 (RFC 5661 2.10)."""

    id: bytes
    client: Nfs4Client
    fore: wire.ChannelAttributes
    backchannel: Nfs4Backchannel | None
    slots: list[Slot]
    back_connection: ConnectionBinding | None = None


@dataclass(slots=True, eq=False)
class OpenOwner:
    """Somebody at a client who opens files.

    Attributes:
        client: where it is.
        name: the client's opaque name of it.
        sequence: the seqid of its last request; None before the first (NFSv4.0 only).
        last: that request, its status and its result, to be repeated.
    """

    client: Nfs4Client
    name: bytes
    sequence: int | None = None
    last: tuple[wire.ArgumentOperation, Status, wire.ResultOperation] | None = None


@dataclass(slots=True, eq=False)
class Nfs4Client:
    """A client, or an attempt to become one that was not confirmed yet."""

    number: int
    minor: int
    owner: bytes
    verifier: bytes
    confirm: bytes = b""
    confirmed: bool = False
    owners: dict[bytes, OpenOwner] = field(default_factory=dict)
    creation_sequence: int = 0
    creation: wire.CreateSessionDone | None = None

    def open_owner(self, name: bytes) -> OpenOwner:
        """The owner of that name; a new one if need be."""
        return self.owners.setdefault(name, OpenOwner(self, name))


@dataclass(slots=True, eq=False)
class Open:
    """A file that an owner has open."""

    other: bytes
    owner: OpenOwner
    node: FileNode
    access: int
    deny: int
    sequence: int = 1

    @property
    def client(self) -> Nfs4Client:
        """Whose it is."""
        return self.owner.client

    @property
    def stateid(self) -> wire.StateId:
        """What names it to the client."""
        return wire.StateId(self.sequence, self.other)


@dataclass(slots=True, eq=False)
class Delegation:
    """A read delegation that a client holds; `recalled` once it was asked for."""

    other: bytes
    client: Nfs4Client
    node: FileNode
    recalled: bool = False
    sequence: int = 1

    @property
    def stateid(self) -> wire.StateId:
        """What names it to the client."""
        return wire.StateId(self.sequence, self.other)


class Nfs4State:
    """All clients of a server."""

    def __init__(self, options: Nfs4Options | None = None) -> None:
        self.options = options or Nfs4Options()
        self.clients: dict[int, Nfs4Client] = {}
        self.sessions: dict[bytes, Nfs4Session] = {}
        self.delegations: dict[bytes, Delegation] = {}
        self._exclusive: dict[int, bytes] = {}
        self._opens: dict[bytes, Open] = {}
        self._closed: dict[bytes, OpenOwner] = {}
        self._last = 0

    # -- clients

    def new_client(self, minor: int, owner: bytes, verifier: bytes) -> Nfs4Client:
        """A client that still has to confirm itself."""
        while len(self.clients) >= CLIENTS_MAXIMUM:
            self.drop_client(next(iter(self.clients.values())))
        number = self._next()
        client = Nfs4Client(number, minor, owner, verifier, confirm=b"%08d" % number)
        self.clients[number] = client
        return client

    def client(self, number: int, minor: int) -> Nfs4Client:
        """The client of a number.

        Raises:
            Refused: there is none (any more).
        """
        client = self.clients.get(number)
        if client is None or client.minor != minor:
            raise Nfs4Refused(Status.NFS4ERR_STALE_CLIENTID)
        return client

    def by_owner(self, minor: int, owner: bytes) -> Iterator[Nfs4Client]:
        """Every client, confirmed or not, that gave itself this name."""
        found = [c for c in self.clients.values() if c.minor == minor and c.owner == owner]
        return iter(found)

    def drop_client(self, client: Nfs4Client) -> None:
        """Forget a client and everything that it holds."""
        del self.clients[client.number]
        for other in [o.other for o in self._opens.values() if o.client is client]:
            del self._opens[other]
        for other in [d.other for d in self.delegations.values() if d.client is client]:
            del self.delegations[other]
        for session in [s for s in self.sessions.values() if s.client is client]:
            self.drop_session(session)

    def confirm(self, client: Nfs4Client) -> None:
        """A client proved itself; earlier lives of it end (RFC 7530 16.34.5, RFC 5661 18.36.3)."""
        for other in self.by_owner(client.minor, client.owner):
            if other is not client:
                self.drop_client(other)
        client.confirmed = True

    # -- sessions

    def drop_session(self, session: Nfs4Session) -> None:
        """End a session; no callback goes out on it from here on."""
        del self.sessions[session.id]
        if session.back_connection is not None:
            session.back_connection.backchannel = None

    def new_session_id(self) -> bytes:
        """A session id that was never given before."""
        return b"session-%08d" % self._next()

    # -- opens

    def opens_of(self, node: FileNode) -> Iterator[Open]:
        """Every open of a file."""
        return (entry for entry in self._opens.values() if entry.node is node)

    def holdings(self, client: Nfs4Client) -> int:
        """How many opens and delegations a client has."""
        opens = sum(entry.client is client for entry in self._opens.values())
        return opens + sum(entry.client is client for entry in self.delegations.values())

    def add_open(self, owner: OpenOwner, node: FileNode, access: int, deny: int) -> Open:
        """Open a file, or widen the open that this owner has of it.

        Raises:
            Refused: another open denies it, or there is no room.
        """
        mine: Open | None = None
        for entry in self.opens_of(node):
            if entry.owner is owner:
                mine = entry
            elif entry.deny & access or entry.access & deny:
                raise Nfs4Refused(Status.NFS4ERR_SHARE_DENIED)
        if mine is not None:
            mine.access |= access
            mine.deny |= deny
            mine.sequence += 1
            return mine
        self._check_room()
        made = Open(b"open-%07d" % self._next(), owner, node, access, deny)
        self._opens[made.other] = made
        return made

    def close(self, entry: Open) -> None:
        """Close a file; who had it open may repeat that."""
        del self._opens[entry.other]
        self._closed[entry.other] = entry.owner
        if len(self._closed) > CLOSED_REMEMBERED:
            del self._closed[next(iter(self._closed))]

    def owner_of(self, stateid: wire.StateId) -> OpenOwner | None:
        """Whose open this is, or was until a short time ago."""
        entry = self._opens.get(stateid.other)
        return entry.owner if entry is not None else self._closed.get(stateid.other)

    def find_open(self, stateid: wire.StateId, minor: int) -> Open:
        """The open of a stateid.

        Raises:
            Refused: there is none, or the stateid is not the latest.
        """
        entry = self._opens.get(stateid.other)
        if entry is None or entry.client.minor != minor:
            raise Nfs4Refused(Status.NFS4ERR_BAD_STATEID)
        judge_sequence(stateid, entry.sequence, minor)
        return entry

    def note_exclusive(self, node: FileNode, verifier: bytes) -> None:
        """A file was created exclusively; only who knows the verifier may repeat that."""
        self._exclusive[node.number] = verifier
        if len(self._exclusive) > EXCLUSIVE_REMEMBERED:
            del self._exclusive[next(iter(self._exclusive))]

    def exclusive_verifier(self, node: FileNode) -> bytes | None:
        """The verifier with which a file was created, if it was not long ago."""
        return self._exclusive.get(node.number)

    # -- delegations

    def add_delegation(self, client: Nfs4Client, node: FileNode) -> Delegation:
        """Delegate a file for reading.

        Raises:
            Refused: there is no room.
        """
        self._check_room()
        made = Delegation(b"dlgt-%07d" % self._next(), client, node)
        self.delegations[made.other] = made
        return made

    def find_delegation(self, stateid: wire.StateId, minor: int) -> Delegation:
        """The delegation of a stateid.

        Raises:
            Refused: there is none, or the stateid is not the latest.
        """
        entry = self.delegations.get(stateid.other)
        if entry is None or entry.client.minor != minor:
            raise Nfs4Refused(Status.NFS4ERR_BAD_STATEID)
        judge_sequence(stateid, entry.sequence, minor)
        return entry

    def _check_room(self) -> None:
        if len(self._opens) + len(self.delegations) >= OPENS_MAXIMUM:
            raise Nfs4Refused(Status.NFS4ERR_DELAY)

    def _next(self) -> int:
        self._last += 1
        return self._last


def judge_sequence(stateid: wire.StateId, latest: int, minor: int) -> None:
    """Compare the sequence number of a stateid with the latest that was given.

    Raises:
        Refused: it is older, or from the future.
    """
    if minor and stateid.seqid == 0:
        return  # RFC 5661 8.2.2: the latest, whichever it is
    if stateid.seqid < latest:
        raise Nfs4Refused(Status.NFS4ERR_OLD_STATEID)
    if stateid.seqid > latest:
        raise Nfs4Refused(Status.NFS4ERR_BAD_STATEID)
