"""What is held against a message that cannot be decoded."""

from __future__ import annotations

import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.oracle.layout import broken_by, broken_by_rpc
from rpcrdma.errors import DecodeError, Reason

SINGLE_ZEROS = "rfc8166.4.7.no-chunks-three-zero-words"
LAYOUT = ("rfc8166.4.header-is-xdr", "rfc8166.4.1.2.header-layout")


@pytest.mark.parametrize(
    ("path", "reason", "version", "broken"),
    [
        ("rdma_xid", Reason.TRUNCATED, 1, LAYOUT),
        (
            "rdma_body.proc",
            Reason.BAD_ENUM,
            1,
            ("rfc8166.4.2.fourth-word-selects-the-body", *LAYOUT),
        ),
        (
            "rdma_body.rdma_reads[0]",
            Reason.BAD_BOOLEAN,
            1,
            ("rfc8166.4.3.three-optional-lists", *LAYOUT),
        ),
        (
            "rdma_body.error.rdma_vers_low",
            Reason.TRUNCATED,
            1,
            ("rfc8166.4.5.1.err-vers-range", *LAYOUT),
        ),
        (
            "rdma_body.error.rdma_vers_low",
            Reason.TRUNCATED,
            2,
            ("v2.3.2.errors-keep-the-fixed-layout", "v2.4.2.header-layout"),
        ),
    ],
)
def test_a_header_is_held_against_the_statements_about_its_layout(
    path: str, reason: Reason, version: int, broken: tuple[str, ...]
) -> None:
    found = broken_by(bytes(16), DecodeError(0, path, reason), version)

    assert found == broken
    assert all(load_catalogue()[one] for one in found)


@pytest.mark.parametrize(
    ("reason", "version", "long", "reduced", "broken"),
    [
        (Reason.TRUNCATED, 1, False, False, "rfc8166.4.rpc-layout-is-unchanged"),
        (Reason.TRUNCATED, 2, False, False, "rfc8166.4.rpc-layout-is-unchanged"),
        (Reason.TRUNCATED, 1, True, False, "rfc8166.6.1.reassembly-gives-a-valid-stream"),
        (Reason.TRUNCATED, 2, True, False, "v2.1.reply-chunk-as-before"),
        (Reason.TRUNCATED, 2, False, True, "v2.1.write-chunks-as-before"),
        (Reason.BAD_PADDING, 1, False, True, "rfc8166.2.2.4.2.roundup-is-zero-octets"),
    ],
)
def test_an_rpc_message_is_held_against_what_has_spoilt_it(
    reason: Reason, version: int, *, long: bool, reduced: bool, broken: str
) -> None:
    error = DecodeError(0, "body", reason)

    assert broken_by_rpc(error, version, long=long, reduced=reduced, empty=False) == (broken,)
    assert load_catalogue()[broken]


@pytest.mark.parametrize(("version", "plainest"), [(1, (SINGLE_ZEROS,)), (2, ())])
def test_the_words_of_a_header_of_version_one_say_it_more_plainly(
    version: int, plainest: tuple[str, ...]
) -> None:
    words = (7, 1, 8, 0, 0, 0, 7, 1)  # a zero is lacking; 7 is the XID
    octets = b"".join(word.to_bytes(4) for word in words)
    error = DecodeError(24, "rdma_body.rdma_reply", Reason.BAD_BOOLEAN)

    header = broken_by(octets, error, version)

    assert header == (*plainest, *broken_by(bytes(16), error, version))


@pytest.mark.parametrize(("long", "behind"), [(False, True), (True, False)])
def test_a_header_with_nothing_behind_it_lacks_its_payload_unless_it_is_long(
    *, long: bool, behind: bool
) -> None:
    error = DecodeError(0, "xid", Reason.TRUNCATED)

    found = broken_by_rpc(error, 1, long=long, reduced=False, empty=True)

    assert ("rfc8166.4.2.4.msg-payload-follows-the-lists" in found) is behind
