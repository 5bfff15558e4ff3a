from __future__ import annotations

import pytest

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.fabric.verbs_status import STATUSES, access_flags

NAMES = {
    "IBV_WC_SUCCESS": CompletionStatus.SUCCESS,
    "IBV_WC_LOC_LEN_ERR": CompletionStatus.LOCAL_LENGTH_ERROR,
    "IBV_WC_LOC_QP_OP_ERR": CompletionStatus.LOCAL_QP_OPERATION_ERROR,
    "IBV_WC_LOC_PROT_ERR": CompletionStatus.LOCAL_PROTECTION_ERROR,
    "IBV_WC_WR_FLUSH_ERR": CompletionStatus.FLUSHED,
    "IBV_WC_LOC_ACCESS_ERR": CompletionStatus.LOCAL_ACCESS_ERROR,
    "IBV_WC_REM_INV_REQ_ERR": CompletionStatus.REMOTE_INVALID_REQUEST,
    "IBV_WC_REM_ACCESS_ERR": CompletionStatus.REMOTE_ACCESS_ERROR,
    "IBV_WC_REM_OP_ERR": CompletionStatus.REMOTE_OPERATION_ERROR,
    "IBV_WC_RETRY_EXC_ERR": CompletionStatus.RETRY_EXCEEDED,
    "IBV_WC_RNR_RETRY_EXC_ERR": CompletionStatus.RNR_RETRY_EXCEEDED,
}


def test_every_status_of_the_verbs_has_a_meaning() -> None:
    """`enum ibv_wc_status` runs from 0 to 23 without a gap."""
    assert sorted(STATUSES) == list(range(24))
    assert set(STATUSES.values()) == set(CompletionStatus)


def test_status_numbers_are_those_of_infiniband_verbs_h() -> None:
    """The header's order: each of the named statuses stands at its place."""
    places = (0, 1, 2, 4, 5, 8, 9, 10, 11, 12, 13)

    assert [STATUSES[place] for place in places] == list(NAMES.values())


@pytest.mark.parametrize(
    ("access", "flags"),
    [
        (Access(0), 0),
        (Access.LOCAL_WRITE, 1),
        (Access.REMOTE_READ, 4),
        (Access.REMOTE_READ | Access.LOCAL_WRITE, 5),
        (Access.REMOTE_WRITE, 3),
        (Access.REMOTE_READ | Access.REMOTE_WRITE | Access.LOCAL_WRITE, 7),
    ],
)
def test_rights_become_flags(access: Access, flags: int) -> None:
    """Remote writing brings local writing along, without which devices refuse it."""
    assert access_flags(access) == flags
