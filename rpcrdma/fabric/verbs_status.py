"""What a device's words mean in the fabric's: completion statuses and access rights.

The numbers are those of `enum ibv_wc_status` and `enum ibv_access_flags` (infiniband/verbs.h), so
that the tables exist without pyverbs; `tests/fabric/test_verbs_status.py` compares them with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import CompletionStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ACCESS_FLAGS", "MW_BIND", "STATUSES", "access_flags"]

STATUSES: Final[Mapping[int, CompletionStatus]] = {
    0: CompletionStatus.SUCCESS,
    1: CompletionStatus.LOCAL_LENGTH_ERROR,
    2: CompletionStatus.LOCAL_QP_OPERATION_ERROR,
    3: CompletionStatus.OTHER,  # LOC_EEC_OP_ERR: reliable datagrams
    4: CompletionStatus.LOCAL_PROTECTION_ERROR,
    5: CompletionStatus.FLUSHED,
    6: CompletionStatus.OTHER,  # MW_BIND_ERR
    7: CompletionStatus.OTHER,  # BAD_RESP_ERR
    8: CompletionStatus.LOCAL_ACCESS_ERROR,
    9: CompletionStatus.REMOTE_INVALID_REQUEST,
    10: CompletionStatus.REMOTE_ACCESS_ERROR,
    11: CompletionStatus.REMOTE_OPERATION_ERROR,
    12: CompletionStatus.RETRY_EXCEEDED,
    13: CompletionStatus.RNR_RETRY_EXCEEDED,
    14: CompletionStatus.OTHER,  # LOC_RDD_VIOL_ERR: reliable datagrams
    15: CompletionStatus.REMOTE_INVALID_REQUEST,  # REM_INV_RD_REQ_ERR
    16: CompletionStatus.OTHER,  # REM_ABORT_ERR
    17: CompletionStatus.OTHER,  # INV_EECN_ERR
    18: CompletionStatus.OTHER,  # INV_EEC_STATE_ERR
    19: CompletionStatus.OTHER,  # FATAL_ERR
    20: CompletionStatus.RETRY_EXCEEDED,  # RESP_TIMEOUT_ERR
    21: CompletionStatus.OTHER,  # GENERAL_ERR
    22: CompletionStatus.OTHER,  # TM_ERR
    23: CompletionStatus.OTHER,  # TM_RNDV_INCOMPLETE
}
"""`ibv_wc_status` -> the fabric's word."""

ACCESS_FLAGS: Final[Mapping[Access, int]] = {
    Access.LOCAL_WRITE: 1,
    Access.REMOTE_WRITE: 2,
    Access.REMOTE_READ: 4,
}
"""Right -> `ibv_access_flags`."""

MW_BIND: Final = 16
"""Memory windows may be bound to the region."""


def access_flags(access: Access) -> int:
    """The flags for registering with these rights.

    Remote writing needs local writing, too: ibv_reg_mr refuses the one without the other.
    """
    if Access.REMOTE_WRITE in access:
        access |= Access.LOCAL_WRITE
    return sum(flag for right, flag in ACCESS_FLAGS.items() if right in access)
