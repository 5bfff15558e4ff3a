"""Record marking: RPC messages in an octet stream such as TCP.

    RFC 5531 section 11    Record Marking Standard

A record is one message; it travels in fragments, each after a word that has the fragment's length
and, in its highest bit, whether it is the record's last.
"""

from __future__ import annotations

from rpcrdma.xdr.runtime import Reader, Writer

__all__ = ["RECORD_MAXIMUM", "RecordError", "RecordReader", "encode_record"]

RECORD_MAXIMUM = 64 * 1024
"""Octets of the longest record that is taken: far more than any call of MOUNT has."""

_MARK = 4
_LAST = 1 << 31


class RecordError(Exception):
    """The stream is not one of records, or one of them is too long."""


def encode_record(message: bytes) -> bytes:
    """A message as a record of one fragment."""
    writer = Writer()
    writer.word(_LAST | len(message))
    return b"".join((*writer.parts, message))


class RecordReader:
    """Takes a stream apart."""

    def __init__(self) -> None:
        self._stream = bytearray()
        self._record = bytearray()

    def feed(self, octets: bytes) -> list[bytes]:
        """Take what arrived; return the messages that it completes.

        Raises:
            RecordError: a record is longer than `RECORD_MAXIMUM`.
        """
        self._stream += octets
        messages: list[bytes] = []
        while len(self._stream) >= _MARK:
            mark = Reader(self._stream, 0).word()
            length = mark & ~_LAST
            if len(self._record) + length > RECORD_MAXIMUM:
                raise RecordError(f"a record of more than {RECORD_MAXIMUM} octets")
            end = _MARK + length
            if len(self._stream) < end:
                break
            self._record += self._stream[_MARK:end]
            del self._stream[:end]
            if mark & _LAST:
                messages.append(bytes(self._record))
                self._record.clear()
        return messages
