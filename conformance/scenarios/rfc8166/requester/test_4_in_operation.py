"""rfc8166 section 4 RPC-over-RDMA in Operation: the calls that a Requester makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.ulp.pattern import letters, pattern
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

ACTS = [
    (ActKind.NULL, 0),
    (ActKind.SMALL, 0),
    (ActKind.READ, 16),
    (ActKind.READ, 5001),
    (ActKind.READ, 70000),
    (ActKind.WRITE, 16),
    (ActKind.WRITE, 5001),
    (ActKind.WRITE, 70000),
    (ActKind.LONG_CALL, 0),
    (ActKind.LONG_REPLY, 0),
]


@requirement(
    "rfc8166.4.header-is-xdr",
    "rfc8166.4.1.2.header-layout",
    "rfc8166.4.3.three-optional-lists",
    role="requester",
)
@pytest.mark.parametrize(("kind", "length"), ACTS, ids=[f"{kind}-{n}" for kind, n in ACTS])
def test_requester_makes_good_calls(
    service: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """Whatever the client is told to do, its messages are calls in which nothing is wrong."""
    result = client.do(kind, length)

    verify.calls.obey(service.received)
    verify.calls.done(result)


@requirement(
    "rfc8166.3.4.6.1.results-reassembled-in-array-order",
    "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    role="requester",
)
@pytest.mark.parametrize("length", [1, 4096, 70001])
def test_requester_reads_what_was_written(client: ActingClient, length: int) -> None:
    """What the client's application gets of a READ is what the tester placed, octet by octet."""
    result = client.do(ActKind.READ, length)

    verify.calls.done(result)
    verify.calls.reads(result, length)


READS: Final = "rfc8166.3.4.6.1.results-reassembled-in-array-order"
REJOINED: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"

FETCHED: Final = [
    (ActKind.READ_AT, 1, 1),
    (ActKind.READ_AT, 4095, 4098),
    (ActKind.READ_AT, 4097, 65537),
    (ActKind.READ_AT, 123457, 200003),
    (ActKind.READ_CACHED, 0, 10),
    (ActKind.READ_CACHED, 4095, 8194),
    (ActKind.READ_CACHED, 100001, 300007),
    (ActKind.READ_MAPPED, 3, 1),
    (ActKind.READ_MAPPED, 4097, 12289),
    (ActKind.READ_MAPPED, 65535, 131075),
]
"""How, from where and how much is fetched."""


@requirement(READS, REJOINED, role="requester")
@pytest.mark.parametrize(("kind", "offset", "length"), FETCHED)
def test_requester_reads_from_any_octet_on(
    service: Service, client: ActingClient, kind: ActKind, offset: int, length: int
) -> None:
    """By whatever way an application reads, it gets what is there, by calls that are all good."""
    result = client.do(kind, length, offset=offset)

    verify.calls.obey(service.received)
    verify.calls.done(result)
    verify.contents.given(result, pattern(offset + length)[offset:], (READS, REJOINED))


STORED: Final = [
    (ActKind.WRITE_AT, 1, 1),
    (ActKind.WRITE_AT, 4095, 2),
    (ActKind.WRITE_AT, 1023, 4098),
    (ActKind.WRITE_AT, 70001, 70003),
    (ActKind.WRITE_CACHED, 0, 10),
    (ActKind.WRITE_CACHED, 4095, 8194),
    (ActKind.WRITE_CACHED, 20001, 100003),
    (ActKind.WRITE_MAPPED, 3, 1),
    (ActKind.WRITE_MAPPED, 4097, 12289),
    (ActKind.WRITE_MAPPED, 65535, 131075),
]
"""How, from where and how much is stored."""


@requirement(REJOINED, READS, role="requester")
@pytest.mark.parametrize(("kind", "offset", "length"), STORED)
def test_requester_writes_from_any_octet_on(
    service: Service, client: ActingClient, kind: ActKind, offset: int, length: int
) -> None:
    """By whatever way an application writes, it reads the same again, by calls that are good."""
    result = client.do(kind, length, offset=offset)

    verify.calls.obey(service.received)
    verify.calls.done(result)
    verify.contents.given(result, pattern(length), (REJOINED, READS))


@requirement(REJOINED, READS, role="requester")
@pytest.mark.parametrize("length", [1, 100, 1500, 4000])
def test_requester_makes_and_reads_links(
    service: Service, client: ActingClient, length: int
) -> None:
    """A path of any length is stored in a symbolic link and read again, by calls that are good."""
    result = client.do(ActKind.MAKE_LINK, length)

    verify.calls.obey(service.received)
    verify.calls.done(result)
    verify.contents.given(result, letters(length), (REJOINED, READS))


@requirement(REJOINED, READS, role="requester")
@pytest.mark.parametrize("length", [1, 100, 1500, 4000])
def test_requester_keeps_access_lists(service: Service, client: ActingClient, length: int) -> None:
    """A list of any length is given to a file and fetched from it, by calls that are good."""
    result = client.do(ActKind.KEEP_LIST, length)

    verify.calls.obey(service.received)
    verify.calls.done(result)
    verify.contents.given(result, pattern(length), (REJOINED, READS))


@requirement(REJOINED, READS, role="requester")
@pytest.mark.parametrize("length", [1, 100, 4000, 65536])
def test_requester_keeps_attributes(service: Service, client: ActingClient, length: int) -> None:
    """An extended attribute of any length is set and fetched again, by calls that are good."""
    result = client.do(ActKind.KEEP_ATTRIBUTE, length)

    verify.calls.obey(service.received)
    verify.calls.done(result)
    verify.contents.given(result, pattern(length), (REJOINED, READS))
