"""The errors of the library: one tree, and messages that a person can use."""

from __future__ import annotations

import pickle

import pytest

from rpcrdma import errors
from rpcrdma.errors import (
    ConnectionRejected,
    DecodeError,
    EncodeError,
    Reason,
    RemoteProtocolError,
    RpcRdmaError,
)

RAISED = [getattr(errors, name) for name in errors.__all__ if name not in ("Reason",)]


@pytest.mark.parametrize("kind", RAISED)
def test_every_error_is_of_the_tree(kind: type[Exception]) -> None:
    assert issubclass(kind, RpcRdmaError)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            DecodeError(8, "rdma_body.rdma_reads[2].position", Reason.TRUNCATED, "4 of 8"),
            "octet 8, rdma_body.rdma_reads[2].position: the buffer ends inside the item (4 of 8)",
        ),
        (DecodeError(0, "", Reason.TRAILING), "octet 0, message: octets are left after the item"),
        (EncodeError("rdma_xid", "-1 is no word"), "rdma_xid: -1 is no word"),
        (EncodeError("", "is no header"), "message: is no header"),
        (RemoteProtocolError("rfc8166.4.2.x", "it is zero"), "rfc8166.4.2.x: it is zero"),
    ],
)
def test_an_error_says_where_and_what(error: Exception, said: str) -> None:
    assert str(error) == said


def test_a_refusal_keeps_what_the_peer_said() -> None:
    error = ConnectionRejected("refused", b"later")

    assert (str(error), error.private_data) == ("refused", b"later")


@pytest.mark.parametrize(
    "error", [DecodeError(4, "a", Reason.BAD_ENUM, "9"), RemoteProtocolError("r", "d")]
)
def test_an_error_passes_between_processes(error: Exception) -> None:
    """A suite in several processes hands them on."""
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
