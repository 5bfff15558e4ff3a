"""A parser of Version One headers as a program: `rpcrdma fuzz v1-header --program` checks it.

Reads a line of hexadecimal, writes a line: `ok` and the numbers, or `no` and why.  With `--bug` it
forgets that a Reply chunk may be absent where there is a Write list.
"""

from __future__ import annotations

import sys
from typing import Final

BUG: Final = "--bug" in sys.argv[1:]

MSG, NOMSG, MSGP, DONE, ERROR = range(5)
ERR_VERS, ERR_CHUNK = 1, 2


class Refused(Exception):
    """The octets are no header."""


class HeaderWords:
    """Takes big-endian integers from octets."""

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self.place = 0

    def number(self, size: int = 4) -> int:
        """The next integer of `size` octets."""
        if len(self.octets) - self.place < size:
            raise Refused("too short")
        self.place += size
        return int.from_bytes(self.octets[self.place - size : self.place], "big")

    def is_true(self) -> bool:
        """The next boolean."""
        number = self.number()
        if number > 1:
            raise Refused("no boolean")
        return bool(number)


def segment(reader: HeaderWords) -> list[int]:
    """Handle, length, offset."""
    return [reader.number(), reader.number(), reader.number(8)]


def read_list(reader: HeaderWords) -> list[int]:
    """How many read segments, and each: Position first."""
    count, said = 0, []
    while reader.is_true():
        count += 1
        said += [reader.number(), *segment(reader)]
    return [count, *said]


def write_chunk(reader: HeaderWords) -> list[int]:
    """How many segments, and each."""
    count = reader.number()
    if count * 16 > len(reader.octets) - reader.place:
        raise Refused("too short")
    return [count, *(number for _ in range(count) for number in segment(reader))]


def write_list(reader: HeaderWords) -> list[int]:
    """How many Write chunks, and each."""
    count, said = 0, []
    while reader.is_true():
        count += 1
        said += write_chunk(reader)
    return [count, *said]


def lists(reader: HeaderWords) -> list[int]:
    """The three lists of chunks."""
    reads, writes = read_list(reader), write_list(reader)
    if BUG and writes[0]:
        reader.number()
        return [*reads, *writes, 1, *write_chunk(reader)]
    reply = [1, *write_chunk(reader)] if reader.is_true() else [0]
    return [*reads, *writes, *reply]


def error(reader: HeaderWords) -> list[int]:
    """What an RDMA_ERROR says."""
    code = reader.number()
    if code not in {ERR_VERS, ERR_CHUNK}:
        raise Refused("unknown error")
    return [code, reader.number(), reader.number()] if code == ERR_VERS else [code]


def header(octets: bytes) -> list[int]:
    """Octets that the header takes, then its numbers in the order of the XDR."""
    reader = HeaderWords(octets)
    said = [reader.number() for _ in range(4)]
    procedure = said[-1]
    if procedure in {MSG, NOMSG}:
        said += lists(reader)
    elif procedure == MSGP:
        said += [reader.number(), reader.number(), *lists(reader)]
    elif procedure == ERROR:
        said += error(reader)
    elif procedure != DONE:
        raise Refused("unknown procedure")
    return [reader.place, *said]


def answer(line: str) -> str:
    """What is said of one line."""
    try:
        return f"ok {' '.join(map(str, header(bytes.fromhex(line))))}"
    except Refused as refused:
        return f"no {refused}"


if __name__ == "__main__":
    for question in sys.stdin:
        sys.stdout.write(f"{answer(question)}\n")
        sys.stdout.flush()  # or whoever asks waits for ever
