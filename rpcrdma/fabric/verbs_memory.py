"""Registered memory of a device: regions for the peer, and buffers for messages.

A region that the peer may reach is named by a type 2 memory window where the device has them: only
a window (and no ordinary user-space registration: rxe's, for one, are refused) can be invalidated
by the peer's Send With Invalidate.  Where the device has none, the handle is the registration's
R_key, and only this side can end it.

Memory is mapped here and not by pyverbs, so that its octets stay readable after deregistering.
Buffers are registered in slabs and used again: a Send or Receive costs no registration.  A mapping
begins with a page; a slab for an alignment that pages do not have begins later in a larger one.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any, Final

from pyverbs.mr import MR
from pyverbs.wr import SGE, RecvWR, SendWR

from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.fabric.verbs_status import ACCESS_FLAGS, MW_BIND, access_flags
from rpcrdma.fabric.verbs_work import SEND, SEND_WITH_INVALIDATE, SIGNALED

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Access
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.fabric.segments import Placement

__all__ = ["BufferPool", "ReceiveBuffer", "Regions", "SendBuffer", "VerbsRegion"]

_SMALLEST_SEND: Final = 4096
_SLAB_OCTETS: Final = 64 * 1024


class VerbsRegion:
    """Registered memory (see `base.MemoryRegion`)."""

    __slots__ = ("_memory", "_registration", "access", "handle", "length", "offset", "window")

    def __init__(self, domain: Any, length: int, access: Access, *, bindable: bool) -> None:  # noqa: ANN401  # a pyverbs PD
        self._memory = mmap.mmap(-1, length)
        self.offset = _address(self._memory)
        self.length = length
        self.access = access
        flags = access_flags(access) | (MW_BIND if bindable else 0)
        self._registration: Any = MR(domain, length, flags, address=self.offset)
        self.handle: int = self._registration.rkey
        self.window: Any = None  # the pyverbs MW that gave the handle, if any

    @property
    def valid(self) -> bool:
        """Whether the handle still works."""
        return self._registration is not None

    @property
    def local_key(self) -> int:
        """The L_key, for work of this side; 0 (which no region has) once invalidated."""
        return 0 if self._registration is None else int(self._registration.lkey)

    @property
    def registration(self) -> Any:  # noqa: ANN401  # a pyverbs MR
        """What a window is bound to."""
        return self._registration

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        """Copy octets out.

        Raises:
            ValueError: the octets are not all inside the region.
        """
        end = self.length if length is None else start + length
        self._check(start, end)
        return self._memory[start:end]

    def write(self, data: bytes, start: int = 0) -> None:
        """Copy octets in.

        Raises:
            ValueError: the octets do not fit.
        """
        end = start + len(data)
        self._check(start, end)
        self._memory[start:end] = bytes(data)

    def release_window(self) -> None:
        """Let go of the window, which must not outlive its queue pair."""
        if self.window is not None:
            self.window.close()
            self.window = None

    def release(self) -> None:
        """Deregister; when this returns, the device knows the handle no longer."""
        self.release_window()
        if self._registration is not None:
            self._registration.close()
            self._registration = None

    def _check(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= self.length:
            raise ValueError(f"octets {start} to {end} of a region of {self.length}")


class SendBuffer:
    """Room for one outgoing message, with the work request that sends it.

    Attributes:
        is_plain: whether the request is a Send that is not signalled and invalidates nothing, as
            nearly all are: then no word of it but its number has to be set again.
    """

    __slots__ = ("element", "free", "is_plain", "memory", "request", "start")

    def __init__(self, slab: _Slab, start: int, room: int, free: list[SendBuffer]) -> None:
        self.memory, self.start, self.free = slab.memory, start, free
        self.element = SGE(slab.address + start, room, slab.local_key)
        self.request = SendWR(num_sge=1, sg=[self.element])
        # From here on the request looks at the element itself, whose length can then be changed.
        self.request.sg_list = self.element
        self.is_plain = False

    def prepare(self, invalidate: int | None, *, signalled: bool) -> None:
        """Make the request a Send, or a Send With Invalidate of the handle."""
        request = self.request
        request.opcode = SEND if invalidate is None else SEND_WITH_INVALIDATE
        if invalidate is not None:
            request.imm_data = invalidate  # the same word as invalidate_rkey
        request.send_flags = SIGNALED if signalled else 0
        self.is_plain = invalidate is None and not signalled


class ReceiveBuffer:
    """Room for one incoming message or a segment of it, with the work request that posts it alone.

    Attributes:
        place: address, length and L_key, as an element of a work request has them.
    """

    __slots__ = ("free", "length", "memory", "place", "request", "start")

    def __init__(self, slab: _Slab, start: int, length: int, free: list[ReceiveBuffer]) -> None:
        self.memory, self.start, self.length, self.free = slab.memory, start, length, free
        self.place = (slab.address + start, length, slab.local_key)
        element = SGE(*self.place)
        self.request = RecvWR(num_sge=1, sg=[element])
        element.close()

    @property
    def address(self) -> int:
        """Of its first octet."""
        return self.place[0]

    def read(self, length: int) -> bytes:
        """The first octets of it."""
        return self.memory[self.start : self.start + length]

    def placed(self, _length: int) -> tuple[Placement, ...]:
        """Nothing: where a message lies that it holds alone is nobody else's business."""
        return ()

    def release(self) -> None:
        """Give it back to the pool."""
        self.free.append(self)


class Regions:
    """What is registered on one connection, by handle; the trace is told of all that becomes of it.

    Args:
        recorder: of the connection.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._by_handle: dict[int, VerbsRegion] = {}

    def add(self, region: VerbsRegion) -> None:
        """Remember a region that is ready to be named."""
        self._by_handle[region.handle] = region
        self._recorder.registered(region)

    def invalidate(self, handle: int) -> None:
        """This end ends the peer's access; a handle that has ended already is passed over."""
        if handle in self._by_handle:
            self._by_handle.pop(handle).release()
            self._recorder.note(Side.LOCAL, EventKind.INVALIDATE, handle=handle)

    def invalidated(self, handle: int) -> None:
        """The peer's Send With Invalidate has ended it."""
        self._recorder.note(Side.PEER, EventKind.INVALIDATE, handle=handle)
        region = self._by_handle.pop(handle, None)
        if region is not None:
            region.release()

    def release_windows(self) -> None:
        """Let go of the windows, which must not outlive the queue pair."""
        for region in self._by_handle.values():
            region.release_window()

    def release(self) -> None:
        """Deregister everything, after the queue pair."""
        for region in self._by_handle.values():
            region.release()
        self._by_handle.clear()


class _Slab:
    """Registered memory that buffers are cut from.

    Attributes:
        address: of the mapping.
        start: of what is registered, within the mapping: the first octet at the alignment.
    """

    __slots__ = ("address", "local_key", "memory", "registration", "start")

    def __init__(self, domain: Any, octets: int, align: int) -> None:  # noqa: ANN401  # a pyverbs PD
        spare = align - 1 if mmap.PAGESIZE % align else 0
        self.memory = mmap.mmap(-1, octets + spare)
        self.address = _address(self.memory)
        self.start = -self.address % align
        flags = ACCESS_FLAGS[next(iter(ACCESS_FLAGS))]  # local writing only: no peer reaches it
        self.registration = MR(domain, octets, flags, address=self.address + self.start)
        self.local_key = self.registration.lkey


class BufferPool:
    """The message buffers of one connection; they come back when their work completes.

    A buffer comes back by being appended to `free`, the list of its like.
    """

    def __init__(self, domain: Any) -> None:  # noqa: ANN401  # a pyverbs PD
        self._domain = domain
        self._slabs: list[_Slab] = []
        self._small_sends: list[SendBuffer] = []
        self._sends = {_SMALLEST_SEND: self._small_sends}
        self._receives: dict[tuple[int, int], list[ReceiveBuffer]] = {}

    def for_send(self, data: bytes) -> SendBuffer:
        """A buffer that holds the message."""
        length = len(data)
        if length <= _SMALLEST_SEND:
            buffer = (self._small_sends or self._more(_SMALLEST_SEND)).pop()
        else:
            room = 1 << (length - 1).bit_length()
            buffer = (self._sends.get(room) or self._more(room)).pop()
        start = buffer.start
        buffer.memory[start : start + length] = data
        buffer.element.length = length
        return buffer

    def _more(self, room: int) -> list[SendBuffer]:
        free = self._sends.setdefault(room, [])
        slab, starts = self._cut(room)
        free.extend(SendBuffer(slab, start, room, free) for start in starts)
        return free

    def for_receive(self, length: int, align: int = 1) -> ReceiveBuffer:
        """A buffer of exactly the length, since a longer message must be refused.

        Its address is a multiple of `align` octets.
        """
        kind = length, align
        free = self._receives.get(kind)
        if not free:
            free = self._receives.setdefault(kind, [])
            slab, starts = self._cut(max(1, length), align)
            free.extend(ReceiveBuffer(slab, start, length, free) for start in starts)
        return free.pop()

    def release(self) -> None:
        """Deregister everything, after the queue pair."""
        for slab in self._slabs:
            slab.registration.close()
        self._slabs.clear()
        self._small_sends.clear()
        self._sends.clear()
        self._receives.clear()

    def _cut(self, length: int, align: int = 1) -> tuple[_Slab, range]:
        """A slab, and where the buffers begin in its mapping."""
        room = length + -length % align
        count = max(1, _SLAB_OCTETS // room)
        count = min(count, 64)
        slab = _Slab(self._domain, (count - 1) * room + length, align)
        self._slabs.append(slab)
        return slab, range(slab.start, slab.start + count * room, room)


def _address(memory: mmap.mmap) -> int:
    """Where the mapping is; the view that asks is gone at once, so the mapping can be freed."""
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))
