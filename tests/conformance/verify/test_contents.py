"""What an application got is compared with what the tester has."""

from __future__ import annotations

import hashlib

import pytest

from conformance import verify
from conformance.tester.case import Deviation
from targets.base import ActResult, ActState

BREAKS = ("rfc8166.3.4.6.1.results-reassembled-in-array-order",)


def gave(data: bytes) -> ActResult:
    return ActResult(ActState.DONE, data=data, digest=hashlib.sha256(data).hexdigest())


def test_the_same_octets_are_accepted() -> None:
    verify.contents.given(gave(b"abcd"), b"abcd", BREAKS)
    digest = hashlib.sha256(b"abcd").hexdigest()
    verify.contents.given(ActResult(ActState.DONE, digest=digest), b"abcd", BREAKS)


def test_an_adapter_that_cannot_tell_says_nothing_against_the_client() -> None:
    verify.contents.given(ActResult(ActState.DONE), b"abcd", BREAKS)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"abxd", "1 of 4 octets are wrong, from octet 2 on: 7864 instead of 6364"),
        (b"abc", "3 octets instead of 4"),
        (b"", "0 octets instead of 4"),
    ],
)
def test_other_octets_are_told(data: bytes, where: str) -> None:
    with pytest.raises(Deviation, match="something else than the tester has") as caught:
        verify.contents.given(gave(data), b"abcd", BREAKS)

    assert (caught.value.actual, caught.value.breaks) == (where, BREAKS)


def test_a_digest_alone_tells_that_they_are_others() -> None:
    with pytest.raises(Deviation) as caught:
        verify.contents.given(ActResult(ActState.DONE, digest="0" * 64), b"abcd", BREAKS)

    assert caught.value.actual == "other octets"
