"""NFSv4 callbacks: the calls that a server sends, and the program that a client answers them with.

    RFC 5661 section 20      NFSv4.1 Callback Operations; 2.10.3.1 channels and their direction
    RFC 7530 section 15      NFSv4.0 Callback Procedures
    RFC 8267 section 6.5     nothing in a callback is DDP-eligible
    bidir section 2.2.3      no backward call before the Upper Layer says that the peer is ready

A `Nfs4Backchannel` is what a session says about the callbacks that may be sent on a connection:
which program, with which credential, on which slots.  It builds calls and reads replies; who
carries them is not its business.  `CallbackProgram` is the other end: an
`rpcrdma.ulp.bindings.Program`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.ulp import rpc
from rpcrdma.ulp.nfs4_attributes import bitmap_of
from rpcrdma.ulp.nfs4_slots import following
from rpcrdma.wire import _generated_nfs4 as wire

if TYPE_CHECKING:
    from rpcrdma.wire._generated_nfs4 import CallbackArgument

__all__ = [
    "CALLBACK_VERSION",
    "Nfs4Backchannel",
    "call",
    "get_attributes",
    "null",
    "parse",
    "put_off",
    "recall",
    "sequence",
]

CALLBACK_VERSION: Final = 1


def null(xid: int, program: int, *, credential: rpc.Authentication = rpc.AUTH_NONE) -> bytes:
    """A call of CB_NULL; `program` is the number that the client chose."""
    return rpc.encode_call(
        xid, program, CALLBACK_VERSION, wire.NFS_CB.CB_NULL, credential=credential
    )


def call(
    xid: int,
    program: int,
    *operations: CallbackArgument,
    minor: int = 1,
    identifier: int = 0,
    tag: bytes = b"",
    credential: rpc.Authentication = rpc.AUTH_NONE,
) -> bytes:
    """A complete CB_COMPOUND call payload; `identifier` is SETCLIENTID's, in NFSv4.0 only."""
    arguments = wire.CallbackCompoundArguments(tag, minor, identifier, operations)
    return rpc.encode_call(
        xid,
        program,
        CALLBACK_VERSION,
        wire.NFS_CB.CB_COMPOUND,
        wire.encode_callback_compound_arguments(arguments),
        credential=credential,
    )


def parse(reply: bytes) -> wire.CallbackCompoundResult:
    """The results of a successful CB_COMPOUND reply.

    Raises:
        DecodeError: the reply is not that.
    """
    header, start = rpc.decode_reply(reply)
    if not header.succeeded:
        raise DecodeError(start, "results", Reason.TRUNCATED, header.outcome.value)
    result, end = wire.decode_callback_compound_result(reply, start)
    if end != len(reply):
        raise DecodeError(end, "results", Reason.TRAILING, f"{len(reply) - end} octets")
    return result


def sequence(
    session: bytes, number: int, *, slot: int = 0, highest: int = 0, keep: bool = False
) -> CallbackArgument:
    """CB_SEQUENCE, the first operation of every callback of NFSv4.1."""
    return wire.CbSequenceArguments(session, number, slot, highest, keep, ())


def recall(stateid: wire.StateId, handle: bytes, *, truncate: bool = False) -> CallbackArgument:
    """CB_RECALL: the client is to give a delegation back."""
    return wire.CbRecallArguments(stateid, truncate, handle)


def get_attributes(handle: bytes, *numbers: int) -> CallbackArgument:
    """CB_GETATTR: what the holder of a write delegation knows better than the server."""
    return wire.CbGetattrArguments(handle, bitmap_of(numbers))


@dataclass(slots=True, eq=False)
class Nfs4Backchannel:
    """The backchannel of a session, seen from the server.

    Attributes:
        session: the session id.
        program: the number of the client's callback program.
        attributes: what was negotiated: sizes, operations, and `ca_maxrequests` slots.
        security: what the client accepts as credentials, the best first.
        minor: the minor version, that of the session.
        sequences: the number of the last call on each slot that the client has accepted.
    """

    session: bytes
    program: int
    attributes: wire.ChannelAttributes
    security: tuple[wire.CallbackSecurity, ...] = ()
    minor: int = 1
    sequences: list[int] = field(init=False)
    _busy: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with unused slots."""
        self.sequences = [0] * self.attributes.ca_maxrequests

    @property
    def credential(self) -> rpc.Authentication:
        """What calls carry: the client's AUTH_SYS if it offers that, else nothing."""
        for offer in self.security:
            if isinstance(offer, wire.AuthSysParameters):
                return rpc.auth_sys(
                    offer.uid, offer.gid, offer.gids, offer.machinename, offer.stamp
                )
        return rpc.AUTH_NONE

    @property
    def free_slots(self) -> int:
        """Calls that may be sent now, by what the session allows."""
        return len(self.sequences) - len(self._busy)

    def null(self, xid: int) -> bytes:
        """A CB_NULL call, which needs no slot."""
        return null(xid, self.program, credential=self.credential)

    def call(
        self, xid: int, *operations: CallbackArgument, keep: bool = False, tag: bytes = b""
    ) -> bytes:
        """A CB_COMPOUND call with CB_SEQUENCE on a free slot before these operations.

        Raises:
            LocalProtocolError: every slot waits for a reply.
        """
        slots = range(len(self.sequences))
        free = next((slot for slot in slots if slot not in self._busy.values()), None)
        if free is None:
            raise LocalProtocolError(f"all {len(self.sequences)} slots of the backchannel wait")
        self._busy[xid] = free
        first = sequence(
            self.session,
            following(self.sequences[free]),
            slot=free,
            highest=max(self._busy.values()),
            keep=keep,
        )
        return call(
            xid,
            self.program,
            first,
            *operations,
            minor=self.minor,
            tag=tag,
            credential=self.credential,
        )

    def take(self, reply: bytes) -> wire.CallbackCompoundResult:
        """The results of a reply to `call`; its slot is free again.

        Raises:
            DecodeError: it is not the reply to a CB_COMPOUND.
            LocalProtocolError: no call of ours waits for it.
        """
        header, _ = rpc.decode_reply(reply)
        if header.xid not in self._busy:
            raise LocalProtocolError(f"no callback with XID {header.xid} waits for a reply")
        slot = self._busy.pop(header.xid)
        result = parse(reply)
        match result.resarray[:1]:
            case (wire.CbSequenceResult(outcome=wire.CbSequenceDone()),):
                self.sequences[slot] = following(self.sequences[slot])
            case _:
                pass  # RFC 5661 20.9.3: a CB_SEQUENCE that fails leaves its slot as it was
        return result


def put_off(result: wire.CallbackCompoundResult) -> bool:
    """Whether a client wants a call again later (RFC 5661 15.1.1.3), none of which it executed."""
    delay = wire.CbSequenceFailed(wire.Status.NFS4ERR_DELAY)
    return result.resarray == (wire.CbSequenceResult(delay),)
