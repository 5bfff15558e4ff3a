"""What one Send is, for whoever watches the wire or tampers with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import ReptErr
from rpcrdma.wire.operations import XmtCont, XmtReq, XmtResp
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.transmission import payload_length

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire._generated_rtrext import MessageItem
    from rpcrdma.wire.v2 import Rdma2Body

Contents = XmtReq | XmtResp | XmtCont | ReptErr


class Part(NamedTuple):
    """A Send.

    Attributes:
        octets: all of it.
        xid: of its header.
        credit: likewise.
        body: likewise.
        contents: of its operation; None if it is no RDMA2_OPTIONAL.
        end: of the header, in octets.
    """

    octets: bytes
    xid: int
    credit: int
    body: Rdma2Body
    contents: Contents | None
    end: int

    @property
    def begins(self) -> int:
        """Transmissions of the group that it begins; 0 if it begins none."""
        match self.contents:
            case XmtReq(optxrq_count=count) | XmtResp(optxrs_count=count):
                return count
            case _:
                return 0

    @property
    def items(self) -> tuple[MessageItem, ...]:
        """What is taken out of the Payload stream of the group that it begins."""
        match self.contents:
            case XmtReq(optxrq_ddp=items) | XmtResp(optxrs_ddp=items):
                return items
            case _:
                return ()

    @property
    def front(self) -> int:
        """Octets of header and Payload stream, if it is part of a group."""
        return self.end + (0 if self.contents is None else payload_length(self.contents))

    def changed(self, fields: Mapping[str, object], xid: int | None = None) -> bytes:
        """The Send with other values of fields of its operation, or with another XID."""
        assert self.contents is not None
        contents = msgspec.structs.replace(self.contents, **fields)
        body = encode_option(v2.direction_of(self.body), contents)
        header = v2.Rdma2Header(self.xid if xid is None else xid, v2.VERSION, self.credit, body)
        return v2.encode_header(header) + self.octets[self.end :]


def part_of(send: bytes) -> Part:
    """Take a Send apart."""
    header, end = v2.decode_header(send)
    body, contents = header.rdma_body, None
    if isinstance(body, v2.Rdma2Optional):
        option = decode_option(body)
        assert isinstance(option, Contents), option
        contents = option
    return Part(send, header.rdma_xid, header.rdma_credit, body, contents, end)
