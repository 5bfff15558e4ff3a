"""The contents of RDMA2_OPTIONAL messages as typed objects.

    v2 section 3.1      Optional Features
    xcharext section 4  New Operations (table 2: codes and types)

Operations that are not known here stay opaque; that they are to be answered by
RDMA2_ERR_INVAL_OPTION is the endpoint's affair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from rpcrdma.errors import DecodeError
from rpcrdma.wire._generated_v2 import SCHEMA, Rdma2Optional, encode_rdma2_optional
from rpcrdma.wire._generated_xcharext import (
    ROPT_CONNPROP,
    ROPT_REQPROP,
    ROPT_RESPROP,
    ROPT_UPDPROP,
    ConnProp,
    PropertyValue,
    ReqProp,
    RespProp,
    UpdProp,
    decode_conn_prop,
    decode_req_prop,
    decode_resp_prop,
    decode_upd_prop,
    encode_conn_prop,
    encode_req_prop,
    encode_resp_prop,
    encode_upd_prop,
)
from rpcrdma.wire.overlays import overlaid
from rpcrdma.wire.properties import decode_property
from rpcrdma.wire.versions import FIXED_WORDS
from rpcrdma.xdr.tree import build_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.wire._generated_rpc import MessageType
    from rpcrdma.xdr.runtime import Buffer

__all__ = [
    "ROPT_CONNPROP",
    "ROPT_REQPROP",
    "ROPT_RESPROP",
    "ROPT_UPDPROP",
    "ConnProp",
    "KnownOption",
    "Option",
    "ReqProp",
    "RespProp",
    "UnknownOption",
    "UpdProp",
    "decode_option",
    "encode_option",
    "opttype_of",
    "values_of",
]

KnownOption = ConnProp | ReqProp | RespProp | UpdProp
"""The contents of an operation of the transport properties."""

_DECODERS: Final[Mapping[int, Callable[[Buffer], tuple[KnownOption, int]]]] = {
    ROPT_CONNPROP: decode_conn_prop,
    ROPT_REQPROP: decode_req_prop,
    ROPT_RESPROP: decode_resp_prop,
    ROPT_UPDPROP: decode_upd_prop,
}


@dataclass(frozen=True, slots=True)
class UnknownOption:
    """An operation that is not known here, with its octets as they are."""

    opttype: int
    octets: bytes


Option = KnownOption | UnknownOption
"""What an RDMA2_OPTIONAL message says."""


def decode_option(optional: Rdma2Optional, offset: int = 0) -> Option:
    """What an RDMA2_OPTIONAL message says; every property in it that is known is of its type.

    Args:
        optional: the body of the message.
        offset: where its header begins in the buffer that it was decoded from.

    Raises:
        DecodeError: the operation is known and the octets are not exactly its type, or a known
            property among them is not; offset and path are those of the whole message.
    """
    decode = _DECODERS.get(optional.rdma_opttype)
    if decode is None:
        return UnknownOption(optional.rdma_opttype, optional.rdma_optinfo)
    try:
        option, end = decode(optional.rdma_optinfo)
        for value in values_of(option):
            decode_property(value)
    except DecodeError:
        raise _explanation(optional, offset) from None
    if end != len(optional.rdma_optinfo):
        raise _explanation(optional, offset)
    return option


def encode_option(direction: MessageType, option: Option) -> Rdma2Optional:
    """The body of the message that says it.

    Raises:
        EncodeError: the option holds what XDR cannot express.
    """
    match option:
        case ConnProp():
            octets = encode_conn_prop(option)
        case ReqProp():
            octets = encode_req_prop(option)
        case RespProp():
            octets = encode_resp_prop(option)
        case UpdProp():
            octets = encode_upd_prop(option)
        case UnknownOption():
            octets = option.octets
    return Rdma2Optional(direction, opttype_of(option), octets)


def opttype_of(option: Option) -> int:
    """The code of the operation."""
    match option:
        case ConnProp():
            return ROPT_CONNPROP
        case ReqProp():
            return ROPT_REQPROP
        case RespProp():
            return ROPT_RESPROP
        case UpdProp():
            return ROPT_UPDPROP
        case UnknownOption(opttype=opttype):
            return opttype


def values_of(option: KnownOption) -> tuple[PropertyValue, ...]:
    """The propvalset that an operation carries; each has exactly one."""
    match option:
        case ConnProp():
            return option.opticonnpr_start
        case ReqProp():
            return option.optreqpr_want
        case RespProp():
            return option.optrespr_other
        case UpdProp():
            return option.optupdpr_now


def _explanation(optional: Rdma2Optional, offset: int) -> DecodeError:
    """The fault of a body that is known to have one, placed in the whole message."""
    tree = overlaid(build_tree(SCHEMA, "Rdma2Optional", encode_rdma2_optional(optional)))
    # The tree stops where the decoders stop (a test compares them), so there is one.
    error = cast("DecodeError", tree.error)
    place = offset + FIXED_WORDS + error.offset
    return DecodeError(place, f"rdma_body.{error.path}", error.reason, error.detail)
