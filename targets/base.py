"""What an adapter for a device under test (DUT) implements.

A `Target` is a device that can be set going; a `Session` is the device while it runs.  The suite
asks an adapter for little: the fabric on which the tester stands, the address at which the device
listens, whether it still lives, and to be started again after a case has brought it down.

A device in the Requester role is a `ClientTarget` and runs as a `ClientSession`: there the tester
listens, and the adapter makes the device connect and act (ISO/IEC 9646 calls that the *upper
tester*).  An `Act` is something that any client of the program can be brought to do, in words that
do not depend on the program; `RunningAct` is one that has begun.  Which acts a device can be
brought to is for the adapter to say.

An adapter that cannot do what it is asked says so with `Unsupported`; it never pretends.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rpcrdma.fabric.base import Address, Fabric
    from rpcrdma.ulp.gss_context import GssInitiator, GssMechanism
    from targets.profile import Profile

__all__ = [
    "Act",
    "ActKind",
    "ActResult",
    "ActState",
    "ClientSession",
    "ClientTarget",
    "HasConsole",
    "HasInitiator",
    "HasMechanism",
    "Renewable",
    "RunningAct",
    "Session",
    "Target",
    "TargetError",
    "TargetFactory",
    "Unsupported",
    "nearest",
]


class TargetError(Exception):
    """A target cannot be found, started or reached; the message says why and what to do.

    The command line prints it as its one sentence and exits with status 2.
    """


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a `TargetError` that offers the name most like a word; empty if none is."""
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


class Unsupported(Exception):  # an answer, not an error
    """The adapter (or the profile's binding) cannot do this; the message says what and why."""


class Session(Protocol):
    """A running device."""

    @property
    def fabric(self) -> Fabric:
        """Where the tester stands.  On loopback, polling it gives the device its turns."""
        ...

    @property
    def address(self) -> Address:
        """Where the device listens (a device in the Responder role)."""
        ...

    def alive(self) -> str | None:
        """None while the device runs as far as can be told, else how it died, in a few words.

        Must not block and must not send the device anything: whether it still *serves* is for the
        suite to find out, by a good call.
        """
        ...

    def restart(self) -> None:
        """Start the device again, whatever state it is in; `fabric` may be another one afterwards.

        Raises:
            TargetError: it does not come up, or the adapter has no means to start it.
        """
        ...

    def close(self) -> None:
        """Stop the device (if the adapter started it) and release the fabric.  Twice is allowed."""
        ...


@runtime_checkable
class Renewable(Protocol):
    """A session that can start its device again at times only, or with its files made anew."""

    def renew(self) -> None:
        """Start the device again though it may live, where it can be with the files of its start.

        Raises:
            TargetError: only somebody else can, or it does not come up.
        """
        ...


@runtime_checkable
class HasConsole(Protocol):
    """A session, of either role, whose device runs in a machine that we read the console of."""

    def console(self) -> str:
        """What the machine that is there now has printed, also when it is dead."""
        ...


@runtime_checkable
class HasMechanism(Protocol):
    """A session of a client that makes calls under RPCSEC_GSS, if it can be brought to."""

    @property
    def mechanism(self) -> GssMechanism | None:
        """What gives out contexts for the tester's programs; None if there is nothing to."""
        ...


@runtime_checkable
class HasInitiator(Protocol):
    """A session of a server that takes calls under RPCSEC_GSS, if the tester can make them."""

    @property
    def initiator(self) -> GssInitiator | None:
        """What makes contexts with the server that runs now; None if there is nothing to."""
        ...


@runtime_checkable
class Target(Protocol):
    """A device that can be set going."""

    @property
    def name(self) -> str:
        """As it is called on the command line and in reports."""
        ...

    @property
    def profile(self) -> Profile:
        """Its claims and the extra information for testing it."""
        ...

    def start(self) -> Session:
        """Set the device going.

        Raises:
            TargetError: it does not come up.
            DeviceUnavailable: the fabric has no usable device.
        """
        ...


class ActKind(StrEnum):
    """What a client can be brought to do.  Every act ends by itself once it has been answered."""

    NULL = "null"
    """Make one call of the program's procedure 0."""
    SMALL = "small"
    """Make one call whose call and reply are both short."""
    READ = "read"
    """Fetch `length` octets by one call, or as few as the program allows."""
    WRITE = "write"
    """Store `length` octets by one call, or as few as the program allows."""
    LONG_CALL = "long-call"
    """Make a call that does not fit inline and holds nothing that may be reduced."""
    LONG_REPLY = "long-reply"
    """Make a call whose reply may not fit inline, with nothing in it that may be reduced."""
    MANY = "many"
    """Make `count` small calls at once, none of which waits for another."""
    MANY_READS = "many-reads"
    """Fetch `length` octets `count` times at once."""
    READ_TWO = "read-two"
    """Fetch `length` octets twice by one call, whose reply has two results."""
    READ_OPTIONAL = "read-optional"
    """Fetch two blocks of data each of which may be absent, in every way of being there or not."""
    WRITE_OPTIONAL = "write-optional"
    """Store a block of data that may be left out, by one call with it and by one without."""
    READ_ARRAY = "read-array"
    """Fetch results of about `length` octets, some of them absent, by one call."""
    WRITE_ARRAY = "write-array"
    """Store items of about `length` octets, one of them empty, by one call."""
    READ_ROWS = "read-rows"
    """Fetch an array of arrays, which is one item, by one call."""
    WRITE_ROWS = "write-rows"
    """Store an array of arrays, which is one item, by one call."""
    EXCHANGE_AUTHENTICATED = "exchange-authenticated"
    """Make a context of RPCSEC_GSS, if there is none yet, and under it, with the service "none",
    store `length` octets and fetch as many: by one call, or as few as the program allows."""
    EXCHANGE_INTEGRITY = "exchange-integrity"
    """The same with the integrity service."""
    EXCHANGE_PRIVACY = "exchange-privacy"
    """The same with the privacy service."""
    READ_AT = "read-at"
    """Fetch `length` octets from octet `offset` on, past any cache, by memory of any alignment."""
    READ_CACHED = "read-cached"
    """Fetch them by way of a cache that holds none of them; it may fetch more, and ahead."""
    READ_MAPPED = "read-mapped"
    """Fetch them by touching memory to which the file is mapped; likewise by that cache."""
    WRITE_AT = "write-at"
    """Store `length` octets from octet `offset` on, past any cache, and fetch them again."""
    WRITE_CACHED = "write-cached"
    """Store them by way of a cache, have that written back, and fetch them past it."""
    WRITE_MAPPED = "write-mapped"
    """Store them by having them put into memory to which the file is mapped; likewise."""
    MAKE_LINK = "make-link"
    """Make a symbolic link to a path of `length` octets (`letters`), fetch that, and remove it."""
    KEEP_LIST = "keep-list"
    """Give a file an access control list that holds `length` octets, and fetch these from it."""
    KEEP_ATTRIBUTE = "keep-attribute"
    """Give a file an extended attribute of `length` octets, fetch that, and remove it."""
    LIST_NAMES = "list-names"
    """Fetch the `count` names of a folder that holds as many, as lines in their order."""
    DISCONNECT = "disconnect"
    """End the connection in an orderly way."""
    ASK_SIZE = "ask-size"
    """Ask the server for Receives of `length` octets (xcharext 4.2), then make one call as NULL."""
    ASK_INVALIDATION = "ask-invalidation"
    """Ask the server not to have its memory invalidated, then make one call as NULL."""
    CHANGE_SIZE = "change-size"
    """Have Receives of `length` octets, and tell the server (xcharext 4.4); one call as NULL."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing for a client to do.

    Attributes:
        kind: what.
        length: octets to fetch or store; 0 where that means nothing, or where any will do.
        count: how many at once, or in all.
        offset: the first octet to fetch or store.
    """

    kind: ActKind
    length: int = 0
    count: int = 1
    offset: int = 0

    def __str__(self) -> str:
        words = [self.kind.value]
        if self.count != 1:
            words.append(f"{self.count} times")
        if self.length:
            words.append(f"{self.length} octets")
        if self.offset:
            words.append(f"from octet {self.offset} on")
        return " ".join(words)


class ActState(StrEnum):
    """How an act ended, from the point of view of the client's application."""

    DONE = "done"
    """Whatever was asked for was done."""
    FAILED = "failed"
    """The application was told of an error."""


@dataclass(frozen=True, slots=True)
class ActResult:
    """How an act ended.

    Attributes:
        state: well or badly.
        detail: the error in words; empty for `DONE`.
        data: octets that a READ gave the application; None where the adapter cannot tell.
        digest: SHA-256 of them in hexadecimal digits; empty where the adapter cannot tell.
    """

    state: ActState
    detail: str = ""
    data: bytes | None = None
    digest: str = ""

    @property
    def done(self) -> bool:
        """Whether the act ended well."""
        return self.state is ActState.DONE

    def __str__(self) -> str:
        return f"{self.state.value} ({self.detail})" if self.detail else self.state.value


class RunningAct(Protocol):
    """An act that a client has begun."""

    def poll(self) -> ActResult | None:
        """Its result; None while it goes on.  Never blocks, and answers the same ever after."""
        ...

    def abandon(self) -> None:
        """Wait for it no longer, and stop it if that can be done without harm.  Never blocks."""
        ...


class ClientSession(Protocol):
    """A running device in the Requester role.

    What the device does takes turns with the tester: on loopback, polling `fabric` gives it them.
    """

    @property
    def fabric(self) -> Fabric:
        """Where the tester stands and listens."""
        ...

    @property
    def listen_address(self) -> Address:
        """Where the tester must listen for the device to find it; port 0 leaves it to choose."""
        ...

    @property
    def acts(self) -> frozenset[ActKind]:
        """What this device can be brought to do."""
        ...

    def prepare(self, address: Address) -> RunningAct:
        """Have the device connect to the tester, and do what its program does first.

        For a file system client this is the mount.  The tester must serve meanwhile; done means
        that acts may begin.  After the connection is lost the device reconnects of itself or at
        the next act; `prepare` again starts from nothing.

        Args:
            address: where the tester listens.
        """
        ...

    def begin(self, act: Act) -> RunningAct:
        """Have the device do something; several acts may run at the same time.

        Raises:
            Unsupported: it cannot be brought to do that; the message says why.
        """
        ...

    def alive(self) -> str | None:
        """None while the device runs as far as can be told, else how it died, in a few words."""
        ...

    def restart(self) -> None:
        """Start the device again, unconnected; `fabric` may be another one afterwards.

        Raises:
            TargetError: it does not come up, or the adapter has no means to start it.
        """
        ...

    def close(self) -> None:
        """Stop the device (if the adapter started it) and release the fabric.  Twice is allowed."""
        ...


@runtime_checkable
class ClientTarget(Protocol):
    """A device in the Requester role that can be set going."""

    @property
    def name(self) -> str:
        """As it is called on the command line and in reports."""
        ...

    @property
    def profile(self) -> Profile:
        """Its claims and the extra information for testing it."""
        ...

    def start_client(self) -> ClientSession:
        """Set the device going; it does not connect yet.

        Raises:
            TargetError: it does not come up.
            DeviceUnavailable: the fabric has no usable device.
        """
        ...


if TYPE_CHECKING:
    TargetFactory = Callable[[Profile, str], Target | ClientTarget]
    """Makes a target from its profile and the fabric (`loopback`, `verbs`; empty: its usual one).

    This is what the entry points of group `rpcrdma_conformance.targets` name.  A factory raises
    `TargetError` for a fabric that it does not have.
    """
