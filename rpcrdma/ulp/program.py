"""Programs as tables of procedures, and the choice between programs.

    rfc5531 section 9    what each accept_stat and reject_stat means

A procedure is a row: how its arguments are decoded, where their DDP-eligible items are, how large
its reply can be, where the slots of its results are, and what executes it.  `ProcedureTable` makes
an `rpcrdma.ulp.bindings.Program` of such rows; `Programs` puts several programs on one connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from typing_extensions import override

from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import NOTHING_REDUCED, DataItem, ReplyExpectation, UpperLayer
from rpcrdma.ulp.cursor import PayloadCursor

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from rpcrdma.ulp.bindings import Program
    from rpcrdma.ulp.cursor import Decoder

__all__ = ["ProcedureTable", "ProgramProcedure", "Programs", "no_arguments", "refusal"]

A = TypeVar("A")

ERROR_REPLY = ReplyExpectation(rpc.REPLY_MAXIMUM_LENGTH)
"""What a call can have whose program, version or procedure is not served."""


@dataclass(frozen=True, slots=True)
class ProgramProcedure(Generic[A]):
    """One procedure of a program; `A` is the type of its arguments.

    Attributes:
        decode: decodes the arguments at an offset of the call.
        execute: makes the replies that can be sent now (see `UpperLayer.execute`).
        results_maximum: octets of the largest results, and the largest length of each slot.
        items: DDP-eligible arguments, from the call, the arguments and the offset of their start.
        origins: where the operations of those slots begin, from the same (see `UpperLayer`).
        walk: goes over the results of a successful reply to these arguments, slot by slot.
        guessed: whether the largest results go by limits of ours (see `ReplyExpectation`).
        exact: whether there are no smaller results (likewise).
    """

    decode: Decoder[A]
    execute: Callable[[rpc.RpcCall, A], list[bytes]]
    results_maximum: Callable[[A], tuple[int, tuple[int, ...]]]
    items: Callable[[bytes, A, int], tuple[DataItem, ...]] = lambda _call, _arguments, _start: ()
    origins: Callable[[bytes, A, int], tuple[int, ...]] = lambda _call, _arguments, _start: ()
    walk: Callable[[PayloadCursor, A], None] | None = None
    guessed: Callable[[A], bool] = lambda _arguments: False
    exact: Callable[[A], bool] = lambda _arguments: False


def no_arguments(_buffer: bytes, offset: int) -> tuple[None, int]:
    """Decode the arguments of a procedure that has none."""
    return None, offset


def refusal(call: rpc.RpcCall, number: int, versions: Collection[int]) -> bytes | None:
    """The error reply to a call for another RPC version, program or program version, if it is."""
    if call.rpc_version != rpc.RPC_VERSION:
        return rpc.rpc_mismatch(call.xid)
    if call.program != number:
        return rpc.program_unavailable(call.xid)
    if call.version not in versions:
        return rpc.program_mismatch(call.xid, min(versions), max(versions))
    return None


class ProcedureTable(UpperLayer):
    """An RPC program made of procedures."""

    # Each row has its own type of arguments, which only the row itself looks at: hence Any.
    def __init__(
        self, number: int, version: int, procedures: Mapping[int, ProgramProcedure[Any]]
    ) -> None:
        self.number = number
        self.version = version
        self._procedures = procedures

    @override
    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        header, start = rpc.decode_call(call)
        procedure = self._procedure(header)
        if procedure is None:
            return ()
        return procedure.items(call, _decode_all(procedure, call, start), start)

    @override
    def results(
        self, call: bytes, reply: bytes, reduced: Collection[int] = NOTHING_REDUCED
    ) -> tuple[DataItem | None, ...]:
        asked, start = rpc.decode_call(call)
        answered, offset = rpc.decode_reply(reply)
        if answered.xid != asked.xid:
            raise LocalProtocolError(
                f"XID {answered.xid:#010x} in the Reply to the Call with XID {asked.xid:#010x}"
            )
        procedure = self._procedure(asked)
        if procedure is None or procedure.walk is None or not answered.succeeded:
            return ()
        cursor = PayloadCursor(reply, offset, reduced)
        procedure.walk(cursor, _decode_all(procedure, call, start))
        return cursor.finish()

    @override
    def origins(self, call: bytes) -> tuple[int, ...]:
        header, start = rpc.decode_call(call)
        procedure = self._procedure(header)
        if procedure is None:
            return ()
        return procedure.origins(call, _decode_all(procedure, call, start), start)

    @override
    def expectation(self, call: bytes) -> ReplyExpectation:
        header, start = rpc.decode_call(call)
        procedure = self._procedure(header)
        if procedure is None:
            return ERROR_REPLY
        arguments = _decode_all(procedure, call, start)
        size, items = procedure.results_maximum(arguments)
        maximum = max(rpc.REPLY_HEADER_LENGTH + size, rpc.REPLY_MAXIMUM_LENGTH)
        return ReplyExpectation(
            maximum, items, procedure.guessed(arguments), procedure.exact(arguments)
        )

    @override
    def execute(self, call: bytes) -> list[bytes]:
        try:
            header, start = rpc.decode_call(call)
        except DecodeError:
            return []
        refused = refusal(header, self.number, (self.version,))
        if refused is not None:
            return [refused]
        procedure = self._procedures.get(header.procedure)
        if procedure is None:
            return [rpc.procedure_unavailable(header.xid)]
        try:
            arguments = _decode_all(procedure, call, start)
        except DecodeError:
            return [rpc.garbage_args(header.xid)]
        return procedure.execute(header, arguments)

    def _procedure(self, header: rpc.RpcCall) -> ProgramProcedure[Any] | None:
        if refusal(header, self.number, (self.version,)) is not None:
            return None
        return self._procedures.get(header.procedure)


def _decode_all(procedure: ProgramProcedure[A], call: bytes, start: int) -> A:
    arguments, end = procedure.decode(call, start)
    if end != len(call):
        left = len(call) - end
        raise DecodeError(end, "arguments", Reason.TRAILING, f"{left} octets")
    return arguments


class Programs(UpperLayer):
    """Several programs behind one connection: an `rpcrdma.ulp.bindings.UpperLayer`."""

    def __init__(self, programs: Sequence[Program]) -> None:
        if not programs:
            raise ValueError("at least one program is needed")
        self._programs = {(program.number, program.version): program for program in programs}
        self._any = programs[0]

    @override
    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        return self._of(call).arguments(call)

    @override
    def results(
        self, call: bytes, reply: bytes, reduced: Collection[int] = NOTHING_REDUCED
    ) -> tuple[DataItem | None, ...]:
        return self._of(call).results(call, reply, reduced)

    @override
    def origins(self, call: bytes) -> tuple[int, ...]:
        return self._of(call).origins(call)

    @override
    def expectation(self, call: bytes) -> ReplyExpectation:
        return self._of(call).expectation(call)

    @override
    def execute(self, call: bytes) -> list[bytes]:
        try:
            header, _ = rpc.decode_call(call)
        except DecodeError:
            return []
        program = self._programs.get((header.program, header.version))
        if program is not None:
            return program.execute(call)
        versions = [version for number, version in self._programs if number == header.program]
        if versions and header.rpc_version == rpc.RPC_VERSION:
            return [rpc.program_mismatch(header.xid, min(versions), max(versions))]
        return self._any.execute(call)  # whose refusal fits: it is of another program

    def _of(self, call: bytes) -> Program:
        header, _ = rpc.decode_call(call)
        return self._programs.get((header.program, header.version), self._any)
