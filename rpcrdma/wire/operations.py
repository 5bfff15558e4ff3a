"""The operations that RDMA2_OPTIONAL messages can carry: one table, which everything else reads.

    v2 section 3.1      Optional Features
    v2 section 4.2.2    Message Direction
    xcharext section 4  New Operations (table 2: codes, types, "No." for the payload)
    rtrext section 9    New Operations (table 4: codes, types, notes for the payload; D-90)

An extension that adds operations adds rows here and nowhere else.  An end may know of some
documents only: operations of the others are unknown to it.  The codec
(`rpcrdma.wire.optional`), the text of messages (`rpcrdma.wire.overlays`), the endpoint, the oracle,
profiles, mutants and scenarios all take code, type, payload and answer of an operation from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rpcrdma.wire import _generated_rtrext as rtrext
from rpcrdma.wire import _generated_xcharext as xcharext
from rpcrdma.wire._generated_rpc import MessageType
from rpcrdma.wire._generated_rtrext import (
    ROPT_REPTERR,
    ROPT_XMTCONT,
    ROPT_XMTREQ,
    ROPT_XMTRESP,
    RTRS_XCONT,
    RTRS_XREQ,
    RTRS_XRESP,
    ReptErr,
    XmtCont,
    XmtReq,
    XmtResp,
)
from rpcrdma.wire._generated_xcharext import (
    ROPT_CONNPROP,
    ROPT_REQPROP,
    ROPT_RESPROP,
    ROPT_UPDPROP,
    ConnProp,
    ReqProp,
    RespProp,
    UpdProp,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from rpcrdma.xdr import model
    from rpcrdma.xdr.runtime import Buffer

__all__ = [
    "BY_CODE",
    "BY_NAME",
    "OPERATIONS",
    "ROPT_CONNPROP",
    "ROPT_REPTERR",
    "ROPT_REQPROP",
    "ROPT_RESPROP",
    "ROPT_UPDPROP",
    "ROPT_XMTCONT",
    "ROPT_XMTREQ",
    "ROPT_XMTRESP",
    "RTREXT",
    "XCHAREXT",
    "ConnProp",
    "GroupOption",
    "KnownOption",
    "OptionalOperation",
    "PropertyOption",
    "ReptErr",
    "ReqProp",
    "RespProp",
    "TellingOption",
    "TransmissionOption",
    "UpdProp",
    "XmtCont",
    "XmtReq",
    "XmtResp",
    "among",
    "operation_of",
    "operations_of",
]

PropertyOption = ConnProp | ReqProp | RespProp | UpdProp
"""The contents of an operation of the transport properties."""

TellingOption = ConnProp | RespProp | UpdProp
"""The contents of an operation that tells values of its sender's own properties."""

GroupOption = XmtReq | XmtResp | ReptErr
"""The contents of an operation that begins a transmission group, or is about one."""

TransmissionOption = XmtReq | XmtResp | XmtCont
"""The contents of an operation that carries a part of an RPC message."""

KnownOption = PropertyOption | GroupOption | XmtCont
"""The contents of an operation of the table."""

XCHAREXT: Final = "xcharext"
"""The short name of the document of the transport properties."""

RTREXT: Final = "rtrext"
"""The short name of the document of the round-trip reductions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionalOperation:
    """One operation.

    Attributes:
        code: rdma_opttype.
        constant: the document's name of the code.
        name: that profiles have for it.
        contents: class of what rdma_optinfo holds.
        decode: contents out of octets, and where they end.
        encode: the octets of contents.
        direction: rdma_optdir, as the end says that sends it (D-78, D-110); None is that of the
            message which it continues.
        has_payload: whether octets of an RPC message may follow its header.
        sends: how many Sends there are of the message that it begins, by its contents.
        answered_by: name of the operation that answers it; empty if nothing does.
        needs: names of operations that an end supports wherever it supports this one.
        propvalset: the field of the contents that holds property values; empty if none does.
        schema: the types of the document.
        document: its short name.
        section: where it describes the operation.
        support_bit: bit of RTR Support that tells of it (rtrext 8.2); 0 if none does.
    """

    code: int
    constant: str
    name: str
    contents: type[KnownOption]
    decode: Callable[[Buffer], tuple[KnownOption, int]]
    encode: Callable[[Any], bytes]
    direction: MessageType | None
    has_payload: bool
    sends: Callable[[Any], int]
    answered_by: str = ""
    needs: tuple[str, ...] = ()
    propvalset: str = ""
    schema: model.Schema
    document: str
    section: str
    support_bit: int = 0

    @property
    def is_answer(self) -> bool:
        """Whether it goes the way of Replies, and so answers something."""
        return self.direction is MessageType.REPLY

    @property
    def begins_rpc(self) -> bool:
        """Whether the beginning of an RPC message follows its header."""
        return self.has_payload and self.direction is not None

    def way(self, group: MessageType = MessageType.CALL) -> MessageType:
        """rdma_optdir of a message of it; `group` is that of what a continuation continues."""
        return group if self.direction is None else self.direction


def _alone(_contents: KnownOption) -> int:
    """The message is one Send."""
    return 1


def _counted(contents: XmtReq | XmtResp) -> int:
    """A group begins, whose count includes this Send (D-98)."""
    return contents.optxrq_count if isinstance(contents, XmtReq) else contents.optxrs_count


OPERATIONS: Final = (
    OptionalOperation(
        code=ROPT_CONNPROP,
        constant="ROPT_CONNPROP",
        name="connprop",
        contents=ConnProp,
        decode=xcharext.decode_conn_prop,
        encode=xcharext.encode_conn_prop,
        direction=MessageType.CALL,
        has_payload=False,
        sends=_alone,
        propvalset="opticonnpr_start",
        schema=xcharext.SCHEMA,
        document=XCHAREXT,
        section="4.1",
    ),
    OptionalOperation(
        code=ROPT_REQPROP,
        constant="ROPT_REQPROP",
        name="reqprop",
        contents=ReqProp,
        decode=xcharext.decode_req_prop,
        encode=xcharext.encode_req_prop,
        direction=MessageType.CALL,
        has_payload=False,
        sends=_alone,
        answered_by="resprop",
        needs=("resprop",),
        propvalset="optreqpr_want",
        schema=xcharext.SCHEMA,
        document=XCHAREXT,
        section="4.2",
    ),
    OptionalOperation(
        code=ROPT_RESPROP,
        constant="ROPT_RESPROP",
        name="resprop",
        contents=RespProp,
        decode=xcharext.decode_resp_prop,
        encode=xcharext.encode_resp_prop,
        direction=MessageType.REPLY,
        has_payload=False,
        sends=_alone,
        needs=("connprop",),
        propvalset="optrespr_other",
        schema=xcharext.SCHEMA,
        document=XCHAREXT,
        section="4.3",
    ),
    OptionalOperation(
        code=ROPT_UPDPROP,
        constant="ROPT_UPDPROP",
        name="updprop",
        contents=UpdProp,
        decode=xcharext.decode_upd_prop,
        encode=xcharext.encode_upd_prop,
        direction=MessageType.CALL,
        has_payload=False,
        sends=_alone,
        needs=("connprop",),
        propvalset="optupdpr_now",
        schema=xcharext.SCHEMA,
        document=XCHAREXT,
        section="4.4",
    ),
    OptionalOperation(
        code=ROPT_XMTREQ,
        constant="ROPT_XMTREQ",
        name="xmtreq",
        contents=XmtReq,
        decode=rtrext.decode_xmt_req,
        encode=rtrext.encode_xmt_req,
        direction=MessageType.CALL,
        has_payload=True,
        sends=_counted,
        needs=("repterr",),
        schema=rtrext.SCHEMA,
        document=RTREXT,
        section="9.2",
        support_bit=RTRS_XREQ,
    ),
    OptionalOperation(
        code=ROPT_XMTRESP,
        constant="ROPT_XMTRESP",
        name="xmtresp",
        contents=XmtResp,
        decode=rtrext.decode_xmt_resp,
        encode=rtrext.encode_xmt_resp,
        direction=MessageType.REPLY,
        has_payload=True,
        sends=_counted,
        needs=("repterr",),
        schema=rtrext.SCHEMA,
        document=RTREXT,
        section="9.3",
        support_bit=RTRS_XRESP,
    ),
    OptionalOperation(
        code=ROPT_XMTCONT,
        constant="ROPT_XMTCONT",
        name="xmtcont",
        contents=XmtCont,
        decode=rtrext.decode_xmt_cont,
        encode=rtrext.encode_xmt_cont,
        direction=None,
        has_payload=True,
        sends=_alone,
        needs=("repterr",),
        schema=rtrext.SCHEMA,
        document=RTREXT,
        section="9.4",
        support_bit=RTRS_XCONT,
    ),
    OptionalOperation(
        code=ROPT_REPTERR,
        constant="ROPT_REPTERR",
        name="repterr",
        contents=ReptErr,
        decode=rtrext.decode_rept_err,
        encode=rtrext.encode_rept_err,
        direction=MessageType.REPLY,
        has_payload=False,
        sends=_alone,
        schema=rtrext.SCHEMA,
        document=RTREXT,
        section="9.5",
    ),
)
"""Every operation that is known here, by code.  What one needs: xcharext 4, after table 2; rtrext
5.4, REPTERR."""

BY_CODE: Final[Mapping[int, OptionalOperation]] = {one.code: one for one in OPERATIONS}
"""The operations by rdma_opttype; any other is unknown, and gets RDMA2_ERR_INVAL_OPTION."""

BY_NAME: Final[Mapping[str, OptionalOperation]] = {one.name: one for one in OPERATIONS}
"""The operations by the names that profiles have for them."""

_BY_CONTENTS: Final[Mapping[type[KnownOption], OptionalOperation]] = {
    one.contents: one for one in OPERATIONS
}


def operation_of(contents: KnownOption) -> OptionalOperation:
    """The operation that contents are of."""
    return _BY_CONTENTS[type(contents)]


def among(codes: Collection[int]) -> Mapping[int, OptionalOperation]:
    """The operations that have one of these codes, by code."""
    return {code: one for code, one in BY_CODE.items() if code in codes}


def operations_of(document: str) -> tuple[OptionalOperation, ...]:
    """The operations that a document defines, by code."""
    return tuple(one for one in OPERATIONS if one.document == document)
