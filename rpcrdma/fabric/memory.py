"""Registered memory and its protection: handles, bounds, access rights, invalidation.

One `ProtectionDomain` belongs to one end of one connection, so a handle of another connection is as
unknown here as an invented one.  The rules are those that a device applies to an R_key (InfiniBand
Architecture Specification volume 1, section 10.6); a denial says which of them was broken, although
the initiator on the wire only learns "remote access error".
"""

from __future__ import annotations

import random
from enum import Enum
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import FabricError

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Access, MemoryRegion

__all__ = ["Denial", "HandleAllocator", "ProtectionDomain", "Region"]

_FIRST_ADDRESS: Final = 0x7F00_0000_0000  # where user memory usually lives on 64-bit Linux
_ALIGNMENT: Final = 64
_MOST_OCTETS: Final = 1 << 30


class Denial(Enum):
    """Why memory may not be touched."""

    UNKNOWN_HANDLE = "no such handle in this protection domain"
    INVALIDATED = "the handle is no longer valid"
    WRONG_ACCESS = "the region was not registered for this access"
    OUT_OF_BOUNDS = "the octets are not all inside the region"


class HandleAllocator:
    """Hands out handles and addresses that nobody can guess but the seed determines.

    Handles are unique in the whole network: a test that uses one on the wrong connection must not
    meet a namesake there.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  # reproducible on purpose
        self._used: set[int] = set()
        self._address = _FIRST_ADDRESS + self._random.randrange(1 << 36) * _ALIGNMENT

    def handle(self) -> int:
        """A 32-bit handle that was never handed out before; not zero."""
        while (handle := self._random.randrange(1, 1 << 32)) in self._used:
            pass
        self._used.add(handle)
        return handle

    def address(self, length: int) -> int:
        """The address of `length` octets that nothing else has; gaps around it are free."""
        self._address += self._random.randrange(1 << 10) * _ALIGNMENT
        return self.place(length, _ALIGNMENT)

    def place(self, length: int, align: int) -> int:
        """The same for what is not registered: it need not be hard to guess.

        The address is a multiple of `align` octets.
        """
        address = self._address + -self._address % align
        end = address + length
        self._address = end + -end % _ALIGNMENT + _ALIGNMENT
        return address


class Region:
    """Registered memory (see `base.MemoryRegion`)."""

    __slots__ = ("_data", "_valid", "access", "handle", "offset")

    def __init__(self, handle: int, offset: int, length: int, access: Access) -> None:
        self.handle = handle
        self.offset = offset
        self.access = access
        self._data = bytearray(length)
        self._valid = True

    @property
    def length(self) -> int:
        """Size in octets."""
        return len(self._data)

    @property
    def valid(self) -> bool:
        """Whether the handle still works."""
        return self._valid

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        """Copy octets out.

        Raises:
            ValueError: the octets are not all inside the region.
        """
        end = self.length if length is None else start + length
        if not 0 <= start <= end <= self.length:
            raise ValueError(f"octets {start} to {end} of a region of {self.length}")
        return bytes(self._data[start:end])

    def write(self, data: bytes, start: int = 0) -> None:
        """Copy octets in.

        Raises:
            ValueError: the octets do not fit.
        """
        end = start + len(data)
        if not 0 <= start <= end <= self.length:
            raise ValueError(f"octets {start} to {end} of a region of {self.length}")
        self._data[start:end] = data

    def invalidate(self) -> None:
        """End every use of the handle; the octets stay readable for their owner."""
        self._valid = False


class ProtectionDomain:
    """The regions of one end of one connection."""

    def __init__(self, allocator: HandleAllocator) -> None:
        self._allocator = allocator
        self._regions: dict[int, Region] = {}

    def register(self, length: int, access: Access) -> Region:
        """Register `length` octets of zeroed memory.

        Raises:
            FabricError: no memory can be of that size.
        """
        if not 1 <= length <= _MOST_OCTETS:
            raise FabricError(f"cannot register {length} octets (1 to {_MOST_OCTETS} are possible)")
        region = Region(self._allocator.handle(), self._allocator.address(length), length, access)
        self._regions[region.handle] = region
        return region

    def place(self, length: int, align: int) -> int:
        """The address of `length` octets of the fabric's own memory, a multiple of `align`."""
        return self._allocator.place(length, align)

    def find(self, handle: int) -> Region | Denial:
        """The valid region with this handle, or why there is none."""
        region = self._regions.get(handle)
        if region is None:
            return Denial.UNKNOWN_HANDLE
        return region if region.valid else Denial.INVALIDATED

    def check_remote(
        self, handle: int, offset: int, length: int, access: Access
    ) -> Region | Denial:
        """The region that the peer may use for this, or why it may not."""
        found = self.find(handle)
        if isinstance(found, Denial):
            return found
        if access not in found.access:
            return Denial.WRONG_ACCESS
        if not found.offset <= offset <= offset + length <= found.offset + found.length:
            return Denial.OUT_OF_BOUNDS
        return found

    def check_local(
        self, region: MemoryRegion, start: int, length: int, access: Access | None
    ) -> Region | Denial:
        """The region as a local buffer; `access` is what is needed besides reading."""
        found = self.find(region.handle)
        if isinstance(found, Denial):
            return found
        if access is not None and access not in found.access:
            return Denial.WRONG_ACCESS
        if not 0 <= start <= start + length <= found.length:
            return Denial.OUT_OF_BOUNDS
        return found

    def lends(
        self, region: MemoryRegion | None, start: int, length: int, access: Access | None
    ) -> bool:
        """Whether work of this end may use the region: always, if it touches no octet."""
        if region is None or length == 0:
            return True
        return isinstance(self.check_local(region, start, length, access), Region)

    @property
    def valid_regions(self) -> tuple[Region, ...]:
        """What is registered and has not been invalidated."""
        return tuple(region for region in self._regions.values() if region.valid)

    def invalidate_all(self) -> None:
        """End every use of every handle, as deregistering does."""
        for region in self._regions.values():
            region.invalidate()
