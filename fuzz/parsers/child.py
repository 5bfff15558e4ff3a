"""Starts a parser that is under test, in a process of its own; runs by itself, as a script.

    python child.py program WORD...    becomes the program
    python child.py library PATH       answers for `rpcrdma_parse` of a shared library

The process ends with the one that started it, even if a parser hangs.  The octets that a library
is given end where its memory ends, and so does the room for its answer: one octet more is a death.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import signal
import sys

__all__ = ["ROOM", "SYMBOL", "main"]

SYMBOL = "rpcrdma_parse"
"""The function of a shared library."""

ROOM = 1 << 16
"""Octets for an answer: enough for what 8 KiB can say."""

_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

_REFUSED_TO_LOAD = 3
"""Exit status for a library that cannot be used."""

_LIBC = ctypes.CDLL(None, use_errno=True)


class _Fenced:
    """Memory behind which there is none."""

    def __init__(self, size: int) -> None:
        length = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        self._map = mmap.mmap(-1, length + mmap.PAGESIZE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.end = start + length
        fence = ctypes.c_void_p(self.end), ctypes.c_size_t(mmap.PAGESIZE), ctypes.c_int(0)
        if _LIBC.mprotect(*fence):
            raise OSError(ctypes.get_errno(), "mprotect")


def main(arguments: list[str]) -> int:
    """Do what the arguments say; returns the exit status."""
    kind, *words = arguments
    _LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    # A fuzzed process has little address space; sanitizers need much.
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        if kind == "program":
            os.execvp(words[0], words)  # noqa: S606  (no shell is what is wanted)
        return _serve(words[0])
    except (OSError, AttributeError) as error:
        sys.stderr.write(f"{error}\n")
        return _REFUSED_TO_LOAD


def _serve(path: str) -> int:
    parse = getattr(ctypes.CDLL(path), SYMBOL)
    parse.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
    parse.restype = ctypes.c_int32
    answers = os.dup(1)
    os.dup2(2, 1)  # what the library prints is no answer
    octets, room = _Fenced(ROOM), _Fenced(ROOM)
    for line in sys.stdin.buffer:
        given = bytes.fromhex(line.decode("ascii"))
        place = octets.end - len(given)
        ctypes.memmove(place, given, len(given))
        ctypes.memset(room.end - ROOM, 0, ROOM)
        length: int = parse(place, len(given), room.end - ROOM, ROOM)
        os.write(answers, _line(length, room.end - ROOM))
    return 0


def _line(length: int, answer: int) -> bytes:
    if length < 0:
        return f"no {length}\n".encode()
    if length > ROOM:
        return f"a length of {length} where there is room for {ROOM}\n".encode()
    return b"ok " + ctypes.string_at(answer, length).replace(b"\n", b"?") + b"\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
