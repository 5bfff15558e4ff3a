"""What the operations of the round-trip reductions are to the roles: Version One's objects.

    rtrext section 9.2  Transmit Request Operation
    rtrext section 9.3  Transmit Response Operation
    rtrext section 9.5  Error Reporting Operation

A message that a group carries stands for an RDMA_MSG: items that go by explicit RDMA are its Read
list.  What a header of Version One cannot say is in `contents`.  An error report ends a Call as an
RDMA_ERROR does, and so does the error that refuses an operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.wire import ErrChunk, RdmaError, RdmaMsg, ReadSegment
from rpcrdma.wire._generated_rtrext import ByExplicitRdma
from rpcrdma.wire.operations import ReptErr, XmtReq, XmtResp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpcrdma.wire._generated_rtrext import MessageItem
    from rpcrdma.wire.operations import GroupOption

__all__ = ["GroupError", "GroupedMsg", "OptionRefused", "as_message"]


class GroupedMsg(RdmaMsg, frozen=True, gc=False):
    """An RPC message that one or several transmissions carry.

    Attributes:
        contents: of the operation that begins them.
    """

    contents: XmtReq | XmtResp


class GroupError(RdmaError, frozen=True, gc=False):
    """The peer's word that transmissions of this end were faulty."""

    report: ReptErr


class OptionRefused(RdmaError, frozen=True, gc=False):
    """RDMA2_ERR_INVAL_OPTION: the peer does not support the operation that carried a message."""


def as_message(contents: GroupOption) -> GroupedMsg | GroupError:
    """The object that the roles work on."""
    match contents:
        case XmtReq(optxrq_ddp=items):
            return GroupedMsg(tuple(_reads(items)), (), None, contents)
        case XmtResp():
            # rfc8166 4.3.1: no Reply has a Read list; its items say where data were written.
            return GroupedMsg((), (), None, contents)
        case ReptErr():
            return GroupError(ErrChunk(), contents)


def _reads(items: Iterable[MessageItem]) -> Iterator[ReadSegment]:
    for item in items:
        if isinstance(item.xmdmi_where, ByExplicitRdma):
            for segment in item.xmdmi_where.xmdl_ex:
                yield ReadSegment(item.xmdmi_disp, segment)
