from __future__ import annotations

import ctypes
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

from fuzz import counters

if TYPE_CHECKING:
    import pytest


def test_a_sanitizer_that_was_preloaded_is_not_taken_for_the_fuzzer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = {"__sanitizer_cov_8bit_counters_init": None, "__sanitizer_cov_pcs_init": None}
    own = SimpleNamespace(core_with_libfuzzer=SimpleNamespace(__file__="fuzzer.so"))
    monkeypatch.setitem(sys.modules, "atheris", own)

    sanitizer = SimpleNamespace(**names)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: sanitizer if name is None else name)
    assert counters._fuzzer() == "fuzzer.so"

    fuzzer = SimpleNamespace(**names, LLVMFuzzerRunDriver=None)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: fuzzer if name is None else name)
    assert counters._fuzzer() is fuzzer


class Init:
    """Takes a range of memory, as libFuzzer does."""

    restype: object = "int"

    def __init__(self) -> None:
        self.taken: list[tuple[int, int]] = []

    def __call__(self, start: ctypes.c_void_p, end: ctypes.c_void_p) -> None:
        assert start.value is not None
        assert end.value is not None
        self.taken.append((start.value, end.value))


def test_the_fuzzer_gets_the_memory_itself_and_an_entry_for_each_counter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Fuzzer:
        pass

    setattr(Fuzzer, "__sanitizer_cov_8bit_counters_init", Init())
    setattr(Fuzzer, "__sanitizer_cov_pcs_init", Init())

    monkeypatch.setattr(counters, "_fuzzer", lambda: Fuzzer)
    memory = bytearray(10)

    counters.give_to_fuzzer(memory)

    ((start, end),) = vars(Fuzzer)["__sanitizer_cov_8bit_counters_init"].taken
    memory[3] = 7
    assert ctypes.string_at(start, end - start) == b"\0\0\0\7" + bytes(6)
    ((first, last),) = vars(Fuzzer)["__sanitizer_cov_pcs_init"].taken
    assert last - first == 10 * 2 * ctypes.sizeof(ctypes.c_size_t)
