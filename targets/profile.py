"""Target profiles: what a device claims (PICS) and what else testing it takes (PIXIT).

A profile is a TOML file; `load_profile` turns it into a `Profile` or says in one sentence which
file, which key and what to write instead.  ISO/IEC 9646-7 calls the two halves *protocol
implementation conformance statement* and *implementation extra information for testing*.

    name = "my-server"
    adapter = "network"
    binding = "nfs4"            # testprog | nfs4 | nfs3 | null-only

    [claims]
    roles = ["responder"]
    versions = [1]

    [extra]
    address = "192.0.2.7"
    port = 20049
    export = "/export"

Every key is described at the attribute of the same name below.  Durations are seconds; deadlines
and the grace period are scaled by the environment variable `RPCRDMA_TIMEOUT_FACTOR`.
"""

from __future__ import annotations

import os
import re
from enum import Enum
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from rpcrdma.wire.operations import OPERATIONS
from targets.acts import Acts
from targets.base import TargetError, nearest
from targets.profile_lab import Lab

__all__ = [
    "SHIPPED",
    "TABLES",
    "Binding",
    "Claims",
    "Extra",
    "Lab",
    "Profile",
    "ProfileError",
    "explained",
    "load_profile",
    "shipped_profiles",
    "timeout_factor",
]

SHIPPED: Final = Path(__file__).parent / "profiles"
"""Where the profiles are that come with the suite."""

Natural = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Word = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9.-]*$")]

_WHERE: Final = re.compile(r"^(?P<problem>.*?)(?: - at `\$\.?(?P<key>[^`]*)`)?$", re.DOTALL)
_FIELD: Final = re.compile(r"field `(?P<field>[^`]+)`")


_NO_LONGER: Final = {
    "claims.extensions": "remove it; `versions`, `backward` and `operations` say what is spoken",
    "claims.remote_invalidation": (
        "remove it; a device of Version Two announces it, and for Version One nothing asks for it"
    ),
}
"""Claims of earlier profiles that no case heeded, and what to do about them."""


class ProfileError(Exception):
    """A profile that cannot be used.

    Attributes:
        path: the file.  key: dotted, `claims.versions`; empty if the fault is the file's.
        problem: what is wrong.  hint: what to do about it.
    """

    def __init__(self, path: Path, key: str, problem: str, hint: str) -> None:
        super().__init__(path, key, problem, hint)
        self.path = path
        self.key = key
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        key = f", key `{self.key}`" if self.key else ""
        return f"profile {self.path}{key}: {self.problem}; {self.hint}"


class Binding(Enum):
    """Which Upper-Layer Protocol the suite speaks to the device."""

    TESTPROG = "testprog"
    """The suite's own test program (`rpcrdma.ulp.testprog`): everything can be asked for."""
    NFS4 = "nfs4"
    """NFSv4.0 on an export that holds the files of `rpcrdma.ulp.file_tree`."""
    NFS3 = "nfs3"
    """NFSv3 on an export that holds the same files."""
    NULL_ONLY = "null-only"
    """Nothing but the NULL procedure of the program."""


_OPERATIONS: Final = tuple(one.name for one in OPERATIONS)
"""What can be claimed of optional operations: those that the suite judges."""


class Claims(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """PICS: what the device claims to implement.

    Attributes:
        roles: `responder`, `requester` or both.
        versions: of RPC-over-RDMA.
        max_segments: most RDMA segments in one chunk that the device accepts; a Call that has more
            of these or of the chunks below may be refused, and its case is N/A then.
        max_read_chunks: most Read chunks beside a Position-Zero Read chunk in one call.
        max_write_chunks: most Write chunks in one call.
        call_inline_threshold: octets of the longest message that the device receives by Send;
            `explore` and `replay` send none that is longer.
        reply_inline_threshold: octets of the longest message that the device sends by Send.
        connections: most connections at one time; a case that needs more is N/A.
        concurrent_testers: several testers at one time get what each would get alone: each has a
            device of its own, or their calls (and the files these write) do not meet.  The lab's
            NFS server needs no claim where the tester is outside of its guest.
        backward: works in the backward direction, too (bidir).
        operations: optional ones that the device supports in Version Two, of the transport
            properties (xcharext 4) and of the round-trip reductions (rtrext 9); a message with any
            other gets RDMA2_ERR_INVAL_OPTION.
        cancels: abandoning an act cancels its calls at once: the client waits for them no longer.
        kerberos: makes or takes calls under RPCSEC_GSS with Kerberos 5.  The lab makes a realm for
            the run; elsewhere there is none yet.
    """

    roles: tuple[Literal["responder", "requester"], ...]
    versions: tuple[Positive, ...]
    max_segments: Positive = 16
    max_read_chunks: Natural = 1
    max_write_chunks: Natural = 1
    call_inline_threshold: Annotated[int, msgspec.Meta(ge=1024)] = 1024
    reply_inline_threshold: Annotated[int, msgspec.Meta(ge=1024)] = 1024
    connections: Positive = 8
    concurrent_testers: bool = False
    backward: bool = False
    operations: tuple[Name, ...] = ()
    cancels: bool = False
    kerberos: bool = False

    def __post_init__(self) -> None:
        """Check what types cannot say."""
        if not self.roles:
            raise ValueError("`roles` is empty")
        if not self.versions:
            raise ValueError("`versions` is empty")
        if unknown := [number for number in self.versions if number not in (1, 2)]:
            raise ValueError(f"`versions` has {unknown[0]}: there are 1 and 2 of RPC-over-RDMA")
        for name in self.operations:
            if name not in _OPERATIONS:
                there_are = ", ".join(_OPERATIONS)
                raise ValueError(f"no operation is called `{name}`: there are {there_are}")


class Extra(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """PIXIT: what testing the device takes beside its claims.

    Attributes:
        address: where a server listens; for a client, where it finds the tester.
        port: at which that is; 0 lets an adapter choose.
        device: RDMA device to use, `rxe0`; empty for any.
        program: RPC program number of the calls.  program_version: version of that program.
        export: path of the NFS export as seen through the NFSv4 pseudo file system; with NFSv3,
            as the MOUNT protocol calls it.
        mount_port: TCP port of the MOUNT service, for NFSv3.
        root_handle: NFSv3 file handle of the export's root in hexadecimal digits; empty to ask
            the MOUNT service.
        uid: AUTH_SYS user id of the calls.  gid: AUTH_SYS group id of the calls.
        write_offset: first octet of the file `writable` that cases write to: where several testers
            use one server, each needs 1 MiB of its own.
        grace: how long nothing may come before silence counts as silence.  Like the deadlines, it
            does not run while a packet that `--faults` took has not been made up for.
        deadline: how long an answer may take.  connect_deadline: how long connecting may take.
        start: how long a client may take from being told to act until its first call, beyond that;
            waited for only as long as nothing has come.
        server: command that starts a server on this host for the adapter `network`, which stops it
            in the end; empty if somebody else starts it, or the lab does.
        ready: seconds until that server must answer a call.
        comes_back: seconds to wait for a server that somebody else starts again after it has died.
        deaths: cases in a row in which the device dies before the rest of a section is passed over.
        renew_after: connections after which the device is started again before the next case, where
            it keeps something of each until nothing is left, so that no case is judged by how many
            came before it; 0 for never.
        keep_connection: whether a client keeps its connection from case to case, since connecting
            anew takes it seconds; otherwise each case hangs up and begins on a new one.
        interpretations: entry of INTERPRETATIONS.md -> the reading chosen, where a profile may;
            `rpcrdma explain D-12` shows an entry.
    """

    address: str
    port: Port = 20049
    device: str = ""
    program: Word = 100003
    program_version: Word = 4
    export: str = "/"
    mount_port: Port = 20048
    root_handle: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2}){0,64}$")] = ""
    uid: Word = 0
    gid: Word = 0
    write_offset: Natural = 0
    grace: Seconds = 0.2
    deadline: Seconds = 5.0
    connect_deadline: Seconds = 5.0
    start: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    server: tuple[str, ...] = ()
    ready: Seconds = 30.0
    comes_back: Seconds = 30.0
    deaths: Positive = 5
    renew_after: Natural = 0
    keep_connection: bool = False
    interpretations: dict[str, str] = {}


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that the suite knows about a device beforehand.

    Attributes:
        name: of the target, as reports call it.
        description: one sentence for people.
        adapter: what reaches it: `network` any server at an address, `command` any client that
            commands bring to act, else an entry point of group `rpcrdma_conformance.targets`.
        fabric: what a device elsewhere is reached over, `roce` or `verbs`; empty: verbs where this
            host has an RDMA device.
        binding: the Upper-Layer Protocol.
        claims: what the device claims to implement (PICS).
        extra: what testing it takes beside its claims (PIXIT).
        lab: how the lab brings it up; absent if it cannot.
        acts: how a client is made to act; for the adapter `command`.
    """

    name: Name
    adapter: Name
    binding: Binding
    claims: Claims
    extra: Extra
    description: str = ""
    fabric: Literal["", "roce", "verbs"] = ""
    lab: Lab | None = None
    acts: Acts | None = None

    @property
    def versions(self) -> tuple[int, int]:
        """Lowest and highest claimed version of RPC-over-RDMA, as ERR_VERS gives them."""
        return min(self.claims.versions), max(self.claims.versions)

    @property
    def deadline(self) -> float:
        """Seconds that an answer may take, scaled."""
        return self.extra.deadline * timeout_factor()

    @property
    def connect_deadline(self) -> float:
        """Seconds that connecting may take, scaled."""
        return self.extra.connect_deadline * timeout_factor()

    @property
    def grace(self) -> float:
        """Seconds after which silence counts as silence, scaled."""
        return self.extra.grace * timeout_factor()

    @property
    def start(self) -> float:
        """Seconds that a client may take to begin what it was told to do, scaled."""
        return self.extra.start * timeout_factor()


TABLES: Final[dict[str, type[msgspec.Struct]]] = {
    "": Profile,
    "claims": Claims,
    "extra": Extra,
    "lab": Lab,
    "acts": Acts,
}
"""Name of a table of the file, empty for its head -> what it holds."""


def timeout_factor() -> float:
    """What every deadline is multiplied by: `RPCRDMA_TIMEOUT_FACTOR`, 1 if unset.

    Raises:
        TargetError: it is not a positive number.
    """
    text = os.environ.get("RPCRDMA_TIMEOUT_FACTOR", "1")
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf"):
        raise TargetError(f"RPCRDMA_TIMEOUT_FACTOR is `{text}`; set it to a positive number")
    return factor


def load_profile(path: Path) -> Profile:
    """Read a profile.

    Raises:
        ProfileError: the file cannot be read, is not TOML, or says something else than a profile.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ProfileError(
            path, "", f"cannot be read: {reason}", "name a readable .toml file"
        ) from error
    try:
        profile = msgspec.toml.decode(text, type=Profile)
    except msgspec.ValidationError as error:
        raise explained(path, str(error)) from error
    except msgspec.DecodeError as error:
        raise ProfileError(path, "", f"is not TOML: {error}", "mend the syntax") from error
    if profile.acts is None or profile.acts.here:
        return profile
    acts = msgspec.structs.replace(profile.acts, here=str(path.resolve().parent))
    return msgspec.structs.replace(profile, acts=acts)


def _there_are(key: str) -> str:
    """The key that was meant, if one is near, and all of the table in which an unknown one is."""
    table, _, word = key.rpartition(".")
    if table not in TABLES:
        return ""
    keys = TABLES[table].__struct_encode_fields__
    return f"{nearest(word, keys)}: there are {', '.join(keys)}"


def shipped_profiles() -> tuple[str, ...]:
    """Names of the profiles that come with the suite, sorted."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def explained(path: Path, message: str) -> ProfileError:
    """Turn msgspec's message into ours.

    Args:
        path: of the profile.
        message: of msgspec's `ValidationError`.

    Returns:
        An error that says which key, what is wrong, and what may stand there.
    """
    found = _WHERE.match(message)
    problem, key = (found["problem"], found["key"] or "") if found else (message, "")
    if named := _FIELD.search(problem):
        key = ".".join(filter(None, (key, named["field"])))
        known = "unknown field" in problem
        hint = f"remove it or mend its spelling{_there_are(key)}" if known else "add it"
        if known and key in _NO_LONGER:
            return ProfileError(path, key, "is claimed no longer", _NO_LONGER[key])
        return ProfileError(path, key, "is unknown" if known else "is missing", hint)
    return ProfileError(path, key, problem, "see `rpcrdma explain profile` for what each key means")
