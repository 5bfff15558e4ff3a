"""Private data of RFC 8797: as it is laid out, and what it says."""

from __future__ import annotations

import pytest

from conformance.tester.private_data import FORMS, PrivateData, invalidates


def test_is_laid_out_as_the_document_says() -> None:
    assert PrivateData(1, sends=3, receives=7).octets == bytes.fromhex("f6ab0e18 01 01 03 07")


@pytest.mark.parametrize("form", FORMS)
def test_says_whether_remote_invalidation_is_supported(form: str) -> None:
    said = form in (
        "invalidation",
        "octets-behind",
        "behind-other-octets",
        "unknown-version",
        "seven-octets",
    )

    assert invalidates(FORMS[form]) == said
    assert len(FORMS[form]) <= 56  # all that a request for a connection carries
