# Invariant: whatever the octets, their text is made and does not raise, one line is one line; the
# header of any version encodes to what it was read from, also by way of the other version's
# objects; a credential, a property and private data are refused as documented or read for good.
"""Fuzz harness of what reads messages beside the codecs: text, either version, parts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.invariant import BrokenInvariant
from fuzz.registry import FuzzHarness
from fuzz.structure.headers import V2_HEADER
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader, rpc, v2
from rpcrdma.wire._generated_xcharext import decode_property_value
from rpcrdma.wire.chunks import any_overlap, chunk_length, chunks_for_results, group_by_position
from rpcrdma.wire.describe import capture_comment, indented, one_line
from rpcrdma.wire.in_one import body_as_one, encode_as_two
from rpcrdma.wire.private_data import decode_private_data
from rpcrdma.wire.properties import ADOPTED, decode_property, encode_property
from rpcrdma.wire.versions import decode_any_header, encode_any_header

if TYPE_CHECKING:
    from rpcrdma.wire._generated_rfc8166 import Body
    from rpcrdma.wire.versions import AnyHeader

__all__ = ["HARNESS", "Readers", "check"]


class Readers:
    """Those of the library."""

    def line(self, octets: bytes) -> str:
        """The gist of a message."""
        return one_line(octets)

    def header(self, octets: bytes) -> tuple[AnyHeader, int]:
        """The header of any version; DecodeError is its only documented exception."""
        return decode_any_header(octets)


def check(octets: bytes, readers: Readers) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for these octets."""
    line = readers.line(octets)
    if "\n" in line:
        raise BrokenInvariant("not-one-line", repr(line))
    if not indented(octets) or line not in capture_comment(octets):
        raise BrokenInvariant("comment-without-gist", line)
    try:
        header, end = readers.header(octets)
    except DecodeError as error:
        if not 0 <= error.offset <= len(octets):
            raise BrokenInvariant("offset-outside", f"{error.offset} of {len(octets)}") from error
    else:
        if encode_any_header(header) != octets[:end]:
            raise BrokenInvariant("round-trip", f"{octets[:end].hex()} became {header}")
        _check_header(header, octets[:end])
        _check_rpc(octets[end:])
    _check_rpc(octets)
    _check_property(octets)
    private = decode_private_data(octets)
    if private and not 1024 <= min(private.send_size, private.receive_size) <= 1 << 18:
        raise BrokenInvariant("private-size", str(private))


def _check_header(header: AnyHeader, octets: bytes) -> None:
    """A body in the other version's objects is the same; its chunks have what its lists have."""
    if isinstance(header, TransportHeader):
        body: Body | None = header.rdma_body
        made = encode_as_two(header, rpc.MessageType.CALL)
        if made is not None and body_as_one(v2.decode_header(made)[0].rdma_body) != body:
            raise BrokenInvariant("not-the-same-in-two", str(body))
    else:
        two = header.rdma_body
        body = body_as_one(two)
        if body is None:
            v2.direction_of(two)
            return
        one = TransportHeader(header.rdma_xid, header.rdma_vers, header.rdma_credit, body)
        if encode_as_two(one, v2.direction_of(two)) != octets:
            raise BrokenInvariant("not-the-same-in-one", str(two))
    if isinstance(body, RdmaMsg | RdmaNomsg):
        _check_chunks(body)


def _check_chunks(body: RdmaMsg | RdmaNomsg) -> None:
    """The chunks have all octets of the lists, and overlap in whatever order they are."""
    results = chunks_for_results(body)
    reads = group_by_position(body.rdma_reads)
    segments = [read.target for read in body.rdma_reads]
    segments += [segment for chunk in results for segment in chunk.target]
    grouped = sum(map(chunk_length, reads)) + sum(map(chunk_length, results))
    if grouped != sum(segment.length for segment in segments):
        raise BrokenInvariant("octets-of-chunks", str(body))
    if any_overlap(segments) != any_overlap(reversed(segments)):
        raise BrokenInvariant("overlap-by-order", str(body))


def _check_rpc(payload: bytes) -> None:
    """The credential of a Call either is that of AUTH_SYS or is refused."""
    try:
        message, _ = rpc.decode_message(payload)
        if not isinstance(message.body, rpc.CallBody):
            return
        credential = message.body.cred
        parameters = rpc.parse_auth_sys(credential)
    except DecodeError:
        return
    if rpc.encode_auth_sys(parameters) != credential.body:
        raise BrokenInvariant("credential", f"{credential.body.hex()} became {parameters}")


def _check_property(octets: bytes) -> None:
    """A property is encoded as it was read, or it is not known where fewer are."""
    try:
        value, _ = decode_property_value(octets)
        known = decode_property(value, ADOPTED)
    except DecodeError:
        return
    if encode_property(known, ADOPTED) != value:
        raise BrokenInvariant("property", f"{value} became {known}")
    try:
        encode_property(known)
    except LocalProtocolError:
        return  # rtrext's properties have no number without it


HARNESS: Final = FuzzHarness(
    title="what reads messages beside the codecs: as text, in either version, parts of them",
    dictionary="v2.dict",
    check=check,
    reference=Readers,
    messages=lambda octets: [octets],
    seeds=lambda messages: messages,
    mutator=V2_HEADER,
)
