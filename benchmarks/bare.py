"""What Python costs at the least: messages and RDMA Writes by pyverbs and librdmacm alone.

For comparison only.  Everything is done with the fewest calls that work, with no trace.  The calls
of librdmacm block, and nothing else here has a deadline, either; whoever uses this must see to one
(`benchmarks/endpoint.py` has `faulthandler` end the process).

There are two ping-pongs, which differ in how they wait for a reply: `BarePingPong` as librdmacm
does (look once, ask for a notification, look again, sleep), `LookingPingPong` as this project's
connections do (look some times before that).
"""

from __future__ import annotations

import multiprocessing
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

from rpcrdma.fabric.base import Access, Address, ConnectionParameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection as Pipe

__all__ = ["BarePingPong", "BareWrite", "LookingPingPong", "Sink"]

DEADLINE: Final = 30.0
SINK_DEADLINE: Final = 600.0
"""Seconds that the sink waits for somebody to connect: it is started before anything else."""

_RELIABLE_CONNECTION: Final = 2  # IBV_QPT_RC
_RECEIVED: Final = 1 << 7  # IBV_WC_RECV, a bit of enum ibv_wc_opcode


class _Bare:
    """A connection made by librdmacm."""

    def __init__(self, address: Address, receives: int = 16, *, own_queue: bool = False) -> None:
        # Only a machine with a device has pyverbs.
        from pyverbs.cm_enums import RDMA_PS_TCP
        from pyverbs.cmid import CMID, AddrInfo
        from pyverbs.cq import CQ, CompChannel
        from pyverbs.qp import QPCap, QPInitAttr

        where = AddrInfo(dst=address.host, dst_service=str(address.port), port_space=RDMA_PS_TCP)
        self.queue: Any = None
        self.channel: Any = None
        self.end = CMID(creator=where)
        if own_queue:
            self.channel = CompChannel(self.end.context)
            self.queue = CQ(self.end.context, receives + 16, None, self.channel, 0)
        attributes = QPInitAttr(
            qp_type=_RELIABLE_CONNECTION,
            scq=self.queue,
            rcq=self.queue,
            cap=QPCap(max_recv_wr=receives, max_send_wr=16),
            sq_sig_all=1,
        )
        self.end.create_qp(attributes)

    def close(self) -> None:
        """End the connection."""
        self.end.disconnect()
        self.end.close()
        if self.queue is not None:
            self.queue.close()
            self.channel.close()


class BarePingPong(_Bare):
    """One message there and one back, each time it is called; `receives` are posted."""

    def __init__(self, address: Address, messages: Iterator[bytes], receives: int) -> None:
        super().__init__(address, receives)
        self._messages = messages
        self._out = self.end.reg_msgs(1024)
        buffers = [self.end.reg_msgs(1024) for _ in range(receives)]
        for buffer in buffers:
            self.end.post_recv(buffer)
        self._in = cycle(buffers)  # they are used in the order of posting
        self.end.connect()

    def __call__(self) -> None:
        """Send the next message, wait for the answer, and copy it out."""
        message = next(self._messages)
        self._out.write(message, len(message))
        self.end.post_send(self._out, 0, len(message))
        length = self.end.get_recv_comp().byte_len
        self.end.get_send_comp()
        buffer = next(self._in)
        buffer.read(length, 0)
        self.end.post_recv(buffer)


class LookingPingPong(_Bare):
    """The same, but it looks `looks` times more often before it asks for a notification.

    It has a completion queue of its own for that: librdmacm looks once at those that it makes.
    """

    def __init__(
        self, address: Address, messages: Iterator[bytes], receives: int, looks: int
    ) -> None:
        super().__init__(address, receives, own_queue=True)
        self._messages = messages
        self._looks = looks
        self._out = self.end.reg_msgs(1024)
        buffers = [self.end.reg_msgs(1024) for _ in range(receives)]
        for buffer in buffers:
            self.end.post_recv(buffer)
        self._in = cycle(buffers)
        self.end.connect()

    def __call__(self) -> None:
        """Send the next message, wait for the answer, and copy it out."""
        message = next(self._messages)
        self._out.write(message, len(message))
        self.end.post_send(self._out, 0, len(message))
        left = 2  # the message sent, and the answer
        while left:
            for completion in self._some():
                left -= 1
                if completion.opcode & _RECEIVED:
                    buffer = next(self._in)
                    buffer.read(completion.byte_len, 0)
                    self.end.post_recv(buffer)

    def _some(self) -> list[Any]:
        """Completions (pyverbs WC), at least one."""
        poll: Callable[[int], tuple[int, list[Any]]] = self.queue.poll
        for _ in range(self._looks):
            count, found = poll(2)
            if count:
                return found
        while True:
            self.queue.req_notify()
            count, found = poll(2)
            if count:
                return found
            self.channel.get_cq_event(self.queue)
            self.queue.ack_events(1)


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
