"""Calls cut anywhere, at the reference and at servers that answer them wrongly."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.case import Deviation
from conformance.tester.client import build
from conformance.tester.client.harness import Harness
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def served_by(target: str) -> Iterator[Harness]:
    harness = Harness(find_any_target(target, "loopback"))  # type: ignore[arg-type]  # a server
    yield harness
    harness.close()


def test_the_reference_answers_as_it_may() -> None:
    with served_by("reference") as harness:
        peer = harness.connect()

        verify.cuts.anywhere(peer, harness.connect, range(68), build.null_call)

        assert peer.case.warnings == []
        assert len(peer.case.acceptances) == 68


@pytest.mark.parametrize(
    ("name", "breaks"),
    [
        ("answers-cut-calls-without-a-verifier", verify.cuts.LAYOUT),
        ("executes-calls-without-a-verifier", "rfc8166.4.rpc-layout-is-unchanged"),
    ],
)
def test_who_answers_otherwise_is_found_out(name: str, breaks: str) -> None:
    with served_by(f"mutant:{name}") as harness, pytest.raises(Deviation) as caught:
        verify.cuts.anywhere(harness.connect(), harness.connect, range(28, 68), build.null_call)

    assert breaks in caught.value.breaks
