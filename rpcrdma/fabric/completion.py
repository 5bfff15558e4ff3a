"""Work and its end: the numbers, kinds and results of posted requests.

The words are those of the verbs (`ibv_wc`, `ibv_wc_status`), spelt out.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NewType

import msgspec

if TYPE_CHECKING:
    from rpcrdma.fabric.segments import Placement

__all__ = ["Completion", "CompletionStatus", "Opcode", "WorkId"]

WorkId = NewType("WorkId", int)
"""Names one posted work request; unique within its connection."""


class Opcode(Enum):
    """Which kind of work a completion reports."""

    SEND = "Send"
    RECEIVE = "Receive"
    RDMA_READ = "RDMA Read"
    RDMA_WRITE = "RDMA Write"


class CompletionStatus(Enum):
    """How work ended; the names are those of `ibv_wc_status`, spelt out."""

    SUCCESS = "success"
    LOCAL_LENGTH_ERROR = "local length error"
    LOCAL_QP_OPERATION_ERROR = "local QP operation error"
    LOCAL_PROTECTION_ERROR = "local protection error"
    LOCAL_ACCESS_ERROR = "local access error"
    REMOTE_INVALID_REQUEST = "remote invalid request"
    REMOTE_ACCESS_ERROR = "remote access error"
    REMOTE_OPERATION_ERROR = "remote operation error"
    RETRY_EXCEEDED = "transport retry counter exceeded"
    RNR_RETRY_EXCEEDED = "receiver-not-ready retry counter exceeded"
    FLUSHED = "flushed"
    OTHER = "other error"


class Completion(msgspec.Struct, frozen=True, gc=False):
    """One finished work request; a msgspec struct because two or three are made for every message.

    Attributes:
        work_id: what posting it returned.
        opcode: the kind of work.
        status: SUCCESS or how it failed; every posted request completes, if only as FLUSHED.
        length: octets received, read, written or sent (0 unless SUCCESS).
        data: the message, for a successful Receive; else empty.
        placed: what of it landed in each segment of the Receive; empty for one segment of the
            fabric's own memory without an alignment, and unless it succeeded.
        invalidated: the handle that the peer's Send With Invalidate invalidated here, if any.
    """

    work_id: WorkId
    opcode: Opcode
    status: CompletionStatus
    length: int = 0
    data: bytes = b""
    invalidated: int | None = None
    placed: tuple[Placement, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the work succeeded."""
        return self.status is CompletionStatus.SUCCESS
