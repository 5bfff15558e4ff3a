"""Memory of this process as counters of the fuzzer: what changes in it tells an input from others.

libFuzzer takes a byte a counter, clears all of them before an input, and keeps an input that brings
a counter into another of its ranges (1, 2, 3, 4 to 7, ...).  Each counter has an entry in a table
of addresses, as clang's -fsanitize-coverage=inline-8bit-counters,pc-table lays both out.
"""

from __future__ import annotations

import ctypes
from typing import Final

from fuzz.uncounted import COUNTERS

__all__ = ["give_to_fuzzer"]

_ENTRY_WORDS: Final = 2
"""Of an entry of the table: the address of the code, and flags."""


def give_to_fuzzer(counters: bytearray) -> None:
    """Have atheris' libFuzzer look at counters, until the process ends.

    Args:
        counters: never made longer or shorter from now on.
    """
    size = len(counters)
    memory = (ctypes.c_char * size).from_buffer(counters)
    # The fuzzer counts the addresses that were reached, and follows none of them.
    first = ctypes.addressof(memory)
    words = [word for number in range(size) for word in (first + number, 0)]
    table = (ctypes.c_size_t * (_ENTRY_WORDS * size))(*words)
    fuzzer = _fuzzer()
    for name, block in (
        ("__sanitizer_cov_8bit_counters_init", memory),
        ("__sanitizer_cov_pcs_init", table),
    ):
        init = getattr(fuzzer, name)
        init.restype = None
        start = ctypes.addressof(block)
        init(ctypes.c_void_p(start), ctypes.c_void_p(start + ctypes.sizeof(block)))
    _KEPT.append((memory, table))
    COUNTERS.append(counters)


def _fuzzer() -> ctypes.CDLL:
    """The library that has libFuzzer: the process if it was preloaded, else atheris' own."""
    process = ctypes.CDLL(None)
    # A sanitizer that was preloaded has the other names, too, and does nothing there.
    if hasattr(process, "LLVMFuzzerRunDriver"):
        return process
    from atheris import core_with_libfuzzer  # only a fuzzed process has it

    return ctypes.CDLL(core_with_libfuzzer.__file__)


_KEPT: Final[list[tuple[object, object]]] = []
"""What the fuzzer points at must outlive it."""
