"""The callback program of an NFSv4 client: what answers CB_NULL and CB_COMPOUND.

    RFC 5661 section 20.9    CB_SEQUENCE; section 20.2 CB_RECALL; section 20.1 CB_GETATTR
    RFC 5661 section 2.10.6  the slots, which the client of a backchannel serves
    RFC 7530 section 15      the same in NFSv4.0, without sequences

It answers as a client would and remembers what it was asked: which delegations are wanted back.
Giving them back is a call on the forward channel, and so somebody else's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rpcrdma.ulp import rpc
from rpcrdma.ulp.nfs4_attributes import largest_attributes
from rpcrdma.ulp.nfs4_callback import CALLBACK_VERSION
from rpcrdma.ulp.nfs4_slots import Arrival, Slot
from rpcrdma.ulp.nfs_bindings import nfs_binding
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import CallbackOperation, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire._generated_nfs4 import (
        CallbackArgument,
        CallbackCompoundArguments,
        CallbackResult,
    )

__all__ = ["CallbackProgram", "CallbackSession"]

BINDING: Final = nfs_binding("nfs4.1-callback")
OPERATIONS_MAXIMUM: Final = 16

STATUS_OF: Final[Mapping[Arrival, Status]] = {
    Arrival.UNCACHED: Status.NFS4ERR_RETRY_UNCACHED_REP,
    Arrival.FALSE_RETRY: Status.NFS4ERR_SEQ_FALSE_RETRY,
    Arrival.MISORDERED: Status.NFS4ERR_SEQ_MISORDERED,
}
NUMBER_OF: Final[Mapping[type, CallbackOperation]] = {
    wire.CbGetattrArguments: CallbackOperation.OP_CB_GETATTR,
    wire.CbRecallArguments: CallbackOperation.OP_CB_RECALL,
    wire.CbRecallAnyArguments: CallbackOperation.OP_CB_RECALL_ANY,
    wire.CbRecallSlotArguments: CallbackOperation.OP_CB_RECALL_SLOT,
    wire.CbSequenceArguments: CallbackOperation.OP_CB_SEQUENCE,
}


@dataclass(slots=True, eq=False)
class CallbackSession:
    """A session whose backchannel ends here: its id and its slots."""

    id: bytes
    slots: list[Slot]

    @classmethod
    def of(cls, session: bytes, slots: int) -> CallbackSession:
        """A session with that many unused slots."""
        return cls(session, [Slot() for _ in range(slots)])


@dataclass(slots=True)
class Answering:
    """One CB_COMPOUND while it is answered."""

    minor: int
    results: list[CallbackResult] = field(default_factory=list)
    slot: Slot | None = None
    cached: bytes | None = None


class CallbackProgram(ProcedureTable):
    """The callback program of one client, on one connection.

    Attributes:
        sessions: those that it has, by id.
        held: the delegations that it holds: stateid to file handle.
        recalled: those that the server wants back, in the order in which it asked.
        attributes: what CB_GETATTR is told, by file handle.
    """

    def __init__(self, number: int) -> None:
        self.sessions: dict[bytes, CallbackSession] = {}
        self.held: dict[bytes, bytes] = {}
        self.recalled: list[wire.CbRecallArguments] = []
        self.attributes: dict[bytes, wire.FileAttributes] = {}
        null = ProgramProcedure(no_arguments, self._null, lambda _arguments: (0, ()))
        compound = ProgramProcedure(
            wire.decode_callback_compound_arguments, self._compound, callback_maximum
        )
        # Each row has a type of arguments of its own: see ProcedureTable.
        procedures: dict[int, ProgramProcedure[Any]] = {
            wire.NFS_CB.CB_NULL: null,
            wire.NFS_CB.CB_COMPOUND: compound,
        }
        super().__init__(number, CALLBACK_VERSION, procedures)

    def hold(self, stateid: wire.StateId, handle: bytes) -> None:
        """The client was given a delegation."""
        self.held[stateid.other] = handle

    def _null(self, call: rpc.RpcCall, _arguments: None) -> list[bytes]:
        return [rpc.accepted(call.xid)]

    def _compound(self, call: rpc.RpcCall, arguments: CallbackCompoundArguments) -> list[bytes]:
        answering = Answering(arguments.minorversion)
        status = self._run(answering, arguments)
        if answering.cached is not None:
            return [rpc.accepted(call.xid, answering.cached)]
        encoded = wire.encode_callback_compound_result(
            wire.CallbackCompoundResult(status, arguments.tag, tuple(answering.results))
        )
        if answering.slot is not None:
            answering.slot.finish(encoded)
        return [rpc.accepted(call.xid, encoded)]

    def _run(self, answering: Answering, arguments: CallbackCompoundArguments) -> Status:
        if arguments.minorversion > 1:
            return Status.NFS4ERR_MINOR_VERS_MISMATCH
        if len(arguments.argarray) > OPERATIONS_MAXIMUM:
            return Status.NFS4ERR_TOO_MANY_OPS if answering.minor else Status.NFS4ERR_RESOURCE
        status = Status.NFS4_OK
        for position, operation in enumerate(arguments.argarray):
            result, status = self._operation(answering, position, operation, arguments)
            answering.results.append(result)
            if status is not Status.NFS4_OK or answering.cached is not None:
                break
        return status

    def _operation(
        self,
        answering: Answering,
        position: int,
        operation: CallbackArgument,
        arguments: CallbackCompoundArguments,
    ) -> tuple[CallbackResult, Status]:
        is_sequence = isinstance(operation, wire.CbSequenceArguments)
        if is_sequence and position:
            return _refusal(operation, Status.NFS4ERR_SEQUENCE_POS)
        if answering.minor and not is_sequence and not position:
            return _refusal(operation, Status.NFS4ERR_OP_NOT_IN_SESSION)
        match operation:
            case wire.CbSequenceArguments():
                return self._sequence(answering, operation, hash(arguments))
            case wire.CbRecallArguments():
                return self._recall(operation)
            case wire.CbGetattrArguments():
                return self._get_attributes(operation)
            case wire.CbRecallAnyArguments():
                return wire.CbRecallAnyResult(Status.NFS4_OK), Status.NFS4_OK
            case wire.CbRecallSlotArguments():
                return wire.CbRecallSlotResult(Status.NFS4_OK), Status.NFS4_OK
            case wire.OtherCallbackArguments(argop=number):
                illegal = number is CallbackOperation.OP_CB_ILLEGAL
                status = Status.NFS4ERR_OP_ILLEGAL if illegal else Status.NFS4ERR_NOTSUPP
                return _refusal(operation, status)

    def _sequence(
        self, answering: Answering, operation: wire.CbSequenceArguments, digest: int
    ) -> tuple[CallbackResult, Status]:
        session = self.sessions.get(operation.csa_sessionid)
        if answering.minor == 0 or session is None:
            wrong = Status.NFS4ERR_BADSESSION if answering.minor else Status.NFS4ERR_OP_ILLEGAL
            return _refusal(operation, wrong)
        if operation.csa_slotid >= len(session.slots):
            return _refusal(operation, Status.NFS4ERR_BADSLOT)
        slot = session.slots[operation.csa_slotid]
        arrival = slot.arrive(operation.csa_sequenceid, digest, keep=operation.csa_cachethis)
        if arrival is Arrival.CACHED:
            answering.cached = slot.reply
        elif arrival is not Arrival.NEW:
            return _refusal(operation, STATUS_OF[arrival])
        answering.slot = slot
        highest = len(session.slots) - 1
        done = wire.CbSequenceDone(
            operation.csa_sessionid,
            operation.csa_sequenceid,
            operation.csa_slotid,
            highest,
            highest,
        )
        return wire.CbSequenceResult(done), Status.NFS4_OK

    def _recall(self, operation: wire.CbRecallArguments) -> tuple[CallbackResult, Status]:
        handle = self.held.get(operation.stateid.other)
        if handle is None:
            return _refusal(operation, Status.NFS4ERR_BAD_STATEID)
        if handle != operation.fh:
            return _refusal(operation, Status.NFS4ERR_BADHANDLE)
        self.recalled.append(operation)
        return wire.CbRecallResult(Status.NFS4_OK), Status.NFS4_OK

    def _get_attributes(self, operation: wire.CbGetattrArguments) -> tuple[CallbackResult, Status]:
        known = self.attributes.get(operation.fh)
        if known is None:
            return _refusal(operation, Status.NFS4ERR_BADHANDLE)
        return wire.CbGetattrResult(wire.CbGetattrDone(known)), Status.NFS4_OK


def callback_maximum(arguments: CallbackCompoundArguments) -> tuple[int, tuple[int, ...]]:
    """Octets of the largest results of a CB_COMPOUND; it has no slots."""
    total = 12 + len(arguments.tag) + -len(arguments.tag) % 4
    for operation in arguments.argarray:
        row = BINDING.rows.get(_number_of(operation))
        if row is None:
            total += 8
        elif isinstance(operation, wire.CbGetattrArguments):
            total += 8 + row.largest(largest_attributes(operation.attr_request)).total
        else:
            total += 8 + row.largest().total
    return total, ()


def _number_of(operation: CallbackArgument) -> CallbackOperation:
    if isinstance(operation, wire.OtherCallbackArguments):
        return operation.argop
    return NUMBER_OF[type(operation)]


def _refusal(operation: CallbackArgument, status: Status) -> tuple[CallbackResult, Status]:
    match operation:
        case wire.CbSequenceArguments():
            return wire.CbSequenceResult(wire.CbSequenceFailed(status)), status
        case wire.CbRecallArguments():
            return wire.CbRecallResult(status), status
        case wire.CbGetattrArguments():
            return wire.CbGetattrResult(wire.CbGetattrFailed(status)), status
        case wire.CbRecallAnyArguments():
            return wire.CbRecallAnyResult(status), status
        case wire.CbRecallSlotArguments():
            return wire.CbRecallSlotResult(status), status
        case wire.OtherCallbackArguments(argop=number):
            return wire.OtherCallbackResult(number, wire.OtherCallbackStatus(status)), status
