from __future__ import annotations

import pytest

from rpcrdma.ulp.nfs4_operations import NUMBER_OF, existence, failure, number_of, success
from rpcrdma.ulp.nfs4_server import OPERATIONS
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Operation, Status

ABSENT = {
    Operation.OP_GET_DIR_DELEGATION,
    Operation.OP_GETDEVICEINFO,
    Operation.OP_GETDEVICELIST,
    Operation.OP_LAYOUTCOMMIT,
    Operation.OP_LAYOUTGET,
    Operation.OP_LAYOUTRETURN,
    Operation.OP_SET_SSV,
    Operation.OP_WANT_DELEGATION,
    Operation.OP_ILLEGAL,
}


def test_every_operation_of_the_specification_has_its_arguments() -> None:
    assert set(NUMBER_OF.values()) == set(Operation) - ABSENT


def test_the_number_of_an_operation_that_has_no_type_is_its_own() -> None:
    assert number_of(wire.OtherArguments(Operation.OP_SET_SSV)) is Operation.OP_SET_SSV
    assert number_of(wire.ReadlinkArguments()) is Operation.OP_READLINK


@pytest.mark.parametrize("operation", Operation)
def test_every_operation_can_fail_and_says_which_it_was(operation: Operation) -> None:
    result = failure(operation, Status.NFS4ERR_DELAY)

    encoded = wire.encode_result_operation(result)

    assert encoded[:8] == operation.to_bytes(4, "big") + Status.NFS4ERR_DELAY.to_bytes(4, "big")
    assert wire.decode_result_operation(encoded, 0) == (result, len(encoded))


def test_an_illegal_operation_answers_as_such_whatever_its_number() -> None:
    result = failure(Operation.OP_SEQUENCE, Status.NFS4ERR_OP_ILLEGAL)

    assert result == wire.OtherResult(
        Operation.OP_ILLEGAL, wire.OtherStatus(Status.NFS4ERR_OP_ILLEGAL)
    )


def test_success_of_an_operation_that_has_nothing_to_say_is_a_status() -> None:
    assert success(Operation.OP_PUTFH) == wire.PutfhResult(Status.NFS4_OK)


@pytest.mark.parametrize(
    ("operation", "minor", "status"),
    [
        (Operation.OP_READ, 0, Status.NFS4_OK),
        (Operation.OP_READ, 1, Status.NFS4_OK),
        (Operation.OP_SEQUENCE, 0, Status.NFS4ERR_OP_ILLEGAL),
        (Operation.OP_SEQUENCE, 1, Status.NFS4_OK),
        (Operation.OP_RENEW, 0, Status.NFS4_OK),
        (Operation.OP_RENEW, 1, Status.NFS4ERR_NOTSUPP),
        (Operation.OP_RENEW, 2, Status.NFS4ERR_NOTSUPP),
        (Operation.OP_SEQUENCE, 2, Status.NFS4_OK),
        (Operation.OP_ILLEGAL, 1, Status.NFS4ERR_OP_ILLEGAL),
    ],
)
def test_operations_come_and_go_with_minor_versions(
    operation: Operation, minor: int, status: Status
) -> None:
    assert existence(operation, minor) is status


def test_the_server_executes_all_but_locks_and_named_attributes() -> None:
    refused = {
        Operation.OP_LOCK,
        Operation.OP_LOCKT,
        Operation.OP_LOCKU,
        Operation.OP_OPENATTR,
    }

    assert set(OPERATIONS) == set(Operation) - ABSENT - refused
