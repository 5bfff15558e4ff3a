"""The contents of RDMA2_OPTIONAL messages as typed objects.

    v2 section 3.1      Optional Features
    xcharext section 4  New Operations (table 2: codes and types)

Operations that are not in the table (`rpcrdma.wire.operations`) stay opaque; that they are to be
answered by RDMA2_ERR_INVAL_OPTION is the endpoint's affair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import msgspec

from rpcrdma.errors import DecodeError
from rpcrdma.wire._generated_v2 import SCHEMA, Rdma2Optional, encode_rdma2_optional
from rpcrdma.wire.operations import BY_CODE, KnownOption, operation_of
from rpcrdma.wire.overlays import overlaid
from rpcrdma.wire.properties import BASIC, decode_property
from rpcrdma.wire.versions import FIXED_WORDS
from rpcrdma.xdr.tree_builder import build_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire._generated_rpc import MessageType
    from rpcrdma.wire._generated_xcharext import PropertyValue
    from rpcrdma.wire.operations import OptionalOperation
    from rpcrdma.wire.properties import PropertyNumbers

__all__ = [
    "Option",
    "UnknownOption",
    "decode_option",
    "encode_option",
    "opttype_of",
    "values_of",
    "with_values",
]


@dataclass(frozen=True, slots=True)
class UnknownOption:
    """An operation that is not known here, with its octets as they are."""

    opttype: int
    octets: bytes


Option = KnownOption | UnknownOption
"""What an RDMA2_OPTIONAL message says."""

_ZEROES: Final = bytes(64)
"""More than the shortest contents of any operation: all zero, every list in it is empty."""


def decode_option(
    optional: Rdma2Optional, offset: int = 0, known: PropertyNumbers = BASIC
) -> Option:
    """What an RDMA2_OPTIONAL message says; every property in it that is known is of its type.

    Args:
        optional: the body of the message.
        offset: where its header begins in the buffer that it was decoded from.
        known: the properties that whoever decodes it knows.

    Raises:
        DecodeError: the operation is known and the octets are not exactly its type, or a known
            property among them is not; offset and path are those of the whole message.
    """
    operation = BY_CODE.get(optional.rdma_opttype)
    if operation is None:
        return UnknownOption(optional.rdma_opttype, optional.rdma_optinfo)
    try:
        option, end = operation.decode(optional.rdma_optinfo)
        for value in values_of(option):
            decode_property(value, known)
    except DecodeError:
        raise _explanation(optional, offset, known) from None
    if end != len(optional.rdma_optinfo):
        raise _explanation(optional, offset, known)
    return option


def encode_option(direction: MessageType, option: Option) -> Rdma2Optional:
    """The body of the message that says it.

    Raises:
        EncodeError: the option holds what XDR cannot express.
    """
    if isinstance(option, UnknownOption):
        return Rdma2Optional(direction, option.opttype, option.octets)
    operation = operation_of(option)
    return Rdma2Optional(direction, operation.code, operation.encode(option))


def opttype_of(option: Option) -> int:
    """The code of the operation."""
    return option.opttype if isinstance(option, UnknownOption) else operation_of(option).code


def values_of(option: KnownOption) -> tuple[PropertyValue, ...]:
    """The property values that an operation carries."""
    field = operation_of(option).propvalset
    values: tuple[PropertyValue, ...] = getattr(option, field) if field else ()
    return values


def with_values(operation: OptionalOperation, values: Sequence[PropertyValue]) -> KnownOption:
    """Contents of an operation with a propvalset that carry these values and nothing else."""
    empty, _ = operation.decode(_ZEROES)
    return msgspec.structs.replace(empty, **{operation.propvalset: tuple(values)})


def _explanation(optional: Rdma2Optional, offset: int, known: PropertyNumbers) -> DecodeError:
    """The fault of a body that is known to have one, placed in the whole message."""
    body = build_tree(SCHEMA, "Rdma2Optional", encode_rdma2_optional(optional))
    tree = overlaid(body, known)
    # The tree stops where the decoders stop (a test compares them), so there is one.
    error = cast("DecodeError", tree.error)
    place = offset + FIXED_WORDS + error.offset
    return DecodeError(place, f"rdma_body.{error.path}", error.reason, error.detail)
