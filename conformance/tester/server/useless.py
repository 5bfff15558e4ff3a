"""Messages that complete no call, by name: each costs a client a Receive all the same.

    octets = useless.ONE["err-chunk"](service, call)

    rfc8166 section 3.3.1  RPC-over-RDMA Credits
    rfc8166 section 4.5    Error Handling
    v2 section 4.2.3       Transport Errors

Each is made for a call that waits; whether that ends it is for the oracle to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.server.reply import draft_error, far_from
from rpcrdma.wire import ErrChunk, ErrVers, RdmaDone, RdmaMsgp, RdmaSegment, ReadSegment, WriteChunk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.server.received import ReceivedCall
    from conformance.tester.server.service import Service
    from rpcrdma.wire import ErrorBody

    Made = Callable[[Service, ReceivedCall], bytes]

__all__ = ["ONE", "TWO"]

_STRAY: Final = 300
_SHORT: Final = 20
_PROCEDURE: Final = 12
_ERROR_CODE: Final = 16
_NO_NUMBER: Final = 77


def _stray(service: Service, call: ReceivedCall) -> bytes:
    return service.draft(call).stray(_STRAY).octets


def _error(error: ErrorBody, *, to_nobody: bool = False) -> Made:
    def make(service: Service, call: ReceivedCall) -> bytes:
        draft = draft_error(call, service.grant, error)
        return draft.changed(xid=far_from(call.xid) if to_nobody else call.xid).octets

    return make


def _with_word(place: int, value: int) -> Made:
    def make(service: Service, call: ReceivedCall) -> bytes:
        good = service.draft(call).octets
        return good[:place] + value.to_bytes(4) + good[place + 4 :]

    return make


def _bad_error(service: Service, call: ReceivedCall) -> bytes:
    return draft_error(call, service.grant, ErrChunk()).octets[:_ERROR_CODE] + bytes(4)


def _short(service: Service, call: ReceivedCall) -> bytes:
    return service.draft(call).octets[:_SHORT]


def _read_list(service: Service, call: ReceivedCall) -> bytes:
    nothing = ReadSegment(4, RdmaSegment(0x00BAD000, 4, 0))
    return service.draft(call).with_reads(nothing).octets


def _write_list(service: Service, call: ReceivedCall) -> bytes:
    draft = service.draft(call)
    unasked = WriteChunk((RdmaSegment(0x00BAD000, 0, 0),))
    return draft.with_writes(*draft.lists.rdma_writes, unasked).octets


def _two_xids(service: Service, call: ReceivedCall) -> bytes:
    draft = service.draft(call)
    return draft.changed(payload=far_from(call.xid).to_bytes(4) + draft.payload[4:]).octets


def _done(service: Service, call: ReceivedCall) -> bytes:
    return service.draft(call).changed(body=RdmaDone(), payload=bytes(12)).octets


def _msgp(service: Service, call: ReceivedCall) -> bytes:
    return service.draft(call).changed(body=RdmaMsgp(4, 1024, (), (), None)).octets


TWO: Final[Mapping[str, Made]] = {
    "unknown-xid": _stray,
    "err-chunk": _error(ErrChunk()),
    "bad-error": _bad_error,
    "unknown-procedure": _with_word(_PROCEDURE, _NO_NUMBER),
    "read-list": _read_list,
    "write-list": _write_list,
}
"""Those of Version Two, where most are what they are in Version One."""

ONE: Final[Mapping[str, Made]] = {
    **TWO,
    "error-to-nobody": _error(ErrChunk(), to_nobody=True),
    "short": _short,
    "two-xids": _two_xids,
    "err-vers": _error(ErrVers(1, 1)),
    "done": _done,
    "msgp": _msgp,
}
"""Those of Version One."""
