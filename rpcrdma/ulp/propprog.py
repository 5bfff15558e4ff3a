"""The program by which a client has a server see to properties (`rpcrdma/spec/propprog.x`).

    xcharext section 4.2  ROPT_REQPROP: Request Modification of Properties
    xcharext section 4.4  ROPT_UPDPROP: Update Transport Properties

It stands for a server's administrator.  Nothing of it is DDP-eligible.  What does it is behind
`SeesToProperties`: this module knows no transport.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from rpcrdma.ulp import rpc
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.wire import _generated_propprog as wire
from rpcrdma.wire.properties import PropertyValue, properties_of, property_values

if TYPE_CHECKING:
    from rpcrdma.wire.properties import Property

__all__ = ["PropertyProgram", "SeesToProperties", "ask", "change"]

V1: Final = wire.PROPERTY_V1


class SeesToProperties(Protocol):
    """The service behind one connection."""

    def ask(self, *wanted: Property) -> None:
        """Ask the client to change properties."""
        ...

    def change(self, *values: Property) -> None:
        """Change properties of the server."""
        ...


class PropertyProgram(ProcedureTable):
    """The program of one connection."""

    def __init__(self, service: SeesToProperties) -> None:
        self._service = service
        nothing = 0, ()
        super().__init__(
            wire.PROPERTY_PROGRAM,
            wire.PROPERTY_VERSION,
            {
                V1.PROPERTY_NULL: ProgramProcedure(
                    no_arguments, lambda asked, _: [rpc.accepted(asked.xid)], lambda _: nothing
                ),
                V1.PROPERTY_ASK: ProgramProcedure(_decode_wish, self._ask, lambda _: nothing),
                V1.PROPERTY_CHANGE: ProgramProcedure(_decode_wish, self._change, lambda _: nothing),
            },
        )

    def _ask(self, asked: rpc.RpcCall, wanted: tuple[Property, ...]) -> list[bytes]:
        self._service.ask(*wanted)
        return [rpc.accepted(asked.xid)]

    def _change(self, asked: rpc.RpcCall, values: tuple[Property, ...]) -> list[bytes]:
        self._service.change(*values)
        return [rpc.accepted(asked.xid)]


def _decode_wish(buffer: bytes, offset: int) -> tuple[tuple[Property, ...], int]:
    wish, end = wire.decode_property_wish(buffer, offset)
    return properties_of(PropertyValue(item.which, item.data) for item in wish.items), end


# For testers: complete call payloads.


def ask(xid: int, *wanted: Property) -> bytes:
    """PROPERTY_ASK."""
    return _call(xid, V1.PROPERTY_ASK, wanted)


def change(xid: int, *values: Property) -> bytes:
    """PROPERTY_CHANGE."""
    return _call(xid, V1.PROPERTY_CHANGE, values)


def _call(xid: int, procedure: wire.PROPERTY_V1, values: tuple[Property, ...]) -> bytes:
    items = tuple(wire.PropertyItem(one.pv_which, one.pv_data) for one in property_values(*values))
    arguments = wire.encode_property_wish(wire.PropertyWish(items))
    return rpc.encode_call(xid, wire.PROPERTY_PROGRAM, wire.PROPERTY_VERSION, procedure, arguments)
