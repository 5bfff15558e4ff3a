"""The decoder that rpcgen made, called in this process."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MOST_OCTETS", "CDecoder", "RoundTrip"]

MOST_OCTETS: Final = 1 << 16
"""Of an input: what rpcgen makes of a list calls itself for each element, which 8 octets can be."""

_COUNTERS: Final = 8192
"""Blocks that are told apart, most of them; a power of two."""


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """An item that was decoded, and encoded again.

    Attributes:
        end: offset after the item.
        again: what it encodes the item as.
    """

    end: int
    again: bytes


class CDecoder:
    """A library that `build` made."""

    def __init__(self, library: Path) -> None:
        loaded = ctypes.CDLL(str(library))
        size = ctypes.POINTER(ctypes.c_size_t)
        self._decode = loaded.decode
        self._decode.argtypes = (
            *(ctypes.c_char_p, ctypes.c_size_t, size),
            *(ctypes.c_char_p, ctypes.c_size_t, size),
        )
        self._decode.restype = ctypes.c_int
        self._count_in = loaded.count_in
        self._count_in.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        self._count_in.restype = None
        self._room = ctypes.create_string_buffer(MOST_OCTETS)
        self._end, self._length = ctypes.c_size_t(), ctypes.c_size_t()
        self._counters = bytearray()

    def decode(self, octets: bytes) -> RoundTrip | None:
        """What it makes of the octets; None: it refuses them.

        Raises:
            ValueError: there are more than `MOST_OCTETS`, or it cannot encode what it decoded.
        """
        if len(octets) > MOST_OCTETS:
            raise ValueError(f"{len(octets)} octets for a decoder that calls itself")
        end, length = self._end, self._length
        taken = self._decode(
            octets,
            len(octets),
            ctypes.byref(end),
            self._room,
            MOST_OCTETS,
            ctypes.byref(length),
        )
        if taken < 0:
            raise ValueError(f"C cannot encode what it decoded of {octets.hex()}")
        return RoundTrip(end.value, ctypes.string_at(self._room, length.value)) if taken else None

    def counters(self) -> bytearray:
        """Memory in which the blocks of the decoder count from now on; never made longer."""
        if not self._counters:
            self._counters = bytearray(_COUNTERS)
            memory = (ctypes.c_char * _COUNTERS).from_buffer(self._counters)
            self._count_in(ctypes.addressof(memory), _COUNTERS)
            _KEPT.append(memory)
        return self._counters


_KEPT: Final[list[object]] = []
"""What a library points at must outlive it, and a process loads it once."""
