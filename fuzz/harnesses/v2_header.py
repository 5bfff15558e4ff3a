# Invariant: whatever the octets, decoding a Version Two header keeps what v1_header keeps;
# the contents of an RDMA2_OPTIONAL either are refused by a DecodeError that points into them, or
# give an option that encodes to exactly these contents.
"""Fuzz harness of the Version Two header decoder and its overlays (v2 4.2, xcharext 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from fuzz.header_codec import HeaderCodec, check_header, count_segments
from fuzz.invariant import BrokenInvariant
from fuzz.registry import FuzzHarness
from fuzz.structure.headers import V2_HEADER
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.optional import Option, decode_option, encode_option

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CONTENTS", "HARNESS", "OptionCodec", "V2ReferenceCodec", "check", "naming_version_two"]

CONTENTS: Final = 28
"""Where rdma_optinfo begins in the header, after its length (v2 4.2)."""


_VERSION_TWO: Final = b"\0\0\0\2"
"""The second word of a message that names Version Two."""


class OptionCodec(HeaderCodec[v2.Rdma2Header], Protocol):
    """A decoder of headers and of the contents of RDMA2_OPTIONAL."""

    def option(self, body: v2.Rdma2Optional) -> Option:
        """What the body says; DecodeError is its only documented exception."""
        ...


class V2ReferenceCodec:
    """The generated codec and the typed layer above it."""

    def decode(self, octets: bytes) -> tuple[v2.Rdma2Header, int]:
        """The header and the offset after it."""
        return v2.decode_header(octets)

    def encode(self, header: v2.Rdma2Header) -> bytes:
        """The octets of a header."""
        return v2.encode_header(header)

    def segments(self, header: v2.Rdma2Header) -> int:
        """How many segments its lists hold."""
        body = header.rdma_body
        if not isinstance(body, v2.Rdma2Msg | v2.Rdma2Nomsg):
            return 0
        return count_segments(body.rdma_reads, body.rdma_writes, body.rdma_reply)

    def option(self, body: v2.Rdma2Optional) -> Option:
        """What its rdma_optinfo says."""
        return decode_option(body)


def check(octets: bytes, codec: OptionCodec) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for these octets."""
    header = check_header(octets, codec)
    if header is None or not isinstance(header.rdma_body, v2.Rdma2Optional):
        return
    body = header.rdma_body
    try:
        option = codec.option(body)
    except DecodeError as error:
        if not CONTENTS <= error.offset <= CONTENTS + len(body.rdma_optinfo):
            raise BrokenInvariant("option-offset-outside", f"offset {error.offset}") from error
        return
    if encode_option(body.rdma_optdir, option) != body:
        raise BrokenInvariant("option-round-trip", f"{body.rdma_optinfo.hex()} became {option}")


def naming_version_two(messages: Iterable[bytes]) -> list[bytes]:
    """Those that the decoder of Version Two would be given."""
    return [message for message in messages if message[4:8] == _VERSION_TWO]


HARNESS: Final = FuzzHarness(
    title="the decoder of Version Two headers and of what RDMA2_OPTIONAL holds",
    dictionary="v2.dict",
    check=check,
    reference=V2ReferenceCodec,
    messages=lambda octets: [octets],
    seeds=naming_version_two,
    mutator=V2_HEADER,
)
