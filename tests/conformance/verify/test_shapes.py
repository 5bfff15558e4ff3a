"""Calls of drawn shapes against the reference."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.client.harness import Harness
from conformance.tester.client.shape_rows import SHAPES
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.client.peer import Peer


@contextmanager
def connected(target: str) -> Iterator[Peer]:
    found = find_any_target(target, "loopback")
    harness = Harness(found)  # type: ignore[arg-type]  # it is a server
    yield harness.connect()
    harness.close()


@pytest.mark.parametrize("call", ["store", "fetch-two", "long-reply"])
def test_the_reference_serves_them(call: str) -> None:
    with connected("reference") as peer:
        verify.shapes.shaped(peer, next(one for one in SHAPES if one.call == call))

        assert peer.case.warnings == []
