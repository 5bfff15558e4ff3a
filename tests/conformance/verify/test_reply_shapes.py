"""A client whose calls get replies of a drawn shape."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.case import Deviation
from conformance.tester.server.harness import ClientHarness
from conformance.tester.server.reply_shapes import ReplyShape
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterator

BREAKS = ("rfc8166.3.4.6.1.results-reassembled-in-array-order",)


@contextmanager
def acting(target: str) -> Iterator[ClientHarness]:
    found = find_any_target(target, "loopback")
    harness = ClientHarness(found)  # type: ignore[arg-type]  # it is a client
    harness.begin()
    harness.ready()
    yield harness
    harness.close()


@pytest.mark.parametrize("act", ["read", "many-reads", "long-reply"])
def test_the_reference_takes_them(act: str) -> None:
    shape = ReplyShape(act, writes="backwards", grant="1000")
    with acting("reference-client") as harness:
        verify.reply_shapes.taken(harness.service, harness.client, shape, BREAKS)

        assert {line.granted for line in harness.service.lines} == {1000}


def test_who_joins_results_otherwise_is_found() -> None:
    shape = ReplyShape("read", "1000003")
    with acting("mutant:joins-results-backwards") as harness, pytest.raises(Deviation) as found:
        verify.reply_shapes.taken(harness.service, harness.client, shape, BREAKS)

    assert found.value.breaks == BREAKS
