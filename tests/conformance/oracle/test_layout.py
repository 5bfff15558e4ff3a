"""What is held against a message that cannot be decoded."""

from __future__ import annotations

import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.oracle.layout import broken_by, broken_by_rpc
from rpcrdma.errors import DecodeError, Reason

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
    found = broken_by(DecodeError(0, path, reason), version)

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

    assert broken_by_rpc(error, version, long=long, reduced=reduced) == broken
    assert load_catalogue()[broken]
