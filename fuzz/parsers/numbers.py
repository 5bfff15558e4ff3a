"""A header as numbers in the order of its XDR: what a parser has to say of what it has read.

The XDR's own octets would not do: a parser could give back what it was given.  A number stands for
each integer, also of 64 bits, enumeration and length.  A list is its length and its elements, what
may be absent is 0, or 1 and the item, a union is its discriminant and its arm, and opaque data are
their length and each octet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma import wire
from rpcrdma.wire import v2

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["numbers_of"]

_ARMS: Final[dict[type, int]] = {
    wire.RdmaMsg: wire.Procedure.RDMA_MSG,
    wire.RdmaNomsg: wire.Procedure.RDMA_NOMSG,
    wire.RdmaMsgp: wire.Procedure.RDMA_MSGP,
    wire.RdmaDone: wire.Procedure.RDMA_DONE,
    wire.RdmaError: wire.Procedure.RDMA_ERROR,
    wire.ErrVers: wire.ErrorCode.ERR_VERS,
    wire.ErrChunk: wire.ErrorCode.ERR_CHUNK,
    v2.Rdma2Msg: v2.Rdma2Procedure.RDMA2_MSG,
    v2.Rdma2Nomsg: v2.Rdma2Procedure.RDMA2_NOMSG,
    v2.Rdma2Error: v2.Rdma2Procedure.RDMA2_ERROR,
    v2.Rdma2Optional: v2.Rdma2Procedure.RDMA2_OPTIONAL,
    v2.ErrBadHeader: v2.Rdma2ErrorCode.RDMA2_ERR_BAD_HEADER,
    v2.ErrInvalidOption: v2.Rdma2ErrorCode.RDMA2_ERR_INVAL_OPTION,
}
"""Arm of a union -> its discriminant; ErrVers has the same one in both versions."""


def numbers_of(header: msgspec.Struct) -> list[tuple[str, int]]:
    """Each number of a header, and the path of the field that it is of."""
    return list(_walk("", header))


def _walk(path: str, value: object) -> Iterator[tuple[str, int]]:
    match value:
        case int():
            yield path, value
        case bytes() | tuple():
            yield f"{path}.length", len(value)
            for number, item in enumerate(value):
                yield from _walk(f"{path}[{number}]", item)
        case msgspec.Struct():
            if type(value) in _ARMS:
                yield f"{path}.arm", _ARMS[type(value)]
            for name in value.__struct_fields__:
                field = f"{path}.{name}".lstrip(".")
                item = getattr(value, name)
                if name == "rdma_reply":  # the only optional item
                    yield f"{field}.present", int(item is not None)
                yield from _walk(field, item)
        case _:
            return
