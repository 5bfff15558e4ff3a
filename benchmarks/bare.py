"""What Python costs at the least: messages and RDMA Writes by pyverbs and librdmacm alone.

For comparison only.  Everything is done with the fewest calls that work: one buffer for each
direction, the synchronous calls of librdmacm, no trace.  Those calls block; whoever uses this must
see to a deadline (`benchmarks/endpoint.py` has `faulthandler` end the process).
"""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.base import Access, Address, ConnectionParameters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection as Pipe

__all__ = ["BarePingPong", "BareWrite", "Sink"]

DEADLINE: Final = 30.0
SINK_DEADLINE: Final = 600.0
"""Seconds that the sink waits for somebody to connect: it is started before anything else."""

_RELIABLE_CONNECTION: Final = 2  # IBV_QPT_RC


class _Bare:
    """A connection made by librdmacm."""

    def __init__(self, address: Address) -> None:
        # Only a machine with a device has pyverbs.
        from pyverbs.cm_enums import RDMA_PS_TCP
        from pyverbs.cmid import CMID, AddrInfo
        from pyverbs.qp import QPCap, QPInitAttr

        where = AddrInfo(dst=address.host, dst_service=str(address.port), port_space=RDMA_PS_TCP)
        cap = QPCap(max_recv_wr=16, max_send_wr=16)
        attributes = QPInitAttr(qp_type=_RELIABLE_CONNECTION, cap=cap, sq_sig_all=1)
        self.end = CMID(creator=where, qp_init_attr=attributes)

    def close(self) -> None:
        """End the connection."""
        self.end.disconnect()
        self.end.close()


class BarePingPong(_Bare):
    """One message there and one back, each time it is called."""

    def __init__(self, address: Address, messages: Iterator[bytes]) -> None:
        super().__init__(address)
        self._messages = messages
        self._out = self.end.reg_msgs(1024)
        self._in = self.end.reg_msgs(1024)
        self.end.post_recv(self._in)
        self.end.connect()

    def __call__(self) -> None:
        """Send the next message, wait for the answer, and copy it out."""
        message = next(self._messages)
        self._out.write(message, len(message))
        self.end.post_send(self._out, 0, len(message))
        length = self.end.get_recv_comp().byte_len
        self.end.get_send_comp()
        self._in.read(length, 0)
        self.end.post_recv(self._in)


class BareWrite(_Bare):
    """One RDMA Write of the whole memory of a sink, each time it is called."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink.address)
        self.end.connect()
        self._handle, self._offset = sink.coordinates()
        self._length = sink.length
        self._source = self.end.reg_write(self._length)

    def __call__(self) -> None:
        """Write, and wait for the acknowledgement."""
        self.end.post_write(self._source, self._length, self._offset, self._handle)
        self.end.get_send_comp()


class Sink:
    """A process that offers memory for writing and has nothing to do.

    It must be a process: the calls of librdmacm keep Python from doing anything else meanwhile.
    """

    def __init__(self, host: str, length: int) -> None:
        # A fork is quick where starting Python takes seconds; no device must be open yet.
        context = multiprocessing.get_context("fork")
        self.length = length
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_offer, args=(host, length, theirs), daemon=True)
        self._process.start()
        self.address = Address(host, self._next())

    def coordinates(self) -> tuple[int, int]:
        """Handle and offset of the memory, once somebody is connected."""
        return self._next(), self._next()

    def close(self) -> None:
        """Wait for the process, which ends with its connection."""
        self._process.join(DEADLINE)
        self._pipe.close()

    def _next(self) -> int:
        if not self._pipe.poll(DEADLINE):
            raise TimeoutError(f"the sink said nothing for {DEADLINE:.0f} s")
        return int(self._pipe.recv())


def _offer(host: str, length: int, pipe: Pipe) -> None:
    from rpcrdma.fabric.verbs import VerbsFabric

    with VerbsFabric(host) as fabric:
        listener = fabric.listen(Address(host, 0))
        pipe.send(listener.address.port)
        request = listener.accept(SINK_DEADLINE)
        if request is None:
            return
        connection = request.accept(ConnectionParameters(), DEADLINE)
        region = connection.register(length, Access.LOCAL_WRITE | Access.REMOTE_WRITE)
        pipe.send(region.handle)
        pipe.send(region.offset)
        # The synchronous disconnect of the other side waits for this side's answer.
        while connection.connected:
            connection.poll(DEADLINE)
