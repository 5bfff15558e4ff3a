"""The connection manager of librdmacm, by ctypes: identifiers, event channels, private data.

Why not `pyverbs.cmid`: in release 44 a `CMEvent` does not say which connection it is about, a
channel does not show its file descriptor (so nothing can be waited for with a deadline), a listener
cannot tell its port, an identifier cannot move to a channel of its own, and a rejection carries no
private data.  Queue pairs, memory and completions are pyverbs' (`verbs_queue`); both meet in two
numbers, the queue pair's and the device's name.

Structures and constants are those of rdma/rdma_cma.h and infiniband/verbs.h (a stable ABI).  Every
failed call raises `OSError`; what that means is decided in `cm`.  A channel never blocks.
"""

from __future__ import annotations

import ctypes
import os
import socket
from ctypes import POINTER, byref, c_char_p, c_int, c_uint8, c_uint16, c_void_p
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any, Final

from rpcrdma.errors import DeviceUnavailable
from rpcrdma.fabric.rdmacm_types import (
    Channel,
    ConnParam,
    Id,
    QpAttributes,
    RawCmEvent,
    SocketAddress4,
    SocketAddress6,
)

__all__ = ["CmEvent", "CmEventKind", "ConnectOptions", "EventChannel", "Identifier", "QpAttributes"]

_PORT_SPACE_TCP: Final = 0x0106


class CmEventKind(IntEnum):
    """`enum rdma_cm_event_type`."""

    ADDR_RESOLVED = 0
    ADDR_ERROR = 1
    ROUTE_RESOLVED = 2
    ROUTE_ERROR = 3
    CONNECT_REQUEST = 4
    CONNECT_RESPONSE = 5
    CONNECT_ERROR = 6
    UNREACHABLE = 7
    REJECTED = 8
    ESTABLISHED = 9
    DISCONNECTED = 10
    DEVICE_REMOVAL = 11
    MULTICAST_JOIN = 12
    MULTICAST_ERROR = 13
    ADDR_CHANGE = 14
    TIMEWAIT_EXIT = 15


@dataclass(frozen=True, slots=True)
class CmEvent:
    """One event.

    Attributes:
        kind: what happened.
        status: 0, a negative errno, or the reason of a rejection.
        identifier: address of the `rdma_cm_id` that it is about; of a request, the new one.
        private_data: what the peer sent along.
        responder_resources: most RDMA Reads that the peer wants to have under way to us.
        initiator_depth: most RDMA Reads from us that the peer will serve at once.
    """

    kind: CmEventKind
    status: int
    identifier: int
    private_data: bytes
    responder_resources: int
    initiator_depth: int


@dataclass(frozen=True, slots=True)
class ConnectOptions:
    """What goes into a request or reply of the CM (`struct rdma_conn_param`)."""

    private_data: bytes
    responder_resources: int
    initiator_depth: int
    retry: int
    rnr_retry: int
    queue_pair: int


_PROTOTYPES: Final[
    dict[str, tuple[Any, ...]]
] = {  # ctypes' own types: name -> (result, *arguments)
    "rdma_create_event_channel": (POINTER(Channel),),
    "rdma_destroy_event_channel": (None, POINTER(Channel)),
    "rdma_get_cm_event": (c_int, POINTER(Channel), POINTER(POINTER(RawCmEvent))),
    "rdma_ack_cm_event": (c_int, POINTER(RawCmEvent)),
    "rdma_create_id": (c_int, POINTER(Channel), POINTER(c_void_p), c_void_p, c_int),
    "rdma_destroy_id": (c_int, c_void_p),
    "rdma_migrate_id": (c_int, c_void_p, POINTER(Channel)),
    "rdma_bind_addr": (c_int, c_void_p, c_void_p),
    "rdma_resolve_addr": (c_int, c_void_p, c_void_p, c_void_p, c_int),
    "rdma_resolve_route": (c_int, c_void_p, c_int),
    "rdma_listen": (c_int, c_void_p, c_int),
    "rdma_connect": (c_int, c_void_p, POINTER(ConnParam)),
    "rdma_accept": (c_int, c_void_p, POINTER(ConnParam)),
    "rdma_establish": (c_int, c_void_p),
    "rdma_reject": (c_int, c_void_p, c_char_p, c_uint8),
    "rdma_disconnect": (c_int, c_void_p),
    "rdma_init_qp_attr": (c_int, c_void_p, POINTER(QpAttributes), POINTER(c_int)),
    "rdma_get_src_port": (c_uint16, c_void_p),
}


@cache
def _library() -> Any:  # noqa: ANN401  # ctypes has no type for a library's functions
    try:
        library = ctypes.CDLL("librdmacm.so.1", use_errno=True)
    except OSError as error:
        raise DeviceUnavailable(
            "librdmacm.so.1 cannot be loaded: install the package librdmacm1"
        ) from error
    for name, (result, *arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


@cache
def _device_name_function() -> Any:  # noqa: ANN401  # likewise
    function = ctypes.CDLL("libibverbs.so.1").ibv_get_device_name
    function.restype, function.argtypes = c_char_p, (c_void_p,)
    return function


def _check(result: int, what: str) -> None:
    if result != 0:
        # librdmacm returns -1 and sets errno; some paths return the errno itself.
        number = ctypes.get_errno() if result == -1 else abs(result)
        raise OSError(number, f"{what}: {os.strerror(number)}")


class EventChannel:
    """Where the events of identifiers come out."""

    def __init__(self) -> None:
        channel = _library().rdma_create_event_channel()
        if not channel:
            _check(-1, "opening the connection manager")
        self.pointer = channel
        self._open = True
        os.set_blocking(self.fileno(), False)

    def fileno(self) -> int:
        """The descriptor that is readable while there are events."""
        return int(self.pointer.contents.fd)

    def next_event(self) -> CmEvent | None:
        """The next event, acknowledged already; None if there is none now."""
        pointer = POINTER(RawCmEvent)()
        try:
            result = _library().rdma_get_cm_event(self.pointer, byref(pointer))
            _check(result, "reading an event of the connection manager")
        except BlockingIOError:
            return None
        raw = pointer.contents
        conn = raw.conn
        data = b""
        if conn.private_data and conn.private_data_len:
            data = ctypes.string_at(conn.private_data, conn.private_data_len)
        event = CmEvent(
            CmEventKind(raw.event),
            raw.status,
            raw.id,
            data,
            conn.responder_resources,
            conn.initiator_depth,
        )
        _check(_library().rdma_ack_cm_event(pointer), "acknowledging an event")
        return event

    def close(self) -> None:
        """Close the channel, after its identifiers.  Twice is allowed."""
        if self._open:
            self._open = False
            _library().rdma_destroy_event_channel(self.pointer)


class Identifier:
    """One `rdma_cm_id`: a listener, or one end of a connection."""

    def __init__(self, channel: EventChannel, pointer: int | None = None) -> None:
        """Make a new one on the channel, or take over the one that a request brought."""
        self._pointer = c_void_p(pointer)
        if pointer is None:
            result = _library().rdma_create_id(
                channel.pointer, byref(self._pointer), None, _PORT_SPACE_TCP
            )
            _check(result, "making a CM identifier")
        self._open = True

    @property
    def device(self) -> str | None:
        """The name of the device that the address belongs to, once that is known."""
        context = ctypes.cast(self._pointer, POINTER(Id)).contents.verbs
        if not context:
            return None
        name: bytes = _device_name_function()(context.contents.device)
        return name.decode()

    @property
    def port(self) -> int:
        """The local port."""
        return socket.ntohs(_library().rdma_get_src_port(self._pointer))

    def move_to(self, channel: EventChannel) -> None:
        """Have the events of this identifier come out of another channel."""
        _check(_library().rdma_migrate_id(self._pointer, channel.pointer), "moving to a channel")

    def bind(self, host: str, port: int) -> None:
        """Take a local address."""
        address = socket_address(host, port)
        _check(_library().rdma_bind_addr(self._pointer, byref(address)), f"binding to {host}")

    def resolve_address(self, source: str | None, host: str, port: int, timeout_ms: int) -> None:
        """Start finding the device that leads to an address."""
        local = None if source is None else byref(socket_address(source, 0))
        remote = socket_address(host, port)
        result = _library().rdma_resolve_addr(self._pointer, local, byref(remote), timeout_ms)
        _check(result, f"finding the RDMA device for {host}")

    def resolve_route(self, timeout_ms: int) -> None:
        """Start finding the route."""
        _check(_library().rdma_resolve_route(self._pointer, timeout_ms), "finding the route")

    def listen(self, backlog: int) -> None:
        """Start listening."""
        _check(_library().rdma_listen(self._pointer, backlog), "listening")

    def connect(self, options: ConnectOptions) -> None:
        """Send the request."""
        _check(_library().rdma_connect(self._pointer, byref(_conn_param(options))), "connecting")

    def accept(self, options: ConnectOptions) -> None:
        """Send the reply to a request."""
        _check(_library().rdma_accept(self._pointer, byref(_conn_param(options))), "accepting")

    def establish(self) -> None:
        """Tell the peer that its reply arrived."""
        _check(_library().rdma_establish(self._pointer), "finishing the handshake")

    def reject(self, private_data: bytes) -> None:
        """Refuse a request."""
        data = private_data or None
        _check(_library().rdma_reject(self._pointer, data, len(private_data)), "rejecting")

    def disconnect(self) -> None:
        """Tell the peer that the connection ends, or answer that."""
        _check(_library().rdma_disconnect(self._pointer), "disconnecting")

    def queue_pair_attributes(self, state: int) -> tuple[QpAttributes, int]:
        """What the CM wants a queue pair to be set to for `state`, and the mask of what is set."""
        attributes, mask = QpAttributes(qp_state=state), c_int()
        result = _library().rdma_init_qp_attr(self._pointer, byref(attributes), byref(mask))
        _check(result, "asking for queue pair attributes")
        return attributes, mask.value

    def close(self) -> None:
        """Destroy the identifier; ends a connection under way.  Twice is allowed."""
        if self._open:
            self._open = False
            _check(_library().rdma_destroy_id(self._pointer), "closing a CM identifier")


def socket_address(host: str, port: int) -> SocketAddress4 | SocketAddress6:
    """`struct sockaddr` for a host name or numeric address.

    Raises:
        OSError: the name has no address.
    """
    family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    octets = (c_uint8 * 2)(*port.to_bytes(2, "big"))
    packed = socket.inet_pton(family, str(where[0]).split("%")[0])
    if family == socket.AF_INET6:
        scope = int(where[3]) if len(where) > 3 else 0  # (host, port, flow, scope)
        return SocketAddress6(family, octets, 0, (c_uint8 * 16)(*packed), scope)
    return SocketAddress4(family, octets, (c_uint8 * 4)(*packed))


def _conn_param(options: ConnectOptions) -> ConnParam:
    buffer = ctypes.create_string_buffer(options.private_data, max(1, len(options.private_data)))
    result = ConnParam(
        private_data=ctypes.cast(buffer, c_void_p).value if options.private_data else None,
        private_data_len=len(options.private_data),
        responder_resources=options.responder_resources,
        initiator_depth=options.initiator_depth,
        flow_control=1,
        retry_count=options.retry,
        rnr_retry_count=options.rnr_retry,
        qp_num=options.queue_pair,
    )
    result.kept = buffer  # as long as the structure that points to it
    return result
