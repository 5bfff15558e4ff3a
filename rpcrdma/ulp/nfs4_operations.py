"""The operations of an NFSv4 COMPOUND: their number, their arguments, and how they say no.

`rpcrdma/spec/nfs4.names.toml` names the classes of an operation after it: the arguments of
OP_OPEN_CONFIRM are `OpenConfirmArguments`, its result is `OpenConfirmResult`, and what that holds
after a failure is `OpenConfirmFailed` unless a result is nothing but a status.  The tables here
follow from that rule.

    RFC 7530 section 14.2   COMPOUND: which operation an error belongs to
    RFC 5661 section 2.7    minor versions: operations that came and went
    RFC 8276 section 8.4    operations that came with minor version 2
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Operation, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NUMBER_OF", "existence", "failure", "number_of", "success"]

FIRST_OF_MINOR_ONE: Final = Operation.OP_BACKCHANNEL_CTL
FIRST_OF_MINOR_TWO: Final = Operation.OP_GETXATTR
"""Of those that the server knows."""

GONE_IN_MINOR_ONE: Final = frozenset(
    {
        Operation.OP_OPEN_CONFIRM,
        Operation.OP_RENEW,
        Operation.OP_SETCLIENTID,
        Operation.OP_SETCLIENTID_CONFIRM,
        Operation.OP_RELEASE_LOCKOWNER,
    }
)
"""RFC 5661 section 17: operations that are mandatory not to implement."""


def _stem(operation: Operation) -> str:
    return "".join(word.capitalize() for word in operation.name.removeprefix("OP_").split("_"))


NUMBER_OF: Final[Mapping[type, Operation]] = {
    getattr(wire, f"{_stem(operation)}Arguments"): operation
    for operation in Operation
    if hasattr(wire, f"{_stem(operation)}Arguments")
}
"""The operation of each class of arguments."""


def number_of(arguments: wire.ArgumentOperation) -> Operation:
    """The number of an operation."""
    if isinstance(arguments, wire.OtherArguments):
        return arguments.argop
    return NUMBER_OF[type(arguments)]


@cache
def existence(operation: Operation, minor: int) -> Status:
    """Whether an operation exists in a minor version: NFS4_OK, or what to answer."""
    if operation is Operation.OP_ILLEGAL:
        return Status.NFS4ERR_OP_ILLEGAL
    if minor == 0 and operation >= FIRST_OF_MINOR_ONE:
        return Status.NFS4ERR_OP_ILLEGAL
    if minor == 1 and operation >= FIRST_OF_MINOR_TWO:
        return Status.NFS4ERR_OP_ILLEGAL
    if minor and operation in GONE_IN_MINOR_ONE:
        return Status.NFS4ERR_NOTSUPP
    return Status.NFS4_OK


@cache
def success(operation: Operation) -> wire.ResultOperation:
    """The result of an operation that has nothing to say but that it succeeded."""
    result: wire.ResultOperation = getattr(wire, f"{_stem(operation)}Result")(Status.NFS4_OK)
    return result


@cache
def failure(operation: Operation, status: Status) -> wire.ResultOperation:
    """The result of an operation that failed."""
    if status is Status.NFS4ERR_OP_ILLEGAL:
        return wire.OtherResult(Operation.OP_ILLEGAL, wire.OtherStatus(status))
    if operation is Operation.OP_SETATTR:
        return wire.SetattrResult(status, ())
    stem = _stem(operation)
    result = getattr(wire, f"{stem}Result", None)
    if result is None:
        return wire.OtherResult(operation, wire.OtherStatus(status))
    shared = stem.replace("SecinfoNoName", "Secinfo")  # which has the same results
    failed = getattr(wire, f"{shared}Failed", None)
    made: wire.ResultOperation = result(status if failed is None else failed(status))
    return made
